/**
 * The front door to Excel workbooks: chooses a sheet and gives the rows below its header. A
 * WorkbookError leaves as a UsageError with the file's path.
 */
import type { Format } from '../../../config/job-definition.ts';
import { countOf } from '../../../lib/terminal.ts';
import { REPORT_ROW_COLUMN, type ReadingChoice, type SourceInfo } from '../../../model/source.ts';
import { headerBelow, headerChoices, type SampleRecord, titleProblem } from '../column-names.ts';
import { openRegular } from '../file.ts';
import { ChoiceError, type ReadFormat, type RowBatch, SOURCE_DEFAULTS } from '../row-feed.ts';
import {
  type Book,
  chooseSheet,
  namesOf,
  readBook,
  readSharedStrings,
  readStyleKinds,
  type Sheet,
} from './book.ts';
import { type CellContext, readCell } from './cell.ts';
import { WorkbookError } from './error.ts';
import { createLengthLook } from './number-lengths.ts';
import { createRowMaker, findHeader, isVisible, type RowMaker } from './rows.ts';
import { readLayout, type SheetLayout, type SheetRow, sheetHandler } from './sheet.ts';
import { createSwapLook } from './swapped-dates.ts';
import { readXml } from './xml.ts';
import { openZip, type Zip } from './zip.ts';

/**
 * The first batch has no rows and comes as soon as the header is understood. UsageError where the
 * workbook can't be read as a whole.
 */
export async function* readWorkbook(path: string, format: ReadFormat): AsyncGenerator<RowBatch, void> {
  const file = await openRegular(path);
  try {
    const zip = await openZip(file.fd);
    const book = await readBook(zip);
    const context = await readContext(zip, book);
    const rowsOf = (one: Sheet) => rowBlocks(zip, one, context);
    const report = await reportSheet(book, rowsOf);
    const sheet = report ?? chooseSheet(book, format.sheet);
    const layout = await readLayout(zip, sheet.part);
    if (report !== null) return yield* readSheet(rowsOf(sheet), reportReading(book, sheet, layout, format));
    const notes = notesOf(book, sheet, layout, format.sheet);
    await refuseOtherSheet(sheet, book, format, rowsOf);
    yield* readSheet(rowsOf(sheet), { book, sheet, layout, notes, format });
  } catch (error) {
    throw error instanceof WorkbookError
      ? new ChoiceError(`${path}: ${error.message}`, error.choices, { cause: error })
      : error;
  } finally {
    await file.close();
  }
}

/** Whether a zip archive is a workbook whose rows say that they were rows of earlier runs. */
export async function isReportBook(path: string): Promise<boolean> {
  return (await lookInto(path, async (book, rowsOf) => (await reportSheet(book, rowsOf)) !== null)) ?? false;
}

/** The sheets of a workbook that have rows, each with the names of its columns; elsewhere none. */
export async function sheetChoices(path: string): Promise<readonly ReadingChoice[]> {
  const choices = await lookInto(path, async ({ sheets }, rowsOf) => {
    const found: ReadingChoice[] = [];
    for (const sheet of sheets.slice(0, SHEETS_OFFERED)) {
      const rows = await firstRows(rowsOf(sheet));
      const [header = null] = headerAndTitle(rows) ?? textRows(rows);
      const shows = header?.cells.filter((cell) => cell !== '') ?? [];
      if (shows.length > 0) found.push({ setting: 'sheet', value: sheet.name, shows });
    }
    return found;
  });
  return choices ?? [];
}

const SHEETS_OFFERED = 20;

/** `null`: it is no workbook that could be read. */
async function lookInto<T>(path: string, look: (book: Book, rowsOf: RowsOf) => Promise<T>) {
  const file = await openRegular(path);
  try {
    const zip = await openZip(file.fd);
    const book = await readBook(zip);
    const context = await readContext(zip, book);
    return await look(book, (one) => rowBlocks(zip, one, context));
  } catch (error) {
    if (error instanceof WorkbookError) return null;
    throw error;
  } finally {
    await file.close();
  }
}

type RowsOf = (sheet: Sheet) => AsyncIterable<readonly SheetRow[]>;

