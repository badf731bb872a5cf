/**
 * CSV text for report files, every cell guarded against being run as a formula. Hand-written: csv-stringify takes ten times
 * as long over what has to be asked of each cell, and a report has a line for every row of the file.
 */
import { guardCell } from '../lib/formula-guard.js';
/**
 * The rows as CSV text, a line feed after each; reads back byte-exact once `unguardCell` has been over each cell.
 */
export function csvText(rows, { delimiter, quote }) {
    const needsQuotes = quotedMatch(delimiter, quote);
    const written = (cell) => {
        if (cell === '')
            return '';
        const guarded = guardCell(cell);
        return needsQuotes.test(guarded) ? quoted(guarded, quote) : guarded;
    };
    let text = '';
    for (const row of rows)
        text += `${row.map(written).join(delimiter)}\n`;
    return text;
}
/**
 * Matches cells that need quotes: also those with a lone CR, which readers take for a line's end, those with spaces at
 * their ends, which are legal without quotes but which programs take off, those with any separator that a spreadsheet may
 * split at beside the file's own, and those that begin with `ID`, for which Excel takes a file for one of the SYLK format.
 */
function quotedMatch(delimiter, quote) {
    return new RegExp(`[${literal(delimiter)}${literal(quote)},;\\t|\\r\\n]|^\\s|\\s$|^ID`);
}
function literal(character) {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
function quoted(cell, quote) {
    return quote + cell.replaceAll(quote, () => quote + quote) + quote;
}
/** A cell's text without line breaks and control characters, for which a spreadsheet or our reader would refuse the file. */
export function onOneLine(text) {
    return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}
//# sourceMappingURL=csv-text.js.map