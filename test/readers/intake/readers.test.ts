/** What holds for every format, one that is added, too: the same records come out of each. */
import { readdirSync, readlinkSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Format, formatSchema } from '../../../src/config/job-definition.ts';
import type { Row } from '../../../src/model/row.ts';
import { readChunks } from '../../../src/readers/intake/chunks.ts';
import { readSample, surveyFile } from '../../../src/readers/intake/survey.ts';
import { ownFile } from '../../support/folder.ts';
import { makeWorkbook, zipOf } from '../../support/workbook.ts';

type Cells = readonly string[];

type Reader = {
  /** The file's name. */
  readonly name: string;
  readonly settings?: Partial<Format>;
  readonly head: (columns: Cells) => string;
  readonly record: (cells: Cells, columns: Cells, i: number) => string;
  readonly tail?: string;
  readonly pack?: (text: string) => string | Uint8Array;
  /** What may not be in one record: it is unreadable then. */
  readonly tooMuch: (record: string) => string;
  /** How a file that ends too early is refused, with the line where lines are known then; `row`: it costs the last row. */
  readonly torn: RegExp | 'row';
  /** Why a file of other columns is not told from the first one. */
  readonly columnsAreFree?: 'each record names its own';
  /** Where rows have lines that are not those of a text. */
  readonly line?: (row: number) => number;
};

const COLUMNS = ['id', 'name', 'note'];

