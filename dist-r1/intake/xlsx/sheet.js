import { damaged, tooLarge } from './error.js';
import { gather, readXmlText } from './xml.js';
/** Hands on the rows of a sheet in order; WorkbookError where their numbers contradict each other. */
export function sheetHandler(take) {
    const content = createCellContent();
    let inData = false;
    let line = 0;
    let row = null;
    let cell = null;
    const openRow = (attributes) => {
        line = lineOf(attributes, line);
        row = { line, cells: [] };
    };
    const closeRow = (open) => {
        row = null;
        take(open);
    };
    return {
        open(name, attributes) {
            if (cell !== null)
                content.open(name, cell);
            else if (row !== null && name === 'c') {
                cell = newCell(attributes, row);
                row.cells.push(cell);
            }
            else if (inData && name === 'row')
                openRow(attributes);
            else if (name === 'sheetData')
                inData = true;
        },
        text(piece) {
            if (cell !== null)
                content.text(piece, cell);
        },
        close(name) {
            if (name === 'c')
                cell = null;
            else if (cell !== null)
                content.close(name);
            else if (row !== null && name === 'row')
                closeRow(row);
            else if (name === 'sheetData')
                inData = false;
        },
    };
}
/** The number of a row: the next one where the row doesn't say it. Rows must come in order. */
function lineOf(attributes, last) {
    const line = Number(attributes.get('r') ?? last + 1);
    if (!Number.isSafeInteger(line) || line <= last)
        throw damaged('its rows are out of order');
    if (line > MAX_SHEET_ROWS)
        throw damaged('it has more rows than a sheet can have');
    return line;
}
function newCell(attributes, { line, cells }) {
    return {
        column: columnOf(attributes.get('r'), line, (cells.at(-1)?.column ?? -1) + 1),
        type: attributes.get('t') ?? 'n',
        style: Number(attributes.get('s') ?? 0),
        value: null,
        inline: null,
        hasFormula: false,
    };
}
function columnOf(reference, line, next) {
    const place = reference === undefined ? { line, column: next } : placeOf(reference);
    if (place === null || place.line !== line || place.column < next || place.column >= MAX_SHEET_COLUMNS) {
        throw damaged(`row ${line} holds a cell that belongs elsewhere`);
    }
    return place.column;
}
/** Rich text is the text of its runs; phonetic runs say how the text is pronounced and are no part of it. */
function createCellContent() {
    let into = null;
    let inPhonetic = false;
    return {
        open(name, cell) {
            if (name === 'f')
                cell.hasFormula = true;
            else if (name === 'is')
                cell.inline ??= '';
            else if (name === 'rPh')
                inPhonetic = true;
            else if (name === 't' && cell.inline !== null && !inPhonetic)
                into = 'inline';
            else if (name === 'v') {
                if (cell.value !== null)
                    throw damaged('it holds a cell with two values');
                cell.value = '';
                into = 'value';
            }
        },
        text(piece, cell) {
            if (into !== null)
                cell[into] = gather(cell[into] ?? '', piece);
        },
        close(name) {
            if (name === 'v' || name === 't')
                into = null;
            else if (name === 'rPh')
                inPhonetic = false;
        },
    };
}
/** The size of a sheet at most (Excel's specifications and limits). */
const MAX_SHEET_ROWS = 1_048_576;
const MAX_SHEET_COLUMNS = 16_384;
/** The place that a reference such as `B7` names, `null` where it names none. */
function placeOf(reference) {
    const [, letters = '', digits = ''] = REFERENCE.exec(reference) ?? [];
    let column = 0;
    for (let i = 0; i < letters.length; i += 1) {
        column = column * LETTERS + (letters.charCodeAt(i) & 31);
    }
    const line = Number(digits);
    if (column < 1 || column > MAX_SHEET_COLUMNS || line < 1 || line > MAX_SHEET_ROWS)
        return null;
    return { line, column: column - 1 };
}
const REFERENCE = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/;
/** The letters of a column: 0 is `A`. */
export function columnLetters(column) {
    const before = Math.floor(column / LETTERS);
    const letter = String.fromCharCode(BEFORE_A + 1 + (column % LETTERS));
    return before === 0 ? letter : columnLetters(before - 1) + letter;
}
const LETTERS = 26;
const BEFORE_A = 64;
/** Searches a sheet for its layout: as text, since to parse the cells twice would take twice as long. */
export async function readLayout(zip, part) {
    const merges = [];
    let hasHidden = false;
    let cut = ''; // the start of a tag whose end is in the next block
    for await (const text of readXmlText(zip.read(part))) {
        const whole = cut + text;
        cut = whole.slice(whole.lastIndexOf('<')).slice(0, MAX_TAG_CHARS);
        if (!whole.includes('mergeCell') && !whole.includes('hidden'))
            continue;
        for (const [, reference] of whole.slice(0, whole.length - cut.length).matchAll(TAGS)) {
            if (reference === undefined)
                hasHidden = true;
            else if (merges.push(mergeOf(reference)) > MAX_MERGES) {
                throw tooLarge(`it has more than ${MAX_MERGES} merged cells`);
            }
        }
    }
    return { merges: merges.toSorted((a, b) => a.top - b.top), hasHidden };
}
/** A sheet with more merged cells is no table. */
const MAX_MERGES = 100_000;
/** The longest tag that is searched: rows and columns have a few short attributes. */
const MAX_TAG_CHARS = 4096;
/** Tags in a sheet that say something of its layout; the first group is the place of merged cells. */
const TAGS = /<(?:[\w.-]+:)?(?:mergeCell\s[^>]*?\bref\s*=\s*["']([^"']*)["']|(?:row|col)\s[^>]*?\bhidden\s*=\s*["'](?:1|true)["'])/g;
function mergeOf(reference) {
    const [first = '', last = first] = reference.split(':');
    const from = placeOf(first);
    const to = placeOf(last);
    if (from === null || to === null)
        throw damaged('it merges cells that do not exist');
    return { reference, top: from.line, bottom: to.line, left: from.column };
}
/** The merge that a row lies in, if it reaches into the first `columns` columns; to be asked row by row downwards. */
export function mergeFinder(layout, columns) {
    let next = 0;
    let open = [];
    return (line) => {
        const started = [];
        for (let merge = layout.merges[next]; merge !== undefined && merge.top <= line;) {
            started.push(merge);
            next += 1;
            merge = layout.merges[next];
        }
        if (started.length + open.length === 0)
            return undefined;
        open = [...open, ...started].filter(({ bottom }) => bottom >= line);
        return open.find(({ left }) => left < columns);
    };
}
//# sourceMappingURL=sheet.js.map