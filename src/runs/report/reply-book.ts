/**
 * `reply.xlsx`: a sheet with the sum, and one with the rows to correct in the partner's own
 * columns. Every cell is a text, exactly as it stood in his file, and none is a formula. Columns by
 * which the rows are known again are hidden.
 */
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import writeWorkbook, { type CellObject } from 'write-excel-file/node';
import { UsageError } from '../../lib/usage-error.ts';

type ReplyBook = {
  readonly sum: { readonly sheet: string; readonly lines: readonly string[] };
  readonly rows: ReplyRows;
};

type ReplyRows = {
  readonly sheet: string;
  readonly columns: readonly string[];
  /** From this column on they are hidden. */
  readonly hiddenFrom: number;
  readonly rows: readonly ReplyRow[];
};

export type ReplyRow = {
  readonly cells: readonly string[];
  /** Positions of cells to correct. */
  readonly wrong: ReadonlySet<number>;
};

/** As Excel has it. */
const CELL_CHARACTERS = 32_767;
/** The whole workbook is in memory. */
const MOST_CELLS = 2_000_000;

/** A UsageError where a workbook can't hold the rows. */
export async function writeReply({ sum, rows }: ReplyBook): Promise<Buffer> {
  refuseLarge(rows);
  const text = { type: String, format: '@' } as const;
  const passage = createPassage(rows);
  const cellOf = (value: string): CellObject =>
    value === '' ? text : { ...text, value: passage.into(value) };
  const wrap = { wrap: true, alignVertical: 'top' } as const;
  const header = rows.columns.map((name) => ({ ...cellOf(name), fontWeight: 'bold' as const }));
  const body = rows.rows.map(({ cells, wrong }) =>
    cells.map((cell, at) => {
      const plain = at === rows.hiddenFrom - 1 ? { ...cellOf(cell), ...wrap } : cellOf(cell);
      return wrong.has(at) ? { ...plain, backgroundColor: WRONG } : plain;
    }),
  );
  const sheets = [
    {
      sheet: sum.sheet,
      data: sum.lines.map((line) => [{ ...cellOf(line), ...wrap }]),
      columns: [{ width: SUM_WIDTH }],
    },
    {
      sheet: rows.sheet,
      data: [header, ...body],
      columns: rows.columns.map((name, at) => ({ width: widthOf(name, at === rows.hiddenFrom - 1) })),
      stickyRowsCount: 1,
    },
  ];
  const bytes = await writeWorkbook(sheets, { features: [hidesFrom(rows.hiddenFrom)] }).toBuffer();
  const parts = unzipSync(bytes);
  const texts = passage.outOf(strFromU8(parts[TEXTS] ?? new Uint8Array()));
  return Buffer.from(zipSync({ ...parts, [TEXTS]: strToU8(texts) }));
}

const WRONG = '#ffd9b3';
const SUM_WIDTH = 90;
const [NARROW, WIDE, OF_WORDS] = [12, 40, 70];

function widthOf(name: string, isOfWords: boolean): number {
  return isOfWords ? OF_WORDS : Math.min(WIDE, Math.max(NARROW, name.length + 2));
}

/** The library has no setting for it. */
function hidesFrom(first: number): Feature {
  return {
    files: {
      transform: {
        'xl/worksheets/sheet{id}.xml': {
          transformElementAttributes: (tag, attributes, index = 0, _, { sheetIndex }) =>
            tag === 'col' && sheetIndex === 1 && index >= first ? { ...attributes, hidden: 1 } : attributes,
        },
      },
    },
  };
}

const TEXTS = 'xl/sharedStrings.xml';

type Feature = NonNullable<NonNullable<Parameters<typeof writeWorkbook>[1]>['features']>[number];

function refuseLarge({ columns, rows }: ReplyRows): void {
  if (columns.length * rows.length > MOST_CELLS)
    throw new UsageError(
      `The rows to correct have more than ${MOST_CELLS} cells: ` +
        'so many are no single mistakes. Expected a corrected ' +
        'job definition (`onboard try`), or the whole file again.',
    );
  const isLong = ({ cells }: ReplyRow) => cells.some((cell) => encoded(cell).length > CELL_CHARACTERS);
  if (rows.some(isLong))
    throw new UsageError(
      `A row has a cell of more than ${CELL_CHARACTERS} signs, and no workbook holds it: expected ` +
        'the partner to correct failed.csv or rejected.csv.',
    );
}

/** What XML can't hold, and what would be taken for such a sign: ECMA-376, ST_Xstring. */
const ENCODED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that it can't hold.
  /_(?=x[0-9a-f]{4}_)|[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Cs}/giu;
/** What the library leaves out, though XML can hold it. */
const LEFT_OUT = /[\u007f-\u0084\u0086-\u009f\ufffd]|\p{Noncharacter_Code_Point}/gu;

function encoded(text: string): string {
  return text.replace(ENCODED, (sign) => `_x${hexOf(sign).padStart(4, '0')}_`);
}

function hexOf(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).toUpperCase();
}

/** Takes texts past the library as they are. */
function createPassage(rows: ReplyRows) {
  const all = [rows.columns, ...rows.rows.map(({ cells }) => cells)].flat().join('');
  const mark = signs(0xe000, 0xf8ff).find((sign) => !all.includes(sign)) ?? '';
  const marked = (sign: string) => mark + hexOf(sign) + mark;
  const back = new RegExp(`${mark}([0-9A-F]+)${mark}`, 'g');
  return {
    into(text: string): string {
      const whole = encoded(text).replace(LEFT_OUT, marked);
      // The library finds texts in a plain object, which has these names from the start.
      return whole in Object.prototype ? whole.replace(/^./, marked) : whole;
    },
    outOf: (xml: string) =>
      xml.replace(back, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
  };
}

function signs(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => String.fromCharCode(first + i));
}
