/**
 * The cells of CSV records, as csv-parse reads them. Records without a quote, which most are, are cut at their delimiters
 * instead: csv-parse takes ten times as long over each character.
 */
import { parse } from 'csv-parse/sync';
import { CR, indexOfNewline, indexOrEnd, LF } from './grammar.js';
/** A parser for well-formed records whose starts are known. */
export function createCellParser(dialect) {
    const parseAll = createTextParser(dialect);
    // What `trim` takes off around cells only csv-parse knows.
    if (dialect.trim)
        return ({ text }) => parseAll(text);
    return (records) => {
        const plain = cutPlain(records, dialect);
        const quoted = plain.flatMap((cells, i) => (cells === null ? [i] : []));
        if (quoted.length === 0)
            return plain.map((cells) => cells ?? []);
        const parsed = parseAll(quoted.map((i) => lineOf(records, i, dialect)).join(''));
        // Where csv-parse counts records differently, all are parsed by it, and the caller sees the difference by their number.
        if (parsed.length !== quoted.length)
            return parseAll(records.text);
        let next = 0;
        return plain.map((cells) => cells ?? parsed[next++] ?? []);
    };
}
/** The cells of the records without a quote, `null` for the others. */
function cutPlain({ text, starts }, dialect) {
    const { quote, delimiter, newline } = dialect;
    let quoteAt = indexOrEnd(text, quote, 0);
    return starts.map((start) => {
        if (quoteAt < start)
            quoteAt = indexOrEnd(text, quote, start);
        const found = indexOfNewline(text, start, newline);
        const end = found === -1 ? text.length : found;
        if (quoteAt < end)
            return null;
        const isCrLf = text.charCodeAt(end) === LF && text.charCodeAt(end - 1) === CR;
        return text.slice(start, isCrLf ? end - 1 : end).split(delimiter);
    });
}
/** A record with a line end, which the last record of a file may lack. */
function lineOf({ text, starts }, index, { newline }) {
    const record = text.slice(starts[index], starts[index + 1]);
    const isEnded = record.endsWith('\n') || (newline === 'cr' && record.endsWith('\r'));
    return isEnded ? record : `${record}\n`;
}
/** A parser for text whose records' starts are not known. */
export function createTextParser(dialect) {
    const { trim } = dialect;
    const options = {
        columns: false,
        delimiter: dialect.delimiter,
        quote: dialect.quote,
        escape: dialect.quote,
        record_delimiter: dialect.newline === 'lf' ? ['\r\n', '\n'] : ['\r\n', '\n', '\r'],
        skip_empty_lines: true,
        // So that the reader can compare a record's length with the header's and report it.
        relax_column_count: true,
        trim,
    };
    if (!trim)
        return (text) => parse(text, options);
    // csv-parse only takes off spaces outside the quotes.
    return (text) => parse(text, options).map((cells) => cells.map((cell) => cell.trim()));
}
//# sourceMappingURL=cells.js.map