import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceInfo } from '../model/source.ts';
import { fileBytes } from './open-input.ts';
import type { RowBatch } from './read-rows.ts';
import type { Book, Sheet } from './workbook-book.ts';
import { chooseSheet, readBook } from './workbook-book.ts';
import type { CellContext } from './workbook-cell.ts';
import { refuseCompound } from './workbook-compound.ts';
import { tooLarge, WorkbookError } from './workbook-error.ts';
import { readStyleKinds } from './workbook-formats.ts';
import type { SheetHeader } from './workbook-header.ts';
import { findHeader } from './workbook-header.ts';
import type { SheetLayout } from './workbook-layout.ts';
import { readLayout } from './workbook-layout.ts';
import { notesOf } from './workbook-notes.ts';
import type { RowMaker } from './workbook-rows.ts';
import { createRowMaker } from './workbook-rows.ts';
import type { SheetRow } from './workbook-sheet.ts';
import { sheetHandler } from './workbook-sheet.ts';
import { readSharedStrings } from './workbook-strings.ts';
import { refuseTitleRows, TITLE_ROWS } from './workbook-titles.ts';
import { readXml } from './workbook-xml.ts';
import type { Zip } from './workbook-zip.ts';
import { openZip } from './workbook-zip.ts';

/** It lies in memory as it is, compressed; the sheet of 100,000 rows and twenty columns has 10 MiB. */
const MAX_FILE_BYTES = 128 * 1024 ** 2;

/**
 * The one way from an Excel workbook to rows: the first batch comes without rows as soon as the sheet's header is
 * understood. UsageError where the workbook can't be read as a whole.
 */
export async function* readWorkbook(path: string, format: Format): AsyncGenerator<RowBatch, void, undefined> {
  try {
    const bytes = await readWhole(path);
    refuseCompound(bytes);
    const zip = openZip(bytes);
    const book = await readBook(zip);
    const sheet = chooseSheet(book, format.sheet);
    const context = await readContext(zip, book);
    const layout = await readLayout(zip, sheet.part);
    const notes = notesOf(book, { sheet, layout, wanted: format.sheet });
    yield* readSheet(zip, sheet, { context, layout, notes, format });
  } catch (error) {
    throw error instanceof WorkbookError
      ? new UsageError(`${path}: ${error.message}`, { cause: error })
      : error;
  }
}

/** In memory, so that nothing can change between one part and the next. */
async function readWhole(path: string): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let bytes = 0;
  for await (const block of fileBytes(path)) {
    blocks.push(block);
    bytes += block.length;
    if (bytes > MAX_FILE_BYTES) throw tooLarge(`the file has more than ${MAX_FILE_BYTES} bytes`);
  }
  return Buffer.concat(blocks);
}

async function readContext(zip: Zip, book: Book): Promise<CellContext> {
  const { from1904, uncalculated } = book;
  const kinds = await readStyleKinds(zip, book.stylesPart);
  return { kinds, strings: await readSharedStrings(zip, book.stringsPart), from1904, uncalculated };
}

type Reading = {
  readonly context: CellContext;
  readonly layout: SheetLayout;
  readonly notes: readonly string[];
  readonly format: Format;
};

async function* readSheet(
  zip: Zip,
  sheet: Sheet,
  reading: Reading,
): AsyncGenerator<RowBatch, void, undefined> {
  let reader: { readonly source: SourceInfo; readonly rowsOf: RowMaker } | null = null;
  for await (const rows of rowBlocks(zip, sheet)) {
    if (reader === null) {
      if (reading.format.header === undefined) refuseTitleRows(rows, reading.context);
      const header = findHeader(rows, reading.format.header, reading.context);
      if (header === null) continue;
      reader = readerOf(sheet, header, reading);
      yield { source: reader.source, rows: [] };
    }
    const { source, rowsOf } = reader;
    yield { source, rows: rows.flatMap((row) => (row.line > source.headerLine ? rowsOf(row) : [])) };
  }
  if (reader === null) throw noHeader(sheet, reading.format);
}

/** The rows of a sheet as they come; the first block holds enough of them to tell titles by. */
async function* rowBlocks(zip: Zip, sheet: Sheet): AsyncGenerator<readonly SheetRow[]> {
  const waiting: SheetRow[] = [];
  let isFirst = true;
  const blocks = readXml(
    zip.read(sheet.part),
    sheetHandler((row) => waiting.push(row)),
  );
  for await (const _ of blocks) {
    if (isFirst && waiting.length < TITLE_ROWS) continue;
    isFirst = false;
    yield waiting.splice(0);
  }
  yield waiting.splice(0);
}

function readerOf(
  sheet: Sheet,
  header: SheetHeader,
  { context, layout, notes, format }: Reading,
): { readonly source: SourceInfo; readonly rowsOf: RowMaker } {
  const source = {
    type: 'xlsx' as const,
    encoding: 'utf-8' as const,
    bom: false,
    compression: 'none' as const,
    headerLine: header.line,
    sheet: sheet.name,
    notes: [...notes],
    delimiter: null,
    quote: null,
    columns: [...header.columns],
  };
  return { source, rowsOf: createRowMaker({ ...context, header, layout, trim: format.trim }) };
}

function noHeader(sheet: Sheet, { header }: Format): WorkbookError {
  const where =
    header === undefined ? 'a row of column names' : `column names in row ${header}, as format.header says`;
  return new WorkbookError(
    `has nothing on its sheet "${sheet.name}": expected ${where}; name another sheet under format.sheet, or export the data again`,
  );
}