/** Whatever the definition says of the partner's own workbooks; `null`: there is none. */
async function reportSheet({ sheets }: Book, rowsOf: RowsOf): Promise<Sheet | null> {
  for (const one of sheets) {
    const [header] = await firstRows(rowsOf(one));
    if (header !== undefined && textsOf(header).includes(REPORT_ROW_COLUMN)) return one;
  }
  return null;
}

/** Of a sheet that nobody may want: what is wrong with it is told only where it is read. */
async function firstRows(blocks: AsyncIterable<readonly SheetRow[]>): Promise<readonly SheetRow[]> {
  try {
    for await (const rows of blocks) return rows.filter(({ cells }) => cells.some(isVisible));
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
  }
  return [];
}

/** It has no title rows, and columns that it hides are its own. */
function reportReading(book: Book, sheet: Sheet, layout: SheetLayout, format: Format): SheetReading {
  const { header: _, sheet: _sheet, ...plain } = format;
  return { book, sheet, layout, notes: [], format: plain };
}

async function readContext(zip: Zip, book: Book): Promise<CellContext> {
  const { from1904, uncalculated } = book;
  const kinds = await readStyleKinds(zip, book.stylesPart);
  return { kinds, strings: await readSharedStrings(zip, book.stringsPart), from1904, uncalculated };
}

/** WorkbookError where only other sheets have columns that the job needs. */
async function refuseOtherSheet(
  sheet: Sheet,
  { sheets }: Book,
  { sheet: wanted, isNeeded }: ReadFormat,
  rowsOf: RowsOf,
): Promise<void> {
  if (wanted !== undefined || isNeeded === undefined) return;
  const having: Sheet[] = [];
  for (const one of sheets) {
    for await (const rows of rowsOf(one)) {
      if (rows.some((row) => textsOf(row).some(isNeeded))) having.push(one);
      break; // A header stands among the first rows.
    }
  }
  if (having[0] === undefined || having.includes(sheet)) return;
  const words = `has no column that the job needs on its sheet ${namesOf([sheet])}; sheet ${namesOf(having)} has them`;
  throw new WorkbookError(`${words}: set format.sheet: ${JSON.stringify(having[0].name)}`);
}

type SheetReading = {
  readonly book: Book;
  readonly sheet: Sheet;
  readonly layout: SheetLayout;
  readonly notes: readonly string[];
  readonly format: Format;
};

async function* readSheet(
  blocks: AsyncIterable<readonly SheetRow[]>,
  reading: SheetReading,
): AsyncGenerator<RowBatch, void, undefined> {
  const { book, sheet, layout, notes, format } = reading;
  const sheets = book.sheets.map(({ name }) => name).filter(({ length }) => length <= LONGEST_NAME);
  const hidden: number[] = [];
  const swaps = createSwapLook();
  const lengths = createLengthLook();
  let reader: { readonly source: SourceInfo; readonly rowsOf: RowMaker } | null = null;
  for await (const rows of blocks) {
    if (reader === null) {
      if (format.header === undefined) refuseTitleRows(rows);
      const header = findHeader(rows, format.header);
      if (header === null) continue;
      const { line: headerLine, columns } = header;
      const found = { type: 'xlsx' as const, sheet: sheet.name, sheets, headerLine };
      const source = { ...SOURCE_DEFAULTS, ...found, notes: [...notes], columns: [...columns] };
      reader = { source, rowsOf: createRowMaker({ header, layout, format, hidden }) };
      yield { source, rows: [] };
    }
    const { source, rowsOf } = reader;
    rows.forEach(swaps.see);
    rows.forEach(lengths.see);
    yield { source, rows: rows.flatMap((row) => (row.line > source.headerLine ? rowsOf(row) : [])) };
  }
  if (reader === null) throw noHeader(reading);
  const swapped = swaps.found();
  const found = swapped.length === 0 ? reader.source : { ...reader.source, swapped };
  const known = { ...found, uneven: lengths.found() };
  yield { source: { ...known, notes: [...notes, ...hiddenNotes(hidden, reading)] }, rows: [] };
}

