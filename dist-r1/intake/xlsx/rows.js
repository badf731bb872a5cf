/** The table of a sheet: its header, and the records below it as rows, with what makes a row unreadable. */
import { unguardCell } from '../../lib/formula-guard.js';
import { REPORT_ROW_COLUMN } from '../../model/source.js';
import { nameProblems } from '../column-names.js';
import { NOT_TYPED, typedInReport } from '../report-file.js';
import { cellsRow, MAX_RECORD_CHARS, TOO_LONG, unreadableRow } from '../row.js';
import { readCell } from './cell.js';
import { tooLarge, WorkbookError } from './error.js';
import { columnLetters, mergeFinder } from './sheet.js';
/**
 * Finds the header among the rows of a sheet, from top to bottom: the row that `wanted` names, else the first that isn't
 * empty. `null` where the header is not among these rows; WorkbookError where they are already past it.
 */
export function findHeader(rows, wanted, context) {
    const row = rows.find(({ line, cells }) => line >= (wanted ?? 1) && holdsNames(cells, context));
    if (row === undefined)
        return null;
    if (wanted === undefined || row.line === wanted)
        return readSheetHeader(row, context);
    throw new WorkbookError(`has nothing in row ${wanted}: expected the header there, as format.header says; correct format.header`);
}
function holdsNames(cells, context) {
    return cells.some((cell) => {
        const reading = readCell(cell, context);
        return reading.kind === 'problem' || reading.text.trim() !== '';
    });
}
/** Reads a row as the header, names without spaces around them; WorkbookError with everything that is wrong. */
function readSheetHeader(row, context) {
    const names = [];
    const problems = [];
    for (const cell of row.cells) {
        const reading = readCell(cell, context);
        if (reading.kind === 'problem')
            problems.push(`column ${columnLetters(cell.column)}: ${reading.problem}`);
        else if (reading.text.trim() !== '')
            names[cell.column] = reading.text.trim();
    }
    // A column without a cell in the row is a hole in the list.
    const plain = Array.from(names, (name = '') => name);
    const isReport = plain.includes(REPORT_ROW_COLUMN);
    const columns = isReport ? plain.map(unguardCell) : plain;
    if (problems.length === 0)
        problems.push(...nameProblems(columns, columnLetters));
    const [first, ...others] = problems;
    if (first === undefined)
        return { columns, line: row.line, isReport };
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    throw new WorkbookError(`has a header, row ${row.line}, that can't be used: ${first}${more}`);
}
/** Makes records of a sheet's rows. */
export function createRowMaker(context) {
    const { header } = context;
    const columns = header.columns.length;
    const mergeAt = mergeFinder(context.layout, columns);
    let rows = 0;
    let last = header.line;
    const recordOf = (line, read) => {
        rows += 1;
        const place = { row: rows, line };
        const merge = mergeAt(line);
        const problem = read.problem ?? (merge === undefined ? null : merged(merge.reference));
        if (problem !== null)
            return unreadableRow(place, read.cells.join('\t'), problem);
        return cellsRow(place, read.cells, read);
    };
    return (row) => {
        const read = readRecord(row, context);
        if (isEmpty(read))
            return [];
        checkSize(row.line, last, columns);
        last = row.line;
        return [recordOf(row.line, read)];
    };
}
/** More empty rows than this one after the other end the table; what stands below was forgotten there. */
const MAX_GAP = 10_000;
/** Ten times what a large portfolio has. */
const MAX_CELLS = 50_000_000;
function isEmpty({ problem, cells }) {
    return problem === null && cells.every((cell) => cell === '');
}
function checkSize(line, last, columns) {
    if (line - last > MAX_GAP) {
        throw new WorkbookError(`has ${line - last - 1} empty rows above row ${line}: expected one table; remove what stands below it, or the empty rows`);
    }
    if (line * columns > MAX_CELLS)
        throw tooLarge(`it has more than ${MAX_CELLS} cells`);
}
function merged(reference) {
    return `cells that are merged (${reference}): expected a value in each cell; undo the merge`;
}
/** Reads a row's cells by the header's columns. */
function readRecord(row, context) {
    const { columns, isReport } = context.header;
    const record = { cells: new Array(columns.length).fill(''), numeric: [], typed: [] };
    const problem = fillRecord(record, row, context);
    if (problem !== null || !isReport)
        return { ...record, problem };
    const told = typedInReport(record.cells, columns);
    if (told === null)
        return { ...record, problem: NOT_TYPED };
    return {
        ...record,
        numeric: [...new Set([...record.numeric, ...told.numeric])],
        typed: [...new Set([...record.typed, ...told.typed])],
        problem,
    };
}
/** Fills in the cells that can be read; answers the first problem. */
function fillRecord(record, row, context) {
    const { columns } = context.header;
    let problem = null;
    let chars = 0;
    for (const cell of row.cells) {
        const isOutside = cell.column >= columns.length;
        if (isOutside && problem !== null)
            break;
        const reading = readCell(cell, context);
        problem ??= cellProblem(reading, cell.column, columns);
        if (reading.kind === 'problem' || isOutside)
            continue;
        chars += reading.text.length;
        if (chars > MAX_RECORD_CHARS)
            return TOO_LONG;
        fillCell(record, cell.column, reading, context);
    }
    return problem ?? (isHeaderAgain(record.cells, columns) ? HEADER_AGAIN : null);
}
function fillCell({ cells, numeric, typed }, column, reading, { header, trim }) {
    if (reading.kind === 'number')
        numeric.push(column);
    if (reading.kind !== 'text')
        typed.push(column);
    const text = header.isReport ? unguardCell(reading.text) : reading.text;
    cells[column] = trim ? text.trim() : text;
}
function cellProblem(reading, column, columns) {
    if (column < columns.length) {
        return reading.kind === 'problem' ? `column "${columns[column]}": ${reading.problem}` : null;
    }
    if (reading.kind !== 'problem' && reading.text === '')
        return null;
    return `a value in column ${columnLetters(column)}, where the header has no name: expected values only below names`;
}
/** Sheets put together by hand repeat their header; a table of one column may well hold its own name. */
function isHeaderAgain(cells, columns) {
    return columns.length > 1 && columns.every((name, i) => name === cells[i]?.trim());
}
const HEADER_AGAIN = 'the header once more: expected it once, at the top; remove this row';
//# sourceMappingURL=rows.js.map