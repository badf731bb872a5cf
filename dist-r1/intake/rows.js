import { UsageError } from '../lib/usage-error.js';
import { noWorkbook, unpack } from './container.js';
import { understandCsv } from './csv/csv.js';
import { decodeText } from './decode.js';
import { fileBytes } from './file.js';
import { isReportRecord, understandJson } from './json/json.js';
import { isReportText } from './report-file.js';
import { NOT_UTF8, notIn } from './row.js';
import { readHead } from './row-feed.js';
import { readWorkbook } from './xlsx/workbook.js';
/**
 * The rows of a file in batches; the first batch comes without rows as soon as the file is understood. UsageError where
 * the file can't be read as a whole. The file is closed when the consumer stops.
 */
export function openRows(path, decoding, format) {
    return decoding.container === 'workbook'
        ? readWorkbook(path, format)
        : readRows(fileBytes(path), path, decoding, format);
}
/**
 * The same for the bytes of a text, whatever the block boundaries; `path` is for the name's ending and for messages.
 */
export async function* readRows(bytes, path, decoding, format) {
    const texts = decodeText(unpack(bytes, decoding.container, path), decoding.encoding, path);
    try {
        const head = await readHead(texts);
        refuseEmpty(path, head);
        const understood = understand(path, head, { ...format, encoding: decoding.encoding });
        const { feed, start } = understood;
        const source = withDecoding(understood.source, decoding);
        const rowsOf = (text, final) => inWords(feed(text, final), decoding.encoding);
        yield { source, rows: [] };
        yield { source, rows: rowsOf(head.text.slice(start), false) };
        for await (const text of texts)
            yield { source, rows: rowsOf(text, false) };
        yield { source, rows: rowsOf('', true) };
    }
    finally {
        await texts.return(undefined);
    }
}
function refuseEmpty(path, head) {
    if (!head.whole || head.text.trim() !== '')
        return;
    throw new UsageError(`${path}: is empty: expected a CSV file with a header, or JSON; export the data again`);
}
function withDecoding(source, { container, encoding, notes, isUnended }) {
    const compression = container === 'gzip' ? 'gzip' : 'none';
    const unended = isUnended === true && source.type === 'csv' ? [UNENDED] : [];
    return { ...source, encoding, compression, notes: [...notes, ...source.notes, ...unended] };
}
const UNENDED = 'The last line has no line end, though the others have one: the file may have been cut off. Check that its last row is whole, and that it is the last.';
/** Names the encoding in problems with bytes that are no characters: the parsers don't know it. */
function inWords(rows, encoding) {
    if (encoding === 'utf-8')
        return rows;
    return rows.map((row) => row.kind === 'unreadable' && row.problem === NOT_UTF8 ? { ...row, problem: notIn(encoding) } : row);
}
/** Tells from a file's head how to read it; UsageError where that can't be told or the header is broken. */
export function understand(path, head, format) {
    if (format.type === 'xlsx' && !isReportText(head.text))
        throw noWorkbook(path);
    const type = detectType(path, head.text, format);
    if (type === 'csv')
        return understandCsv(path, head, format);
    return understandJson(path, head, type, format.records);
}
/** The file's type: what the definition says, else by its ending and its first character that is no space. */
function detectType(path, head, format) {
    const first = head.trimStart().charAt(0);
    if (format.type === 'csv')
        return 'csv';
    const isList = first === '[' || (first === '{' && isPointedTo(path, format) && !isReportRecord(head));
    if (format.type !== 'auto' && format.type !== 'xlsx')
        return isList ? 'json' : jsonWithout(path, first, format.type);
    const ending = endingOf(path);
    if (ending === 'csv')
        return 'csv';
    if (isList)
        return 'json';
    if (first === '{')
        return 'ndjson';
    return ending === null ? 'csv' : jsonWithout(path, first, ending);
}
/** Whether the file may be one object that holds the list of records: not where its type or name says one object per line. */
function isPointedTo(path, { type, records }) {
    return records !== undefined && type !== 'ndjson' && endingOf(path) !== 'ndjson';
}
function endingOf(path) {
    const name = path.toLowerCase().replace(/\.gz$/, '');
    if (/\.(csv|tsv)$/.test(name))
        return 'csv';
    if (/\.(ndjson|jsonl)$/.test(name))
        return 'ndjson';
    return name.endsWith('.json') ? 'json' : null;
}
/** Objects one after the other are read the same way whether they are called json or ndjson. */
function jsonWithout(path, first, type) {
    if (first === '{' || type === 'ndjson')
        return 'ndjson';
    throw new UsageError(`${path}: is no JSON that can be read: expected [ or { as its first character; if it is CSV, set format.type: csv or name it .csv`);
}
//# sourceMappingURL=rows.js.map