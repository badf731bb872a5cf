/**
 * Settlements: what the ledger keeps of a settled row, and what a line of results.csv is made of; no personal data but the
 * key. The ledger and the journal hold each one as a tuple, since a run of a million rows holds a million of them.
 */
import { z } from 'zod';
import { OUTCOMES, outcomeSchema } from './outcome.js';
/** In this order: row, line, key, outcome, status, id, attempts, ms, code, message and, where there are some, warnings. */
const fields = [
    z.number().int().positive(),
    z.number().int().nonnegative(),
    z.string(),
    outcomeSchema,
    z.number().int().nonnegative(),
    z.string(),
    z.number().int().nonnegative(),
    z.number().int().nonnegative(),
    z.string(),
    z.string(),
];
const tupleSchema = z.union([z.tuple([...fields]), z.tuple([...fields, z.string()])]);
/** A report reads a tuple per row, and the general schema takes several times as long over one as this look at it. */
export const settlementSchema = z.custom((value) => isWithoutWarnings(value) || tupleSchema.safeParse(value).success, 'expected what became of a row');
const OUTCOME_NAMES = new Set(OUTCOMES);
function isWithoutWarnings(value) {
    if (!Array.isArray(value) || value.length !== fields.length)
        return false;
    const [row, line, key, outcome, status, id, attempts, ms, code, message] = value;
    const areCounts = isCount(row) && isCount(line) && isCount(status) && isCount(attempts) && isCount(ms);
    return areCounts && row !== 0 && OUTCOME_NAMES.has(outcome) && [key, id, code, message].every(isText);
}
function isCount(value) {
    return Number.isSafeInteger(value) && Number(value) >= 0;
}
function isText(value) {
    return typeof value === 'string';
}
/** One warning as a settlement has it; columns are percent-encoded, since warnings are separated by spaces. */
export function warningWord(code, column) {
    return column === null ? code : `${code}:${encodeURIComponent(column.toWellFormed())}`;
}
/** The warnings of a settlement. */
export function warningsOf(s) {
    if (s.warnings === '')
        return [];
    return s.warnings.split(' ').map((word) => {
        const [code = '', column] = word.split(':');
        return { code, column: column === undefined ? null : decodeURIComponent(column) };
    });
}
export function toTuple(s) {
    const always = [
        s.row,
        s.line,
        s.key,
        s.outcome,
        s.status,
        s.id,
        s.attempts,
        s.ms,
        s.code,
        s.message,
    ];
    return s.warnings === '' ? [...always] : [...always, s.warnings];
}
export function fromTuple(tuple) {
    const [row, line, key, outcome, status, id, attempts, ms, code, message, warnings = ''] = tuple;
    return { row, line, key, outcome, status, id, attempts, ms, code, message, warnings };
}
const CUT = '\0';
/** The body as the ledger and the journal hold it: the text itself, or behind a NUL the number of bytes that followed, another NUL and the text. */
export function packBody({ text, restBytes }) {
    return restBytes === 0 && !text.startsWith(CUT) ? text : CUT + restBytes + CUT + text;
}
export function unpackBody(packed) {
    if (!packed.startsWith(CUT))
        return { text: packed, restBytes: 0 };
    const end = packed.indexOf(CUT, 1);
    return { text: packed.slice(end + 1), restBytes: Number(packed.slice(1, end)) };
}
//# sourceMappingURL=settlement.js.map