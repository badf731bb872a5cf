import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/lib/usage-error.ts';
import type { Row } from '../../../../src/model/row.ts';
import { brief, COMMA, readText } from '../read-text.ts';

const STRAY = 'a quote in the middle of a cell';
const TAKEN = (record: number, by: number) =>
  `; line ${by} may be the rest of the record of line ${record}, so neither is read: put quotes around a cell of several lines or, if that record is whole, complete line ${by} or take it out`;
const short = (row: Row) => brief(row).replace(/(middle of a cell): [^;]*/, '$1');

const MISFITS = [
  [
    'too few cells: the record before may go on there',
    'a,b,c\n1,2,3\n4,5,6\n7,8\n9,8,7\n',
    ['2: 1¦2¦3', `3: ! lines 3 to 4: 2 cells where the header has 3${TAKEN(3, 4)}`, '5: 9¦8¦7'],
  ],
  [
    'too few cells below the header: there is no record before',
    'a,b,c\n1,2\n4,5,6\n',
    ['2: ! 2 cells where the header has 3', '3: 4¦5¦6'],
  ],
  [
    'too many cells next to each other are rows of their own, and take no record',
    'id,name,to\nC-0,a,b\nC-1,Acme, Ltd,GB\nC-2,Foo, Inc,US\nC-3,Bar,FR\n',
    [
      '2: C-0¦a¦b',
      '3: ! 4 cells where the header has 3',
      '4: ! 4 cells where the header has 3',
      '5: C-3¦Bar¦FR',
    ],
  ],
  [
    'another delimiter from some row on: only the first takes a record',
    'a,b,c\n0,0,0\n1,2,3\nx;y;z\nu;v;w\n4;5;6,5\n',
    [
      '2: 0¦0¦0',
      `3: ! lines 3 to 4: 1 cell where the header has 3${TAKEN(3, 4)}`,
      '5: ! 1 cell where the header has 3',
      '6: ! 2 cells where the header has 3',
    ],
  ],
  [
    'the first takes the record above it, whatever empty lines lie between; the others stand alone',
    'a,b,c\n1,2,3\n\nTotal\n\nPrinted\n4,5,6\n,,\n \n7\n',
    [
      `2: ! lines 2 to 4: 1 cell where the header has 3${TAKEN(2, 4)}`,
      '6: ! 1 cell where the header has 3',
      `7: ! lines 7 to 10: 1 cell where the header has 3${TAKEN(7, 10)}`,
    ],
  ],
  [
    'a damaged line with too few cells takes the record above it, too',
    'a,b,c\n1,2,3\n,,\nTotal "5"\n4,5,6\n',
    [`2: ! lines 2 to 4: ${STRAY}${TAKEN(2, 4)}`, '5: 4¦5¦6'],
  ],
  [
    'below a row with too many cells a short one takes nothing',
    'a,b,c\n1,2,3\n1,2,3,4\nrest\n4,5,6\n',
    ['2: 1¦2¦3', '3: ! 4 cells where the header has 3', '4: ! 1 cell where the header has 3', '5: 4¦5¦6'],
  ],
  [
    'a record of several lines that has too few cells',
    'a,b,c\n1,2,3\n"4\n1,2,3",5\n6,7,8\n',
    [`2: ! lines 2 to 4: 2 cells where the header has 3${TAKEN(2, 3)}`, '5: 6¦7¦8'],
  ],
  [
    'a second table of one row',
    'a,b\n1,2\n3,4\n5,6\nref,amount,sum\nR1,5,GBP\n',
    [
      '2: 1¦2',
      '3: 3¦4',
      '4: 5¦6',
      '5: ! 3 cells where the header has 2',
      '6: ! 3 cells where the header has 2',
    ],
  ],
] as const;

