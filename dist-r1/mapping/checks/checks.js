import { listConversion, stringConversion } from '../conversion.js';
import { formatFieldPath } from '../request-field.js';
import { addIssue, addWarning } from '../row-context.js';
import { ambiguousDate, mojibake, scientificNotation, spreadsheetError, } from './damage.js';
import { identifierChecks, isIdentifierField } from './identifiers.js';
/** Compiles the checks column by column: a column only gets the checks that can find something in it. */
export function compileChecks(definition, bindings, key) {
    const severities = definition.checks;
    const columns = checkedColumns(bindings, key, severities);
    const checkNumbers = compileNumberCells(identifierColumns(bindings, key), severities.number_cell);
    return (row, context) => {
        for (const column of columns)
            checkCell(column, context);
        if (row.kind === 'cells' && row.numeric !== undefined)
            checkNumbers(row.numeric, context);
    };
}
/** Notes one finding per cell: the first that keeps the row from being sent, else the first. */
function checkCell(at, context) {
    const value = context.values[at.slot];
    if (typeof value !== 'string' || value === '')
        return;
    for (const check of at.checks) {
        const expected = check.find(value, context);
        if (expected === null)
            continue;
        const add = at.severities[check.code] === 'error' ? addIssue : addWarning;
        add(context, { code: check.code, column: at.column, value, expected });
        return;
    }
}
function checkedColumns(bindings, key, severities) {
    const beside = createBeside(bindings);
    const columns = new Map();
    const add = ({ column, slot }, checks) => {
        const known = columns.get(slot) ?? { column, slot, checks: [] };
        columns.set(slot, known);
        for (const check of checks) {
            if (severities[check.code] !== 'off' && !known.checks.includes(check))
                known.checks.push(check);
        }
    };
    for (const binding of bindings) {
        if (binding.kind === 'constant')
            continue;
        add(binding, checksOfField(binding, (name) => beside(binding, name)));
    }
    if (key !== null)
        add(key, CHECKS_OF_KEY);
    return [...columns.values()]
        .filter(({ checks }) => checks.length > 0)
        .map(({ checks, ...place }) => {
        const own = place.slot === key?.slot ? severitiesOfKey(severities) : severities;
        return { ...place, checks: errorsFirst(checks, own), severities: own };
    });
}
/** For a key a number in scientific notation or a spreadsheet's error counts like a number cell: it would be another record's key. */
function severitiesOfKey(severities) {
    if (severities.number_cell !== 'error')
        return severities;
    const raised = (severity) => (severity === 'warn' ? 'error' : severity);
    return {
        ...severities,
        scientific_notation: raised(severities.scientific_notation),
        spreadsheet_error: raised(severities.spreadsheet_error),
    };
}
function errorsFirst(checks, severities) {
    const isError = ({ code }) => severities[code] === 'error';
    return [...checks.filter(isError), ...checks.filter((check) => !isError(check))];
}
/** All checks of a key's cells: any text may be a key. */
const CHECKS_OF_KEY = [scientificNotation, spreadsheetError, mojibake];
/** All checks of the cells that fill a field, the most telling first. */
function checksOfField(binding, beside) {
    if (binding.kind === 'reference')
        return CHECKS_OF_KEY;
    if (binding.kind !== 'cell')
        return [];
    const { conversion, path } = binding;
    if (conversion.isSwappable !== undefined)
        return [ambiguousDate(conversion.isSwappable)];
    if (conversion === listConversion)
        return [spreadsheetError, mojibake];
    if (conversion !== stringConversion)
        return [];
    if (!isIdentifierField(path))
        return [spreadsheetError, mojibake];
    return [scientificNotation, spreadsheetError, ...identifierChecks(path, beside, [mojibake])];
}
/** Finds what fills the field of that name in the same object as the binding's own field. */
function createBeside(bindings) {
    const byPlace = new Map(bindings.map((binding) => [formatFieldPath(binding.path), binding]));
    return ({ path }, name) => textOf(byPlace.get(formatFieldPath([...path.slice(0, -1), name])));
}
function textOf(binding) {
    if (binding === undefined)
        return () => '';
    if (binding.kind === 'constant')
        return () => String(binding.value);
    return ({ values }) => {
        const value = values[binding.slot];
        return typeof value === 'string' ? value : '';
    };
}
const TEXT = 'text; the cell holds a number, which has no leading zeros and keeps only 15 digits, so the identifier may be another one: format the column as text and write it again';
/** Notes the cells of a workbook's row that hold a number where an identifier is meant; `numeric` has their positions. */
function compileNumberCells(columns, severity) {
    if (severity === 'off')
        return () => undefined;
    const add = severity === 'error' ? addIssue : addWarning;
    return (numeric, context) => {
        for (const slot of numeric) {
            const column = columns.get(slot);
            if (column === undefined)
                continue;
            add(context, { code: 'number_cell', column, value: context.values[slot], expected: TEXT });
        }
    };
}
/** The columns of identifiers and of the key, by their slots. */
function identifierColumns(bindings, key) {
    const places = key === null ? [] : [key];
    return new Map([...bindings.flatMap(identifierPlace), ...places].map(({ slot, column }) => [slot, column]));
}
function identifierPlace(binding) {
    if (binding.kind === 'reference')
        return [binding];
    const isText = binding.kind === 'cell' && binding.conversion === stringConversion;
    return isText && isIdentifierField(binding.path) ? [binding] : [];
}
//# sourceMappingURL=checks.js.map