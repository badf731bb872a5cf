/**
 * What a workbook has beside its sheets' cells (ECMA-376): its sheets, the texts that cells share,
 * and what styles show a number as. What doesn't hang together is refused.
 */
import { posix } from 'node:path';
import { shorten } from '../../../lib/terminal.ts';
import { damaged, tooLarge, WorkbookError } from './error.ts';
import { createRuns, decodeEscapes, MAX_CELL_CHARS } from './text.ts';
import { type Attributes, localName, readXmlDocument, type XmlHandler } from './xml.ts';
import type { Zip } from './zip.ts';

export type Sheet = { readonly name: string; readonly hidden: boolean; readonly part: string };

export type Book = {
  readonly sheets: readonly Sheet[];
  readonly from1904: boolean;
  /** The writer did not calculate: results of formulas are placeholders. */
  readonly uncalculated: boolean;
  readonly stringsPart: string | null;
  readonly stylesPart: string | null;
};

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

/** Each is looked for among all others, and kept. */
const MAX_PARTS = 2_000;

function addTo<T>(list: T[], part: T): void {
  if (list.push(part) > MAX_PARTS) throw tooLarge(`it has more than ${MAX_PARTS} sheets or other parts`);
}

type SheetEntry = { readonly name: string; readonly hidden: boolean; readonly relation: string };

type Contents = { sheets: SheetEntry[]; from1904: boolean; uncalculated: boolean };

async function readContents(zip: Zip, part: string): Promise<Contents> {
  const contents: Contents = { sheets: [], from1904: false, uncalculated: false };
  let root: string | null = null;
  await readXmlDocument(zip.read(part), {
    open(element, attributes) {
      root ??= element;
      if (element === 'sheet') addTo(contents.sheets, sheetOf(attributes));
      if (element === 'workbookPr') contents.from1904 ||= isTrue(attributes.date1904);
      if (element === 'calcPr') contents.uncalculated ||= isTrue(attributes.fullCalcOnLoad);
    },
  });
  if (root !== 'workbook') throw noWorkbook(zip);
  return contents;
}

