/**
 * Typed cells in report files: a workbook's report says which of a row's cells held numbers or dates, with a digest of
 * each, so that those that come back unchanged are not read by the signs and patterns that a definition gives for text.
 */
import { z } from 'zod';
import { shortDigest } from './digest.js';
const DIGEST_LENGTH = 8;
const markSchema = z.templateLiteral([z.enum(['number', 'value']), ':', z.string().length(DIGEST_LENGTH)]);
const marksSchema = z.record(z.string(), markSchema);
/** A row's typed cells for a report file: by column, whether the cell was a number, and its digest; empty where there are none. */
export function typedText(row, columns) {
    const marks = (row.typed ?? []).map((at) => [
        columns[at] ?? '',
        markOf(row.numeric?.includes(at) === true ? 'number' : 'value', row.cells[at] ?? ''),
    ]);
    return marks.length === 0 ? '' : JSON.stringify(Object.fromEntries(marks));
}
/** The typed cells that `typedText` named and that nobody has changed since; `null` where the text names none or other columns. */
export function readTyped(told, cells, columns) {
    const marks = marksIn(told);
    if (marks.length === 0)
        return null;
    const typed = [];
    const numeric = [];
    for (const [name, mark] of marks) {
        const at = columns.indexOf(name);
        if (at === -1)
            return null;
        const cell = cells[at] ?? '';
        const isNumber = mark === markOf('number', cell);
        if (isNumber)
            numeric.push(at);
        if (isNumber || mark === markOf('value', cell))
            typed.push(at);
    }
    return { typed, numeric };
}
function markOf(kind, cell) {
    return `${kind}:${shortDigest(cell, DIGEST_LENGTH)}`;
}
function marksIn(told) {
    try {
        return Object.entries(marksSchema.safeParse(JSON.parse(told)).data ?? {});
    }
    catch {
        return [];
    }
}
//# sourceMappingURL=typed-cells.js.map