const OPEN_QUOTES = [
  [
    'unescaped quotes on the first line of a cell of several lines',
    'a,b\n"one "two" three\nfoo,bar\n\nend",GB\n3,4\n"5","6"\n',
    [`2: ! lines 2 to 5: ${STRAY}`, '6: 3¦4', '7: 5¦6'],
  ],
  [
    'unescaped quotes over several lines, below a record that they may belong to',
    'a,b\n1,2\n"one\nthe "best" one\nfoo,bar\nend",GB\n3,4\n',
    [`2: ! lines 2 to 6: ${STRAY}${TAKEN(2, 3)}`, '7: 3¦4'],
  ],
  [
    'a space before the opening quote of a cell of several lines',
    'a,b\n1, "one\nfoo,bar\nbaz,qux\nend"\n3,4\n',
    [`2: ! lines 2 to 5: ${STRAY}`, '6: 3¦4'],
  ],
  [
    'unescaped quotes further down, and a cell too many',
    'a,b\n"one\nfoo,bar\nthe "best" one\nend",GB,x\n3,4\n',
    [`2: ! lines 2 to 5: ${STRAY}`, '6: 3¦4'],
  ],
  [
    'line breaks in a quoted cell behind the damage',
    'a,b\n1,2\nx"y,"m\nfoo,bar\nz"\n3,4\n',
    ['2: 1¦2', `3: ! lines 3 to 5: ${STRAY}`, '6: 3¦4'],
  ],
  [
    'a cell too many behind such a cell',
    'a,b\n1,2\nx"y,"m\nfoo,bar\nz",extra\n"3","4"\n',
    ['2: 1¦2', `3: ! lines 3 to 5: ${STRAY}`, '6: 3¦4'],
  ],
  [
    'a quote too many before the opening quote of a cell of several lines',
    'a,b,c\n"1"","x\nfoo,bar,baz\nend","2"\n3,4,5\n',
    [`2: ! lines 2 to 4: ${STRAY}`, '5: 3¦4¦5'],
  ],
  [
    'a separator missing before a cell of several lines',
    'a,b,c\n1,GB"x\nfoo,bar,baz\nend",2\n3,4,5\n',
    [`2: ! lines 2 to 4: ${STRAY}`, '5: 3¦4¦5'],
  ],
  [
    'an opening quote missing in a cell of several lines',
    'a,b,c\n1,x\nfoo,bar,baz\nend",2\n3,4,5\n',
    ['2: ! 2 cells where the header has 3', `3: ! lines 3 to 4: ${STRAY}${TAKEN(3, 4)}`, '5: 3¦4¦5'],
  ],
  [
    'a closing quote missing in a cell of several lines',
    'a,b,c\n1,"x\nfoo,bar,baz\nend,2\n"3","4","5"\n',
    [`2: ! lines 2 to 4: ${STRAY}`, '5: 3¦4¦5'],
  ],
  [
    'a closing quote missing where a good record has the rest of the cells',
    'a,b,c\n1,"x\nend,2,"3"\n"4","5","6"\n',
    [`2: ! lines 2 to 3: ${STRAY}`, '4: 4¦5¦6'],
  ],
  [
    'a closing quote missing on a whole line: those below are rows',
    'a,b,c\n1,"x, y,2\nfoo,bar,baz\n"3","4","5"\n',
    [`2: ! ${STRAY}`, '3: foo¦bar¦baz', '4: 3¦4¦5'],
  ],
  [
    'a closing quote missing, and no other quote in the file but far below',
    `a,b\n"1,x\n${'2,y\n'.repeat(60)}z,pipe 5" long\n`,
    [`2: ! ${STRAY}`, ...Array.from({ length: 60 }, (_, i) => `${i + 3}: 2¦y`), `63: ! ${STRAY}`],
  ],
  [
    'a closing quote missing, and a line below that does not fit: those between may be inside, each of them',
    'a,b\n"1,x\n2,y\nonly\n3,z\n"4","u"\n',
    [
      `2: ! ${STRAY}`,
      '3: ! below line 2, which leaves a quote open: this line may be inside; correct the quotes there',
      '4: ! 1 cell where the header has 2',
      '5: 3¦z',
      '6: 4¦u',
    ],
  ],
  [
    'inch signs: those below are rows',
    'a,b\n5" pipe,x\nfoo,bar\n6" pipe,x\n3,4\n',
    [`2: ! ${STRAY}`, '3: foo¦bar', `4: ! ${STRAY}`, '5: 3¦4'],
  ],
] as const;

