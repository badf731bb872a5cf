/**
 * A job definition that a file's header and first rows suggest (`onboard map`): where each column goes, how its cells
 * are read, which column is the key. Each column is placed or listed for a decision, none is dropped; no value of a cell
 * gets into a proposal.
 */
import { flattenRecord } from '../../model/flatten-record.js';
import { parseRecord } from '../../model/json-record.js';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../../model/source.js';
import { createFieldLookup } from '../request-field.js';
import { keyNamesOf } from './aliases.js';
import { createFindMeaning, looseName } from './meaning.js';
import { mostMistakes } from './notations.js';
import { keyField, placeColumns, proposeField, } from './propose-fields.js';
/** Proposes a definition that fits the file: each of its columns is placed, or listed for a decision. */
export function proposeJob(options) {
    const { operation, catalog, pathField, source } = options;
    const values = columnValues(source, options.rows, 'all');
    const texts = columnValues(source, options.rows, 'texts');
    const lookUp = createFieldLookup(catalog, pathField);
    const readable = options.rows.filter((row) => row.kind !== 'unreadable').length;
    const key = guessKey(operation, source.columns, { values, rows: readable });
    const findMeaning = createFindMeaning(operation, catalog, pathField);
    const placements = placeColumns({
        columns: source.columns,
        lookUp,
        isTable: isTable(source),
        findMeaning: (header) => header === key?.column ? keyField(operation, header, pathField) : findMeaning(header),
    }).filter(({ column }) => !isOfReport(column));
    const proposed = placements.map((placement) => ({
        placement,
        field: proposeField(placement, texts[placement.slot] ?? [], lookUp),
    }));
    const fields = proposed.flatMap(({ field }) => field ?? []);
    return {
        operation,
        key,
        fields,
        itself: proposed.flatMap(({ placement, field }) => placement.kind === 'itself' && field === null ? [placement.column] : []),
        open: [
            ...undecided(fields),
            ...placements.flatMap((placement) => openOf(placement, key?.column ?? null)),
        ],
        required: requiredOf(placements, fields, { values, rows: readable }),
        missingId: missingId(placements, options),
    };
}
function isOfReport(column) {
    return column.startsWith(REPORT_COLUMN_PREFIX) || `${column}.`.startsWith(`${REPORT_MEMBER}.`);
}
function undecided(fields) {
    return fields.flatMap(({ column, field, isDecided }) => isDecided ? [] : [{ column, reason: `see ${field} above` }]);
}
function openOf(placement, key) {
    if (placement.kind !== 'open' || placement.column === key)
        return [];
    return [{ column: placement.column, reason: placement.reason }];
}
/** Fields that name a record. */
const NAMES = new Set(['details.name', 'name']);
/** The fields to require: the service's document requires none, but a record without its name helps nobody. */
function requiredOf(placements, fields, about) {
    const open = new Set(fields.flatMap(({ field, isDecided }) => (isDecided ? [] : [field])));
    return placements.flatMap((placement) => {
        if (placement.kind === 'open' || open.has(placement.field))
            return [];
        const lacking = about.rows - (about.values[placement.slot]?.length ?? 0);
        const isUsual = lacking <= mostMistakes(about.rows) && lacking < about.rows / 2;
        return NAMES.has(placement.field) && isUsual ? [placement.field] : [];
    });
}
function missingId(placements, { pathField, operation }) {
    // The ledger knows the identifier of what an upsert finds under a key.
    if (pathField === null || operation === 'subclient.upsert')
        return null;
    return placements.some((one) => one.kind !== 'open' && one.field === pathField) ? null : pathField;
}
/** Lays rows out by columns; `texts` leaves out a workbook's numbers, dates and booleans, which are read in one way only. */
function columnValues({ columns }, rows, kind) {
    const values = columns.map(() => []);
    for (const row of rows) {
        const cells = cellsOf(row, columns);
        const typed = kind === 'texts' && row.kind === 'cells' ? row.typed : undefined;
        for (const [slot, list] of values.entries()) {
            const value = cells[slot] ?? '';
            if (value !== '' && typed?.includes(slot) !== true)
                list.push(value);
        }
    }
    return values;
}
function cellsOf(row, columns) {
    switch (row.kind) {
        case 'cells':
            return row.cells;
        case 'record': {
            const leaves = flattenRecord(parseRecord(row.text) ?? {});
            return columns.map((column) => leaves.get(column));
        }
        case 'unreadable':
            return [];
        default:
            return row;
    }
}
/** The column that is most probably the rows' own key: its name says so, and nearly every row has one of its own. */
function guessKey(operation, columns, about) {
    const names = columns.map(looseName);
    for (const wanted of keyNamesOf(operation)) {
        const slot = names.indexOf(wanted);
        const column = columns[slot];
        if (column === undefined || columns.lastIndexOf(column) !== slot)
            continue;
        const guess = judge(column, about.values[slot] ?? [], about.rows);
        const isBearable = guess.flaws <= mostMistakes(about.rows) && guess.flaws <= about.rows / 2;
        if (isBearable || (operation === 'counterparty.draft' && guess.isGrouped))
            return guess;
    }
    return null;
}
function judge(column, values, rows) {
    const different = new Set(values).size;
    const changes = values.filter((value, i) => i === 0 || value !== values[i - 1]).length;
    return {
        column,
        flaws: rows - different,
        isGrouped: values.length === rows && different < rows && changes === different,
    };
}
//# sourceMappingURL=propose-job.js.map