import { damaged, otherFile, WorkbookError } from './workbook-error.ts';
import { readRelations } from './workbook-relations.ts';
import type { Attributes } from './workbook-sax.ts';
import { decodeEscapes } from './workbook-text.ts';
import { readXmlDocument } from './workbook-xml.ts';
import type { Zip } from './workbook-zip.ts';

/** A sheet with cells; charts and macro sheets are none. */
export type Sheet = { readonly name: string; readonly hidden: boolean; readonly part: string };

/** What a workbook consists of, before any of its cells is read. */
export type Book = {
  readonly sheets: readonly Sheet[];
  /** Days are counted from 1904 instead of 1900. */
  readonly from1904: boolean;
  /** The program that wrote it didn't calculate: results of formulas are placeholders. */
  readonly uncalculated: boolean;
  readonly stringsPart: string | null;
  readonly stylesPart: string | null;
};

type SheetEntry = { readonly name: string; readonly hidden: boolean; readonly relation: string };
type Contents = { sheets: SheetEntry[]; from1904: boolean; uncalculated: boolean };

/** Reads what a workbook consists of; WorkbookError where the archive holds none. */
export async function readBook(zip: Zip): Promise<Book> {
  const main = (await readRelations(zip, '')).find(({ kind }) => kind === 'officeDocument');
  if (main === undefined || !zip.has(main.part) || main.part.endsWith('.bin')) throw noWorkbook(zip);
  const relations = await readRelations(zip, main.part);
  const { sheets, ...contents } = await readContents(zip, main.part);
  const partOf = (wanted: string) => relations.find(({ kind }) => kind === wanted)?.part ?? null;
  return {
    ...contents,
    sheets: sheets.flatMap(({ name, hidden, relation }) => {
      const target = relations.find(({ id, kind }) => id === relation && kind === 'worksheet');
      return target === undefined ? [] : [{ name, hidden, part: target.part }];
    }),
    stringsPart: partOf('sharedStrings'),
    stylesPart: partOf('styles'),
  };
}

async function readContents(zip: Zip, part: string): Promise<Contents> {
  const contents: Contents = { sheets: [], from1904: false, uncalculated: false };
  let root: string | null = null;
  await readXmlDocument(zip.read(part), {
    open(element, attributes) {
      root ??= element;
      if (element === 'sheet') contents.sheets.push(sheetOf(attributes));
      if (element === 'workbookPr') contents.from1904 ||= isTrue(attributes.get('date1904'));
      if (element === 'calcPr') contents.uncalculated ||= isTrue(attributes.get('fullCalcOnLoad'));
    },
    text() {},
    close() {},
  });
  if (root !== 'workbook') throw noWorkbook(zip);
  return contents;
}

function sheetOf(attributes: Attributes): SheetEntry {
  const state = attributes.get('state') ?? 'visible';
  return {
    name: decodeEscapes(attributes.get('name') ?? ''),
    hidden: state !== 'visible',
    relation: attributes.getPrefixed('id') ?? '',
  };
}

/** An xsd:boolean. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** Other things that come as zip archives, by a part that only they have. */
const OTHERS: readonly (readonly [part: string, what: string])[] = [
  ['xl/workbook.bin', 'is a binary workbook (.xlsb)'],
  ['word/document.xml', 'is a Word document'],
  ['ppt/presentation.xml', 'is a presentation'],
  ['content.xml', 'is an OpenDocument file (.ods)'],
  ['Index/Document.iwa', 'is a Numbers document'],
  ['xl/workbook.xml', 'is a damaged workbook (nothing points at its workbook part)'],
];

function noWorkbook(zip: Zip): WorkbookError {
  return otherFile(OTHERS.find(([part]) => zip.has(part))?.[1] ?? 'is a zip archive without a workbook');
}

/** The sheet of that name, else the first one that is not hidden. */
export function chooseSheet(book: Book, wanted: string | undefined): Sheet {
  const { sheets } = book;
  if (sheets.length === 0) throw damaged('it has no sheet with cells');
  const sheet =
    wanted === undefined
      ? (sheets.find(({ hidden }) => !hidden) ?? sheets[0])
      : sheets.find(({ name }) => name === wanted);
  if (sheet !== undefined) return sheet;
  const names = sheets.map(({ name }) => `"${name}"`).join(', ');
  throw new WorkbookError(
    `has no sheet named "${wanted}": expected one of ${names}; correct format.sheet, or leave it out for the first sheet`,
  );
}