function hiddenNotes(hidden: readonly number[], { sheet, format }: SheetReading): readonly string[] {
  if (hidden.length === 0) return [];
  const first = hidden.slice(0, HIDDEN_SHOWN).join(', ') + (hidden.length > HIDDEN_SHOWN ? ' …' : '');
  const found = `${countOf(hidden.length, 'hidden or filtered row')} (${first})`;
  if (format.hidden === undefined) {
    throw new WorkbookError(
      `has ${found} on its sheet "${sheet.name}": expected to be told what becomes ` +
        'of such rows; set format.hidden: send, or format.hidden: skip, or unhide them',
      {},
      ['send', 'skip'].map((value) => ({ setting: 'hidden', value, shows: [] })),
    );
  }
  const note = `${found}: ${format.hidden === 'send' ? 'read like the others' : 'left out'}, as format.hidden says`;
  return [note];
}

const HIDDEN_SHOWN = 5;
/** Excel's limit; they are kept with the run. */
const LONGEST_NAME = 31;

async function* rowBlocks(zip: Zip, sheet: Sheet, context: CellContext): AsyncGenerator<readonly SheetRow[]> {
  const waiting: SheetRow[] = [];
  let isFirst = true;
  const blocks = readXml(
    zip.read(sheet.part),
    sheetHandler(
      (cell) => readCell(cell, context),
      (row) => waiting.push(row),
    ),
  );
  for await (const _ of blocks) {
    if (isFirst && waiting.length < TITLE_ROWS) continue;
    isFirst = false;
    yield waiting.splice(0);
  }
  yield waiting.splice(0);
}

function noHeader({ book, sheet, format: { header } }: SheetReading): WorkbookError {
  const where =
    header === undefined ? 'a row of column names' : `column names in row ${header}, as format.header says`;
  return new WorkbookError(
    `has nothing on its sheet "${sheet.name}": expected ${where}; set ` +
      `format.sheet where another sheet is meant, of ${namesOf(book.sheets)}`,
  );
}

/** What may surprise the workbook's sender; names of sheets, no cell values. */
function notesOf(
  book: Book,
  sheet: Sheet,
  layout: SheetLayout,
  wanted: string | undefined,
): readonly string[] {
  const others = book.sheets.filter((other) => other !== sheet);
  const notes: string[] = [];
  if (wanted === undefined && others.length > 0) {
    notes.push(`only the sheet ${namesOf([sheet])} is read, not ${namesOf(others)}`);
  }
  if (layout.hidesColumns) notes.push('hidden columns are read like the others');
  return notes;
}

const TITLE_ROWS = 100;

/** Columns that count when looking for titles; rows are padded to the widest. */
const MAX_WIDTH = 1000;

/** WorkbookError where the first row has few cells and one below looks like a header. */
function refuseTitleRows(rows: readonly SheetRow[]): void {
  const found = headerAndTitle(rows);
  if (found === null) return;
  const [header, title] = found;
  throw new WorkbookError(titleProblem('row', title.line, header.line), {}, headerChoices(header, title));
}

function textRows(rows: readonly SheetRow[]): readonly SampleRecord[] {
  return rows
    .slice(0, TITLE_ROWS)
    .map((row) => ({ line: row.line, cells: textsOf(row) }))
    .filter(({ cells }) => cells.length > 0);
}

/** `null`: the first row may well be the header. */
function headerAndTitle(
  rows: readonly SheetRow[],
): readonly [header: SampleRecord, title: SampleRecord] | null {
  const read = textRows(rows);
  const [first] = read;
  if (first === undefined) return null;
  const width = Math.max(2, ...read.map(({ cells }) => cells.length));
  // A title may stand anywhere in its row, perhaps over the middle of the table.
  const title = { line: first.line, cells: first.cells.filter((cell) => cell !== '') };
  const header = headerBelow(
    [title, ...read.slice(1)].map(({ line, cells }) => ({ line, cells: padded(cells, width) })),
  );
  return header === null ? null : [header, title];
}

function textsOf({ cells }: SheetRow): readonly string[] {
  const texts: string[] = [];
  for (const cell of cells.filter(isVisible)) {
    // An unreadable cell is no name, but it is not empty.
    if (cell.column < MAX_WIDTH) texts[cell.column] = cell.kind === 'problem' ? '0' : cell.text.trim();
  }
  return Array.from(texts, (text = '') => text);
}

function padded(cells: readonly string[], width: number): readonly string[] {
  return [...cells, ...new Array<string>(width - cells.length).fill('')];
}