describe.each([
  ['lines that do not fit', MISFITS],
  ['lines that may be inside open quotes', OPEN_QUOTES],
] as const)('%s are no rows', (_, cases) => {
  test.each<readonly [string, string, readonly string[]]>([...cases])('%s', async (_, text, rows) => {
    for (const blocks of [[1 << 20], [1], [2, 7]]) {
      for (const written of [text, text.replaceAll('\n', '\r\n')]) {
        const read = await readText(written, { blocks, format: { delimiter: ',', header: 1 } });
        expect(read.rows.map(short)).toEqual(rows);
        expect(read.rows.map(({ row }) => row)).toEqual(rows.map((_, i) => i + 1));
      }
    }
  });
});

test('the text of an unreadable row has its lines and the record that was taken; where it is cut, that is said', async () => {
  const { rows } = await readText('a,b\n1,2\n"x\ny",2\n3\n4,5\n', COMMA);
  expect(rows.map((row) => (row.kind === 'unreadable' ? row.text : row.kind))).toEqual([
    'cells',
    '"x\ny",2\n3',
    'cells',
  ]);
  const long = await readText(`a,b\n${'only '.repeat(20_000)}\n3,4\n`, COMMA);
  expect(long.rows.map(brief)).toEqual([
    '2: ! 1 cell where the header has 2; of its text the first 65536 characters are kept',
    '3: 3¦4',
  ]);
  expect(long.rows[0]?.kind === 'unreadable' && long.rows[0].text.length).toBe(65_536);
});

/** A damaged line below each other that opens a quote which nothing closes, has cells too many, or too few. */
test.each(['"Foo Ltd,x', '"The "Best" Ltd",GB', 'a,b,c', 'only', '5" pipe,x', 'x,"y'])(
  'however many lines like %j stand together, each is counted',
  async (line) => {
    const good = Array.from({ length: 600 }, (_, i) => `${i},good`);
    const text = ['a,b', ...good, ...Array<string>(60).fill(line), '7,"8"', ''].join('\n');
    const { rows } = await readText(text, { format: { delimiter: ',', header: 1 } });
    const counted = rows.length - (line === 'only' ? 0 : 1);
    expect(rows.filter(({ kind }) => kind === 'unreadable').length).toBe(60);
    expect(counted).toBe(660);
  },
);

const HEADER = 'Ref;Name;Country;Note';
const REAL = ['A-1;Acme Ltd;GB;none', 'A-2;Müller & Söhne;DE;', 'A-3;"Łódź; Dom";PL;late', 'A-4;東京;JP;x'];
const FOOTERS = [
  ...['Total: 4', 'Total;4', 'Total;;4', ';;4', 'Summe;;;4', '(4 rows)', '4', '*** END ***', '--', '# end'],
  ...['"Total rows";"4"', '"Report ""A"""', 'Total "gross";4', 'Size 5"', '5" pipes; 4', '=SUM(D2:D5)', ';'],
  ...['Confidential; do not distribute', 'Printed by A; B; C; D; E', 'https://x.example/?a=1;b=2', '\u001a'],
  ...['Sum;1\nAverage;2', 'Total;4\n\nPrinted on 2026-01-01', 'Page 1\nPage 2\nPage 3', '<EOF>', 'TRL;4;0'],
  ...[
    '"Two\nlines"',
    '"Two; cells"',
    'Übertrag;;;',
    'Rows: 4; errors: 0; warnings: 0; notes: 0; x',
    '"4" rows',
  ],
];