function sheetOf(attributes: Attributes): SheetEntry {
  const state = attributes.state ?? 'visible';
  // The document chooses the prefix of the relation's namespace.
  const [, relation = ''] = Object.entries(attributes).find(([name]) => localName(name) === 'id') ?? [];
  return { name: decodeEscapes(attributes.name ?? ''), hidden: state !== 'visible', relation };
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function noWorkbook(zip: Zip): WorkbookError {
  const what = OTHERS.find(([part]) => zip.has(part))?.[1] ?? 'is a zip archive without a workbook';
  return new WorkbookError(
    `${what}: expected an Excel workbook (.xlsx), CSV or JSON; save it as .xlsx or as CSV UTF-8`,
  );
}

/** Other zip archives, by a part that only they have. */
const OTHERS: readonly (readonly [part: string, what: string])[] = [
  ['xl/workbook.bin', 'is a binary workbook (.xlsb)'],
  ['word/document.xml', 'is a Word document'],
  ['ppt/presentation.xml', 'is a presentation'],
  ['content.xml', 'is an OpenDocument file (.ods)'],
  ['Index/Document.iwa', 'is a Numbers document'],
  ['xl/workbook.xml', 'is a damaged workbook (nothing points at its workbook part)'],
];

export function chooseSheet(book: Book, wanted: string | undefined): Sheet {
  const { sheets } = book;
  if (sheets.length === 0) throw damaged('it has no sheet with cells');
  const sheet =
    wanted === undefined
      ? (sheets.find(({ hidden }) => !hidden) ?? sheets[0])
      : sheets.find(({ name }) => name === wanted);
  if (sheet !== undefined) return sheet;
  throw new WorkbookError(
    `has no sheet named "${wanted}": expected one of ${namesOf(sheets)}; ` +
      'correct format.sheet, or leave it out for the first sheet',
  );
}

export function namesOf(sheets: readonly Sheet[]): string {
  const names = sheets.slice(0, NAMED).map(({ name }) => `"${shorten(name, NAME_CHARS)}"`);
  const more = sheets.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const NAMED = 20;
const NAME_CHARS = 60;

type Relation = { readonly id: string; readonly kind: string; readonly part: string };

/** `part`: `''` for the workbook. `kind`: the last segment of the type. */
async function readRelations(zip: Zip, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations: Relation[] = [];
  if (!zip.has(name)) return relations;
  await readXmlDocument(zip.read(name), {
    open(element, attributes) {
      const target = attributes.Target;
      if (element !== 'Relationship' || target === undefined) return;
      if (attributes.TargetMode === 'External') return;
      addTo(relations, {
        id: attributes.Id ?? '',
        kind: (attributes.Type ?? '').split('/').at(-1) ?? '',
        part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relations;
}

/** `undefined`: none of that number, or it can't be a cell's text. */
export type SharedStrings = (index: number) => string | undefined;

const MAX_STRINGS_BYTES = 256 * 1024 ** 2;
const MAX_STRINGS = 8_000_000;

/** UTF-16 takes two bytes where UTF-8 takes three. */
const GROWTH = 1.5;

/** One encoded buffer: as strings, a million texts take several times the memory. */
export async function readSharedStrings(zip: Zip, part: string | null): Promise<SharedStrings> {
  if (part === null || !zip.has(part)) return () => undefined;
  const size = zip.sizeOf(part);
  if (size > MAX_STRINGS_BYTES) throw tooLarge(`its texts have ${size} bytes`);
  const table = createTable(Buffer.allocUnsafeSlow(Math.ceil(size * GROWTH)));
  await readXmlDocument(zip.read(part), stringsHandler(table.add));
  return table.get;
}

function createTable(buffer: Buffer): { add(text: string): void; get: SharedStrings } {
  const ends: number[] = [];
  const unusable = new Set<number>();
  let end = 0;
  return {
    add(text) {
      if (text.length > MAX_CELL_CHARS || !text.isWellFormed()) unusable.add(ends.length);
      else end += buffer.write(text, end);
      if (ends.push(end) > MAX_STRINGS) throw tooLarge(`it holds more than ${MAX_STRINGS} different texts`);
    },
    get(index) {
      const to = ends[index];
      if (to === undefined || unusable.has(index)) return undefined;
      return buffer.toString('utf8', ends[index - 1] ?? 0, to);
    },
  };
}

function stringsHandler(add: (text: string) => void): XmlHandler {
  const runs = createRuns();
  let inString = false;
  return {
    open(name) {
      if (name !== 'si') return runs.open(name);
      runs.take();
      inString = true;
    },
    text: (piece) => runs.text(piece),
    close(name) {
      runs.close(name);
      if (name !== 'si' || !inString) return;
      inString = false;
      add(decodeEscapes(runs.take()));
    },
  };
}

/** Of a plain number the fewest digits shown: the format `00000` makes 00017 of 17. */
export type NumberKind = number | 'date' | 'time' | 'duration';

export type StyleKinds = (style: number) => NumberKind | undefined;

/** Without a part of styles every number is a plain one. */
export async function readStyleKinds(zip: Zip, part: string | null): Promise<StyleKinds> {
  const codes = new Map<number, string>();
  const styles: number[] = [];
  if (part === null || !zip.has(part)) return () => 1;
  await readXmlDocument(zip.read(part), stylesHandler(codes, styles));
  const kinds = styles.map((format) => {
    const code = codes.get(format);
    return code === undefined ? (BUILT_IN.get(format) ?? 1) : kindOfCode(code);
  });
  return (style) => (style === 0 && kinds.length === 0 ? 1 : kinds[style]);
}

function numbers(from: number, to: number, kind: NumberKind): readonly (readonly [number, NumberKind])[] {
  return Array.from({ length: to - from + 1 }, (_, i) => [from + i, kind]);
}

/** ECMA-376 part 1, 18.8.30; 27 to 36 and 50 to 58 are East Asian dates. */
const BUILT_IN: ReadonlyMap<number, NumberKind> = new Map([
  ...numbers(14, 17, 'date'),
  ...numbers(18, 21, 'time'),
  ...numbers(22, 22, 'date'),
  ...numbers(27, 31, 'date'),
  ...numbers(32, 35, 'time'),
  ...numbers(36, 36, 'date'),
  ...numbers(45, 45, 'time'),
  ...numbers(46, 46, 'duration'),
  ...numbers(47, 47, 'time'),
  ...numbers(50, 58, 'date'),
]);

function stylesHandler(codes: Map<number, string>, styles: number[]): XmlHandler {
  let inCellStyles = false;
  return {
    open(name, attributes) {
      const format = Number(attributes.numFmtId ?? 0);
      if (name === 'cellXfs') inCellStyles = true;
      if (name === 'numFmt') codes.set(format, attributes.formatCode ?? '');
      if (name === 'xf' && inCellStyles) styles.push(format);
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  };
}

function kindOfCode(code: string): NumberKind {
  const [section = ''] = code.replaceAll(QUOTED, '').split(';');
  if (ELAPSED.test(section)) return 'duration';
  const letters = section.replaceAll(BRACKETS, '').replaceAll(/general|am\/pm|a\/p/gi, '');
  if (/[yd]/i.test(letters)) return 'date';
  if (/[hs]/i.test(letters)) return 'time';
  if (/m/i.test(letters)) return 'date';
  // A format with one of these signs is an amount's.
  return /[#?.,%e]/i.test(letters) ? 1 : (letters.match(/0/g)?.length ?? 1);
}

const QUOTED = /"[^"]*"|\\.|[_*]./gs;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const BRACKETS = /\[[^\]]*\]/g;
