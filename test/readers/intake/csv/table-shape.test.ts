import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReadFormat, ShapeError } from '../../../../src/readers/intake/row-feed.ts';
import { brief, readText } from '../read-text.ts';

const HEADER = 'id,name,town,note';
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i + 1));
const whole = (n: number) => `${n},N${n},Leeds,`;
const short = (n: number) => `${n},N${n},Leeds`;
const long = (n: number) => `${n},N${n},Leeds,,`;
const fileOf = (...parts: readonly (readonly string[])[]) => [HEADER, ...parts.flat(), ''].join('\n');

async function refusal(text: string, format: Partial<ReadFormat> = {}): Promise<ShapeError | string> {
  const read = readText(text, { format: { delimiter: ',', header: 1, ...format } });
  return read.then(
    ({ rows }) => `${rows.length} rows`,
    (error: unknown) => (error instanceof ShapeError ? error : String(error)),
  );
}

const PAD = 'set format.short: pad, by which';
const DROP = 'set format.long: drop, by which';

test.each([
  [
    'the last half lacks its last cell',
    fileOf(lines(300, whole), lines(300, short)),
    302,
    PAD,
    { short: 'pad' },
  ],
  ['each has a delimiter too many', fileOf(lines(30, long)), 2, DROP, { long: 'drop' }],
  [
    'some are short and some are long',
    fileOf(lines(30, short), lines(30, long)),
    2,
    'and format.long: drop',
    { short: 'pad', long: 'drop' },
  ],
  [
    'short ones lack different columns',
    fileOf(lines(30, short), lines(30, whole), ['1,2']),
    2,
    'export it again',
    null,
  ],
  [
    'a cell too many has something in it',
    fileOf(
      lines(600, whole),
      lines(90, (n) => `${n},a,b,c,d`),
    ),
    602,
    'export it again',
    null,
  ],
])(
  'a file of which more lines than 20 and than a tenth do not fit is refused with its first: %s',
  async (_, text, line, remedy, settings) => {
    const error = await refusal(text);
    expect(error).toBeInstanceOf(ShapeError);
    expect(String(error)).toContain(`file.csv, line ${line}: `);
    expect(String(error)).toContain(remedy);
    expect(error instanceof ShapeError && error.settings).toEqual(settings);
  },
);

test.each([
  ['20 of 40 lines', fileOf(lines(20, whole), lines(20, short)), '39 rows'],
  ['a tenth of 300 lines', fileOf(lines(270, whole), lines(30, long)), '300 rows'],
  ['a line or two of a small file', fileOf(['1,2', '3,4'], lines(2, whole)), '4 rows'],
])('%s that do not fit refuse no file', async (_, text, rows) => {
  expect(await refusal(text)).toBe(rows);
});

test.each([
  ['in another order', `${HEADER}\n1,A,Leeds,x\nname,id,town,note\nB,2,Hull,x\n`],
  ['without one of them', `${HEADER}\n1,A,Leeds,x\nid,name,town\n2,B,Hull\n`],
  ['with an empty cell and other letters', `${HEADER}\n1,A,Leeds,x\nID,NAME,,\n2,B,Hull,\n`],
  ['with another name among them', `${HEADER}\n1,A,Leeds,x\nid,name,town,taxId\n2,B,Hull,057\n`],
  ['half of them under other names', `${HEADER}\n1,A,Leeds,x\nname,Kunde,note,Ort\nB,2,y,Hull\n`],
])('a line of the names of the header %s refuses the file where it stands', async (_, text) => {
  expect(await refusal(text)).toMatch(
    /^UsageError: file\.csv, line 3: is a second header, with names of that on line 1/,
  );
});

test.each(['1,name,town,x', 'name,A,B,C', ',,name,', 'B,Hull,note,C'])(
  'a line with fewer of its cells named like columns, or with a value, is a row: %s',
  async (line) => {
    const { rows } = await readText(`${HEADER}\n1,A,Leeds,x\n${line}\n`);
    expect(rows.map(({ kind }) => kind)).toEqual(['cells', 'cells']);
  },
);

test('the header once more, name for name, is a row that says so: what follows stands under its names', async () => {
  const { rows } = await readText(`${HEADER}\n1,A,Leeds,x\n\uFEFFid,Name,town ,note\n2,B,Hull,y\n`);
  expect(rows.map(brief)).toEqual([
    '2: 1¦A¦Leeds¦x',
    '3: ! the header once more: expected it once, at the top; remove this row',
    '4: 2¦B¦Hull¦y',
  ]);
});

test('from what looks like a header and has lines of its own width down to the end, another table begins', async () => {
  const other = ['ref,amount', 'R1,5', 'R2,6'];
  const error = await refusal(fileOf(lines(100, whole), other));
  expect(String(error)).toContain(
    'file.csv, line 102: another table, as no line from here on has the 4 cells',
  );
  expect(await refusal(fileOf(lines(100, whole), other, lines(1, whole)))).toBe('103 rows');
  expect(await refusal(fileOf(lines(100, whole), ['5,6', 'R1,5', 'R2,6']))).toBe('102 rows');
});

test('format.short: pad fills what is missing at the end, but for lines of half the cells and for columns that are needed', async () => {
  const format = { short: 'pad', delimiter: ',' } as const;
  const text = fileOf([whole(1), short(2), '3,N3', whole(4)]);
  const { rows } = await readText(text, { format });
  expect(rows.map((row) => (row.kind === 'cells' ? row.cells : row.line))).toEqual([
    ['1', 'N1', 'Leeds', ''],
    3,
    ['4', 'N4', 'Leeds', ''],
  ]);
  const needed = await readText(text, { format: { ...format, isNeeded: (column) => column === 'note' } });
  expect(needed.rows.map(({ kind, line }) => [kind, line])).toEqual([
    ['unreadable', 2],
    ['unreadable', 4],
    ['cells', 5],
  ]);
});

test('format.long: drop leaves out empty cells beyond the header’s, and nothing else', async () => {
  const text = fileOf([whole(1), long(2), '3,N3,Leeds,,,"",', '4,N4,Leeds,, ', '5,N5,Leeds,,,x']);
  const { rows } = await readText(text, { format: { long: 'drop', delimiter: ',' } });
  expect(rows.map((row) => (row.kind === 'cells' ? row.cells : row.line))).toEqual([
    ['1', 'N1', 'Leeds', ''],
    ['2', 'N2', 'Leeds', ''],
    ['3', 'N3', 'Leeds', ''],
    5,
    6,
  ]);
});

test('whatever lines are short, long or good, all of them are counted, or the file is refused', async () => {
  const kind = fc.constantFrom(
    whole,
    short,
    long,
    () => '1,2',
    () => 'x',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(kind, { maxLength: 60 }), async (kinds) => {
      const body = kinds.map((line, i) => line(i + 1));
      const result = await refusal(fileOf(body));
      if (result instanceof ShapeError) return;
      const takes = (line: string) => line.split(',').length < 4;
      const fits = (line: string) => line.split(',').length === 4;
      const taken = body.filter((line, i) => takes(line) && fits(body[i - 1] ?? '')).length;
      expect(result).toBe(`${body.length - taken} rows`);
    }),
    { numRuns: 300 },
  );
});