describe.each(FOOTERS)('below a table, the footer %j', (footer) => {
  test.each([
    ['directly', ''],
    ['after an empty line', '\n'],
    ['after a line of separators', ';;;\n'],
  ])('%s: no real row is lost without being named', async (_, between) => {
    const text = `${[HEADER, ...REAL].join('\n')}\n${between}${footer}\n`;
    const { rows } = await readText(text, { format: { delimiter: ';' } });
    const read = rows.filter(({ kind }) => kind === 'cells').map(({ line }) => line);
    const named = rows.flatMap((row) => (row.kind === 'unreadable' ? [row.problem] : []));
    const lost = REAL.map((_, i) => i + 2).filter((line) => !read.includes(line));
    expect(lost.every((line) => named.some((words) => words.includes(`record of line ${line}, so`)))).toBe(
      true,
    );
    expect(lost).toEqual(lost.filter((line) => line === 5));
    expect(rows.filter(({ line }) => line > 5 && !named.length)).toEqual(
      rows.filter((row) => row.line > 5 && row.kind === 'cells'),
    );
  });
});

/** Writers that leave a line break in a last cell without quotes, by how they end a record and break a cell. */
const WRITERS = [
  ['LF in a file of LF', '\n', '\n', (cell: string) => cell],
  ['CRLF in a file of CRLF', '\r\n', '\r\n', (cell: string) => cell],
  ['LF in a file of CRLF', '\r\n', '\n', (cell: string) => cell],
  ['CR in a file of CR', '\r', '\r', (cell: string) => cell],
  [
    'LF and quotes around cells with separators alone',
    '\n',
    '\n',
    (c: string) => (c.includes(',') ? `"${c}"` : c),
  ],
] as const;

test.each(WRITERS)(
  'a last cell that was written with a break and no quotes (%s) is never sent cut',
  async (_, end, lineBreak, quoted) => {
    const cell = fc.stringMatching(/^[a-z ]{1,8}$/);
    const part = fc.stringMatching(/^[a-z][a-z ]{0,7}$/);
    const last = fc
      .tuple(fc.array(fc.oneof(part, cell), { maxLength: 3 }), part)
      .map(([all, one]) => [...all, one]);
    const table = fc.array(fc.tuple(cell, fc.oneof(cell, fc.constant('x, y')), last), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, async (records) => {
        const lines = records.map(([a, b, parts]) => [a, quoted(b), parts.join(lineBreak)].join(','));
        const text = ['id,name,note', ...lines].join(end) + end;
        const { rows } = await readOrRefused(text);
        const whole = new Set(
          records.flatMap(([a, b, parts]) => (parts.length === 1 ? [`${a}¦${b}¦${parts}`] : [])),
        );
        const read = rows.flatMap((row) => (row.kind === 'cells' ? [row.cells.join('¦')] : []));
        expect(read.filter((cells) => !whole.has(cells))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  },
);

/** A file that is refused has no rows: none of it is sent. */
async function readOrRefused(text: string): Promise<{ readonly rows: readonly Row[] }> {
  return readText(text, { format: { delimiter: ',', header: 1 } }).catch((error: unknown) => {
    if (error instanceof UsageError) return { rows: [] };
    throw error;
  });
}

test.each([
  ['one break', 'one\ntwo'],
  ['two breaks', 'one\ntwo\nthree'],
  ['three breaks', 'one\ntwo\nthree\nfour'],
  ['an empty line', 'one\n\ntwo'],
  ['an empty line and a comma', 'one\n\ntwo, three\nfour'],
])('of a last cell with %s and no quotes nothing is read as a record', async (_, cell) => {
  const { rows } = await readText(`id,name,note\n1,A,whole\n2,B,${cell}\n3,C,whole\n`, COMMA);
  const read = rows.flatMap((row) => (row.kind === 'cells' ? [row.cells[0]] : []));
  expect(read).toEqual(['1', '3']);
  const lines = cell.split('\n').filter((line) => line !== '').length;
  expect(rows.filter(({ kind }) => kind === 'unreadable').length).toBe(lines - 1);
});