const separated = (delimiter: string): Pick<Reader, 'head' | 'record' | 'tooMuch' | 'torn'> => {
  const cellOf = (cell: string) => (/^$|[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lineOf = (cells: Cells) => `${cells.map(cellOf).join(delimiter)}\n`;
  return {
    head: lineOf,
    record: lineOf,
    tooMuch: (record) => record.replace('\n', `${delimiter}x\n`),
    torn: /the quote opened on line 9 is not closed/,
  };
};
const CSV = separated(',');

const object = (cells: Cells, columns: Cells) =>
  JSON.stringify(Object.fromEntries(cells.map((cell, i) => [columns[i], cell])));
const twice = (record: string) => record.replace('{', '{"id":"0",');
const listed = {
  record: (cells: Cells, columns: Cells, i: number) => (i === 0 ? '' : ',\n') + object(cells, columns),
};
const FREE = 'each record names its own';

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '&#10;');
const sheetRow = (cells: Cells, line: number) =>
  `<row r="${line}">${cells
    .map(
      (cell, i) =>
        `<c r="${'ABCD'.charAt(i)}${line}" t="inlineStr"><is><t xml:space="preserve">${xml(cell)}</t></is></c>`,
    )
    .join('')}</row>`;

const READERS: readonly Reader[] = [
  { name: 'a.csv', ...CSV },
  { name: 'a.tsv', ...separated('\t') },
  { name: 'a.txt', settings: { delimiter: ';' }, ...separated(';') },
  { name: 'a.csv.gz', ...CSV, pack: (text) => gzipSync(text), torn: /cut off|unexpected end/ },
  { name: 'a.zip', ...CSV, pack: (text) => zipOf({ 'table.csv': text }), torn: /zip/ },
  {
    name: 'a.json',
    head: () => '[',
    ...listed,
    tail: '\n]\n',
    tooMuch: twice,
    torn: /line 7, column \d+: broken JSON/,
    columnsAreFree: FREE,
  },
  {
    name: 'nested.json',
    settings: { records: '/data/items' },
    head: () => '{"data":{"items":[\n',
    ...listed,
    tail: ']}}',
    tooMuch: twice,
    torn: /line 8, column \d+: broken JSON/,
    columnsAreFree: FREE,
  },
  {
    name: 'a.ndjson',
    head: () => '',
    record: (cells, columns) => `${object(cells, columns)}\n`,
    tooMuch: twice,
    torn: 'row',
    columnsAreFree: FREE,
  },
  {
    name: 'a.xlsx',
    head: (columns) => sheetRow(columns, 1),
    record: (cells, _, i) => sheetRow(cells, i + 2),
    pack: (data) => makeWorkbook({ data }),
    tooMuch: (record) => record.replace(/<c r="C\d+".*?<\/c>/, (cell) => cell + cell.replace('C', 'D')),
    torn: /workbook|zip/,
    line: (row) => row + 1,
  },
];

const RECORDS: readonly Cells[] = [
  ['K1', 'Acme', 'plain'],
  ['K2', '', 'an empty cell'],
  ['K3', 'The "Best" Ltd', '"'],
  ['K4', 'two\nlines', 'a, b; c\td'],
  ['K5', 'Jörg Ðorđević 株式会社 😀', 'é'],
  ['00012345678901234567890', '007', '1.0'],
  ['K7', ' spaces ', 'ends "here" too'],
];

/** A name may promise what nothing can be, and a workbook without cells has a sheet. */
const NOTHING = /is empty|has nothing on its sheet|is not compressed|is no Excel workbook/;

/** More than one block of a file; some are of two lines. */
const MANY = Array.from({ length: 4_500 }, (_, i) => [
  `K${i}`,
  i % 10 === 0 ? `two\nlines ${i}` : `Company number ${i}`,
  'some text of a length'.padEnd(40, '.'),
]);

describe.each(READERS)('the reader of $name', (reader) => {
  const { name, head, record, tail = '', pack = (text) => text } = reader;
  const format = formatSchema.parse(reader.settings ?? {});

  const partsOf = (records: readonly Cells[], columns: Cells) => [
    head(columns),
    ...records.map((cells, i) => record(cells, columns, i)),
  ];
  const write = (records: readonly Cells[], columns: Cells = COLUMNS) =>
    pack(partsOf(records, columns).join('') + tail);

  async function read(content: string | Uint8Array, chunkRows = 500) {
    const path = await ownFile(content, name);
    const facts = await surveyFile(path, format);
    return { path, facts, ...(await again(path, facts.source, chunkRows)) };
  }

  async function again(path: string, source: Parameters<typeof readChunks>[1], chunkRows = 500) {
    const sizes: number[] = [];
    const rows: Row[] = [];
    for await (const chunk of readChunks(path, source, format, { chunkRows, chunkEnds: null })) {
      expect(chunk.n).toBe(sizes.push(chunk.rows.length));
      rows.push(...chunk.rows);
    }
    return { rows, sizes };
  }

  /** Number and line of each row. */
  function placesOf(records: readonly Cells[]): Pick<Row, 'row' | 'line'>[] {
    let line = 1;
    return partsOf(records, COLUMNS).flatMap((part, row) => {
      const [before = ''] = /^,?\n?/.exec(part) ?? [];
      const place = { row, line: reader.line?.(row) ?? line + lineEnds(before) };
      line += lineEnds(part);
      return row === 0 ? [] : [place];
    });
  }

  test.each([
    ['of any content', RECORDS, [7]],
    ['over several blocks', MANY, [...Array<number>(64).fill(70), 20]],
  ])('gives records %s as they are, in their places, once, and the same again', async (_, records, sizes) => {
    const { path, facts, ...first } = await read(write(records), 70);
    expect(first.rows.map(cellsOf)).toEqual(records);
    expect(first.rows.map(({ row, line }) => ({ row, line }))).toEqual(placesOf(records));
    expect(first.sizes).toEqual(sizes);
    expect([facts.rows, facts.source.columns]).toEqual([records.length, COLUMNS]);
    expect(await again(path, facts.source, 70)).toEqual(first);
    expect((await readSample(path, format, 3)).rows).toEqual(first.rows.slice(0, 3));
  });

  test('loses the row alone whose record has too much', async () => {
    const parts = partsOf(RECORDS, COLUMNS);
    const { rows } = await read(pack(parts.with(1, reader.tooMuch(parts[1] ?? '')).join('') + tail));
    expect(rows.map(({ kind }) => kind === 'unreadable')).toEqual(RECORDS.map((_, i) => i === 0));
    expect(rows.slice(1).map(cellsOf)).toEqual(RECORDS.slice(1));
  });

  test('refuses a file that breaks off, or loses its last row', async () => {
    const content = Buffer.from(write(RECORDS));
    const reading = read(content.subarray(0, content.length - 5));
    if (reader.torn === 'row')
      expect((await reading).rows.at(-1)).toMatchObject({ kind: 'unreadable', row: 7 });
    else
      await expect(reading).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(reader.torn),
      });
  });

  test('refuses an empty file', async () => {
    for (const content of ['', pack('')])
      await expect(read(content)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(NOTHING),
      });
  });

  test('notices a file that changes while it is read, or is another one at the next reading', async () => {
    const { path, facts } = await read(write(RECORDS));
    const touching = { begin: () => utimesSync(path, 1, 1), see: () => undefined };
    await expect(surveyFile(path, format, touching)).rejects.toThrow(/changed while/);
    const { columnsAreFree } = reader;
    await writeFile(
      path,
      columnsAreFree === undefined ? write(RECORDS, COLUMNS.toReversed()) : 'id,name\n1,x\n',
    );
    await expect(again(path, facts.source)).rejects.toMatchObject({ name: 'UsageError' });
  });

  test.runIf(process.platform === 'linux')('closes a file that is not read on', async () => {
    const { path, facts } = await read(write(MANY));
    for await (const { n } of readChunks(path, facts.source, format)) {
      expect(openFiles(path)).toBe(1);
      if (n === 2) break;
    }
    await readSample(path, format, 3);
    expect(openFiles(path)).toBe(0);
  });
});

function lineEnds(text: string): number {
  return text.split('\n').length - 1;
}

function cellsOf(row: Row): unknown {
  if (row.kind === 'cells') return row.cells;
  return row.kind === 'record' ? Object.values(JSON.parse(row.text)) : row.problem;
}

/** Descriptors of this process on that file. */
function openFiles(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => linkOf(fd) === path).length;
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // The descriptor that listed the folder is closed by now.
    return '';
  }
}
