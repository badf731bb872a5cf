/**
 * The lines of the files that have one for each row they speak of: `results.csv`, `rejections.jsonl` and
 * `documents.jsonl`. Scripts rely on their columns and members.
 */
import { printable } from '../lib/terminal.js';
import { adviceFor } from '../model/advice.js';
import { warningsOf } from '../model/settlement.js';
import { csvText, onOneLine } from './csv-text.js';
import { elementsOf, oneLine } from './json-text.js';
/** The header line of `results.csv`. */
export function resultsHeader() {
    return csvText([RESULTS_COLUMNS], DIALECT);
}
/** The columns of `results.csv` (DESIGN.md, section 4). */
const RESULTS_COLUMNS = [
    'row',
    'line',
    'key',
    'outcome',
    'status',
    'id',
    'attempts',
    'ms',
    'code',
    'message',
    'advice',
];
const DIALECT = { delimiter: ',', quote: '"' };
/** The lines of `results.csv`, one per settlement. */
export function resultsLines(settlements, advising) {
    return csvText(settlements.map((s) => resultCells(s, advising)), DIALECT);
}
function resultCells(s, advising) {
    return [
        String(s.row),
        s.line === 0 ? '' : String(s.line),
        s.key,
        s.outcome,
        s.status === 0 ? '' : String(s.status),
        s.id,
        String(s.attempts),
        String(s.ms),
        s.code,
        messageCell(s),
        adviceIn(s, advising),
    ];
}
/** The row's message, and after it the cells that looked damaged and were sent all the same. */
function messageCell(s) {
    if (s.warnings === '')
        return s.message;
    const warnings = warningsOf(s).map(({ code, column }) => `warning: ${code}${placeInWords(column)}`);
    const said = s.message === '' ? '' : `${s.message}${s.message.endsWith('.') ? '' : ';'} `;
    return `${said}${warnings.join('; ')}`;
}
function placeInWords(column) {
    return column === null ? '' : ` in "${onOneLine(column)}"`;
}
/** The advice for a row, with the report's files by the names they have for this run's input. */
export function adviceIn({ code, outcome }, { operation, extension }) {
    return adviceFor(code, outcome, operation).replaceAll('.csv', `.${extension}`);
}
/**
 * A line of `rejections.jsonl`: the body verbatim as a JSON string, `null` where the ledger no longer has it. Of a body over 64 KiB its
 * beginning, and how many bytes followed that as `restBytes`.
 */
export function rejectionLine(run, { settlement, body }) {
    const { row, line, key, status } = settlement;
    const { text = null, restBytes = 0 } = body ?? {};
    const rejection = { run, row, line, key, status, body: text, ...(restBytes > 0 && { restBytes }) };
    // The JSON it is, without a sign that acts on a terminal which shows the file.
    return `${printable(JSON.stringify(rejection))}\n`;
}
/** Lines of `documents.jsonl`: one per record of the row's payment, each as it was received but for line breaks between its tokens. */
export function documentLines(settlement, records) {
    const payment = settlement.id === '' ? settlement.key : settlement.id;
    const start = `{"row":${settlement.row},"paymentId":${JSON.stringify(payment)},"document":`;
    return elementsOf(records)
        .map((span) => `${start}${oneLine(records.slice(span.start, span.end))}}\n`)
        .join('');
}
//# sourceMappingURL=results.js.map