/**
 * The decisions in a run's report file of rows in doubt, as somebody has edited it, perhaps with a spreadsheet that
 * saved it in its own way. Anything malformed in it refuses the whole file, every problem with its line.
 */
import { z } from 'zod';
import { formatSchema } from '../config/job-definition.js';
import { inspectFile } from '../intake/inspect.js';
import { openRows } from '../intake/rows.js';
import { UsageError } from '../lib/usage-error.js';
import { compileReportKeyOf } from '../mapping/row-key.js';
import { idProblem } from '../model/record-id.js';
import { describeDecision } from '../model/resolution.js';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../model/source.js';
/**
 * Reads the decisions of a run's edited `in-doubt.csv` or `.ndjson`, with the key column's values; a UsageError lists every line that
 * is malformed.
 */
export async function readDecisions(path, run, key) {
    const gathering = createGathering(path, run);
    const inspected = await inspectFile(path, formatOf(run));
    for await (const { source, rows } of openRows(path, inspected, formatOf(run))) {
        const lineOf = isTable(source) ? csvLine(path, source.columns) : recordLine;
        const keyOf = keyReader(path, source, key);
        for (const row of rows)
            gathering.take(row.line, lineOf(row), keyOf(row));
    }
    return gathering.end();
}
/** A report leaves out columns named like its own, so there is no key to read in one. */
function keyReader(path, source, key) {
    if (key === null || key.startsWith(REPORT_COLUMN_PREFIX))
        return () => null;
    const keyOf = compileReportKeyOf(key, source);
    if (keyOf === null) {
        throw new UsageError(`${path}: expected one column "${key}", the job's key, as the report has it`);
    }
    return (row) => keyOf(row) ?? '';
}
/** The format that the report was written in; a spreadsheet may have saved it with another of the usual delimiters. */
function formatOf({ source }) {
    const { delimiter, quote } = source;
    const unusual = delimiter !== null && !',;\t|'.includes(delimiter);
    return formatSchema.parse({
        ...(unusual ? { delimiter } : {}),
        ...(quote === null ? {} : { quote }),
    });
}
function createGathering(path, run) {
    const taken = new Map();
    const problems = [];
    const told = [];
    let open = 0;
    const keep = (row, decision, line) => {
        const earlier = taken.get(row);
        taken.set(row, earlier ?? { decision, line });
        if (earlier === undefined || describeDecision(earlier.decision) === describeDecision(decision))
            return;
        problems.push(`${path}, line ${line}: row ${row} is decided otherwise on line ${earlier.line}: expected one decision`);
    };
    return {
        take(line, said, key) {
            const where = `${path}, line ${line}`;
            const read = readLine(said, run);
            if (read.kind === 'read')
                told.push({ where, row: read.row, key, decision: read.decision });
            if (read.kind === 'problems')
                problems.push(...read.problems.map((p) => `${where}: ${p}`));
            else if (read.decision === null)
                open += 1;
            else
                keep(read.row, read.decision, line);
        },
        end() {
            if (problems.length > 0)
                throw new UsageError([...problems, 'Nothing was resolved.']);
            return { decisions: [...taken].map(([row, { decision }]) => ({ row, decision })), open, told };
        },
    };
}
const COLUMNS = ['run', 'row', 'resolution'];
/** Reads lines of a CSV file with these columns; a UsageError where a report's column is missing. */
function csvLine(path, columns) {
    const slots = COLUMNS.map((name) => columns.indexOf(REPORT_COLUMN_PREFIX + name));
    const missing = COLUMNS.filter((_, i) => slots[i] === -1).map((name) => REPORT_COLUMN_PREFIX + name);
    if (missing.length > 0) {
        throw new UsageError(`${path}: has no column ${missing.join(', ')}: expected the in-doubt.csv of the run's report, with onboard_resolution filled in`);
    }
    return (row) => {
        if (row.kind !== 'cells')
            return unreadable(row);
        const [run = '', number = '', resolution = ''] = slots.map((slot) => row.cells[slot]?.trim());
        return { run, row: number, resolution };
    };
}
const memberSchema = z.looseObject({
    [REPORT_MEMBER]: z.looseObject({
        run: z.string(),
        row: z.number(),
        resolution: z.string().nullish(),
    }),
});
/** Reads a record of an NDJSON file. */
function recordLine(row) {
    if (row.kind !== 'record')
        return unreadable(row);
    const parsed = memberSchema.safeParse(JSON.parse(row.text));
    if (!parsed.success)
        return `expected ${REPORT_MEMBER} with run, row and resolution`;
    const { run, row: number, resolution } = parsed.data[REPORT_MEMBER];
    return { run, row: String(number), resolution: (resolution ?? '').trim() };
}
function unreadable(row) {
    return row.kind === 'unreadable' ? row.problem : 'expected a record of the same kind as the others';
}
const ROW = /^[1-9]\d{0,14}$/;
/** Whether the line is of the run, of a row, and holds a decision that can be followed. */
function readLine(fields, run) {
    if (typeof fields === 'string')
        return { kind: 'problems', problems: [fields] };
    const problems = [];
    if (fields.run !== run.id)
        problems.push(`onboard_run is ${shown(fields.run)}: expected "${run.id}", the run that is named`);
    if (!ROW.test(fields.row))
        problems.push(`onboard_row is ${shown(fields.row)}: expected the number of a row`);
    const decision = fields.resolution === '' ? null : parseDecision(fields.resolution);
    if (typeof decision === 'string')
        problems.push(`onboard_resolution is ${decision}`);
    if (problems.length > 0 || typeof decision === 'string')
        return { kind: 'problems', problems };
    return { kind: 'read', row: Number(fields.row), decision };
}
const CREATED = 'created:';
/** The decision, or what is wrong with the text. */
function parseDecision(text) {
    if (text === 'not-created')
        return { kind: 'not-created' };
    if (!text.startsWith(CREATED))
        return `${shown(text)}: expected created:<id>, not-created, or nothing where it is still open`;
    const id = text.slice(CREATED.length);
    const problem = typedIdProblem(id);
    return problem === null ? { kind: 'created', id } : `${shown(text)}: expected an id${problem}`;
}
const SHOWN_CHARACTERS = 60;
function shown(text) {
    const short = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
    return JSON.stringify(short);
}
const PLACEHOLDER = /^<.*>$/u;
/**
 * What keeps a text that somebody typed from being the service's identifier, to follow "expected an id"; `null` for one that is fine.
 */
export function typedIdProblem(id) {
    const problem = idProblem(id);
    if (problem !== null)
        return problem;
    if (/\s/u.test(id))
        return " without white space: expected the service's identifier";
    if (PLACEHOLDER.test(id))
        return `, got the placeholder "${id}": expected the service's identifier`;
    return null;
}
//# sourceMappingURL=resolve-file.js.map