import { strToU8, zipSync } from 'fflate';
import { type Format, formatSchema } from '../../src/config/job-definition.ts';
import type { Row } from '../../src/model/row.ts';
import type { SourceInfo } from '../../src/model/source.ts';
import type { ReadFormat } from '../../src/readers/intake/row-feed.ts';
import { readWorkbook } from '../../src/readers/intake/xlsx/workbook.ts';
import { ownFile } from './folder.ts';

/** What a workbook made by hand differs in from the plainest one. */
export type Making = {
  /** The XML between `<sheetData>` and its end, of the only sheet. */
  readonly data?: string;
  /** What follows `sheetData`. */
  readonly after?: string;
  /** The XML of each shared string's `<si>`. */
  readonly strings?: readonly string[];
  /** The format code of each style. */
  readonly formats?: readonly string[];
  /** What stands in `workbook.xml` beside the sheets. */
  readonly settings?: string;
  /** The attributes of each sheet beside id and relation. */
  readonly sheets?: readonly string[];
  /** Parts that are added or take the place of others; `null` leaves one out. */
  readonly parts?: Parts;
};

type Parts = Readonly<Record<string, string | Uint8Array | null>>;

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A workbook of XML made by hand, for what no library writes. */
export function makeWorkbook(making: Making = {}): Uint8Array {
  return zipOf(partsOf(making));
}

/** A zip archive of texts. */
export function zipOf(parts: Parts, level: 0 | 1 = 1): Uint8Array {
  const files = Object.entries(parts).flatMap(([name, content]) =>
    content === null ? [] : [[name, typeof content === 'string' ? strToU8(content) : content] as const],
  );
  return zipSync(Object.fromEntries(files), { level });
}

/** The parts of a workbook, by name. */
export function partsOf({ data = '', after = '', strings, formats = [], ...making }: Making): Parts {
  const sheets = making.sheets ?? ['name="Sheet1"'];
  const sheetData = `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData>${after}</worksheet>`;
  const table = `<sst>${(strings ?? []).map((si) => `<si>${si}</si>`).join('')}</sst>`;
  return {
    '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns:r="${RELATIONS}">${making.settings ?? ''}<sheets>${sheets
      .map((attributes, i) => `<sheet ${attributes} sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${[
      ...sheets.map((_, i) => relation(`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`)),
      relation('rIdS', 'styles', 'styles.xml'),
      ...(strings === undefined ? [] : [relation('rIdT', 'sharedStrings', '/xl/sharedStrings.xml')]),
    ].join('')}</Relationships>`,
    ...Object.fromEntries(sheets.map((_, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetData])),
    'xl/styles.xml': stylesOf(formats),
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': table }),
    ...making.parts,
  };
}

function relation(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
}

/** Style 0 is a plain number, the others follow. */
function stylesOf(formats: readonly string[]): string {
  const codes = formats.map((code, i) => `<numFmt numFmtId="${i + 200}" formatCode="${escaped(code)}"/>`);
  const styles = formats.map((_, i) => `<xf numFmtId="${i + 200}"/>`);
  return `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

export type Reading = { readonly source: SourceInfo; readonly rows: readonly Row[] };

/** Reads a workbook through the reader. */
export async function readFileOf(
  content: Uint8Array,
  { isNeeded, ...settings }: Partial<ReadFormat> = {},
  name = 'file.xlsx',
): Promise<Reading> {
  const format = { ...formatSchema.parse(settings), ...(isNeeded && { isNeeded }) };
  const rows: Row[] = [];
  let source: SourceInfo | null = null;
  for await (const batch of readWorkbook(await ownFile(content, name), format)) {
    source = batch.source;
    rows.push(...batch.rows);
  }
  if (source === null) throw new Error('the workbook was not understood');
  return { source, rows };
}

/** The cells of a readable row, or `!` and what is wrong with it. */
export function cellsOf(row: Row): readonly string[] | string {
  if (row.kind === 'cells') return row.cells;
  return row.kind === 'unreadable' ? `! ${row.problem}` : row.text;
}

/** The message that reading a workbook ends with, without the path. */
export async function refusalOf(content: Uint8Array, format: Partial<Format> = {}): Promise<string> {
  try {
    await readFileOf(content, format);
  } catch (error) {
    return error instanceof Error
      ? `${error.name}: ${error.message.replace(/\/\S*file\.xlsx/, 'file.xlsx')}`
      : '';
  }
  return 'no error';
}
