import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brief, COMMA, readError, readText } from '../read-text.ts';

const READ = [
  ['empty nameless columns at the end are left out', 'a,b,,\n1,2,,\n3,4,,\n', ['2: 1¦2', '3: 3¦4']],
  [
    'a value in a nameless column makes its row unreadable and no other',
    'a;b;;\n1;2;;\n3;4;;x\n5;6; ;\n7;8;;\n',
    [
      '2: 1¦2',
      '3: ! column 4 has no name in the header: expected nothing in it, since a row with a separator too many would look the same; name the column, or correct the row',
      expect.stringMatching(/^4: ! column 3 has no name in the header: /),
      '5: 7¦8',
    ],
  ],
  [
    'a row without the empty cells of nameless columns has too few',
    'a,b,,\n1,2\n',
    ['2: ! 2 cells where the header has 4'],
  ],
  ['rows of separators at the end are left out', 'a,b\n1,2\n,\n,\n\n,', ['2: 1¦2']],
  ['rows of separators in the middle are passed over', 'a,b\n,\n\n,\n1,2\n,\n', ['5: 1¦2']],
  ['separators before a damaged row are passed over', 'a,b\n,\nx\n', ['3: ! 1 cell where the header has 2']],
  [
    'an empty row that is quoted, has spaces or another number of cells stays a row at the end too',
    'a,b\n"",""\n ,\n,,\n',
    ['2: ¦', '3:  ¦', '4: ! 3 cells where the header has 2'],
  ],
  [
    'the header once more in the middle is no row',
    'a,b\n1,2\na,b\n3,4\na,2\n',
    [
      '2: 1¦2',
      '3: ! the header once more: expected it once, at the top; remove this row',
      '4: 3¦4',
      '5: a¦2',
    ],
  ],
  [
    'rows with another delimiter from some row on are unreadable, with text in them or values',
    'a,b,c\n1,2,3\nx;y;z\nu;v;w\n4;5;6,5\n7;8;9,5\n',
    [
      '2: 1¦2¦3',
      '3: ! 1 cell where the header has 3',
      '4: ! 1 cell where the header has 3',
      '5: ! 2 cells where the header has 3',
      '6: ! 2 cells where the header has 3',
    ],
  ],
  [
    'rows with a separator too many next to each other stay rows',
    'id,name,country\nC-1,Acme, Ltd,GB\nC-2,Foo, Inc,US\nC-3,Bar,FR\n',
    ['2: ! 4 cells where the header has 3', '3: ! 4 cells where the header has 3', '4: C-3¦Bar¦FR'],
  ],
] as const;

test('a file whose line ends were converted twice (CR CR LF) is read like one with blank lines', async () => {
  const { rows } = await readText('a,b\r\r\n1,2\r\r\n3,4\r\r\n', COMMA);
  expect(rows.map(brief)).toEqual(['3: 1¦2', '5: 3¦4']);
});

test.each(READ)('%s', async (_, text, rows) => {
  for (const blocks of [[1 << 20], [1], [3, 5]]) {
    const read = await readText(text, { blocks, format: { delimiter: text.includes(';\n') ? ';' : ',' } });
    expect(read.rows.map(brief)).toEqual(rows);
    expect(read.rows.map((row) => row.row)).toEqual(rows.map((_, i) => i + 1));
  }
});

const TWO_TABLES = [
  ['after a blank line', 'a,b\n1,2\n\nref,amount,currency\nR1,5,GBP\n', 4],
  ['without a blank line', 'a,b\n1,2\n3,4\nref,amount,currency\nR1,5,GBP\n', 4],
  ['of fewer columns', 'a,b,c\n1,2,3\n\nref,amount\nR1,5\n', 4],
  ['after a line of one cell', 'a,b\n1,2\n\nTotals\nref,amount,sum\nR1,5,6\n', 5],
  ['of nothing but text', 'a,b\n1,2\nx,y,z\nf,g,h\nj,k,l\nm,n,o\n', 3],
  ['with a header of several lines', 'a,b\n"1\n2",2\n"re\nf",amount,sum\nR1,5,6\n', 4],
] as const;

test.each([
  ['of as many columns', 'id,sum\n1,2\n\nref,amount\n7,5\n', 4],
  ['that begins with a line break in quotes', 'id,sum\n1,2\n\n"re\nf",amount\n7,5\n', 4],
] as const)('a second table %s after a blank line is refused with its line', async (_, text, line) => {
  expect(await readError(text, COMMA)).toContain(
    `file.csv, line ${line}: a second table seems to begin here: after a blank line,`,
  );
});

const NO_SECOND_HEADER = [
  ['words after a blank line among words', 'id,sum\na,b\n\nref,amount\nc,d\n'],
  ['words among values without a blank line', 'id,sum\n1,2\nref,amount\n7,5\n'],
  ['words among values where every line has a blank one', 'id,sum\n\n1,2\n\nref,amount\n\n7,5\n'],
  ['words of which one is in another row', 'id,sum,to\n1,2,GB\n\nref,amount,GB\n7,5,FR\n'],
  ['words at the end', 'id,sum\n1,2\n\nref,amount\n'],
  ['words with a value', 'id,sum\n1,2\n\nref,5\n7,5\n'],
];

test.each(NO_SECOND_HEADER)('%s are rows', async (_, text) => {
  const { rows } = await readText(text, COMMA);
  expect(rows.map(({ kind }) => kind)).toEqual(rows.map(() => 'cells'));
});

test('tables of random words are never refused as two, wherever blank lines stand', async () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 1, maxLength: 6 });
  const line = fc.option(fc.tuple(word, word, word), { nil: null });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
      const text = lines.map((cells) => cells?.join(',') ?? '').join('\n');
      const { rows } = await readText(`id,name,to\n${text}\n`, COMMA);
      expect(rows).toHaveLength(lines.filter((cells) => cells !== null).length);
    }),
    { numRuns: 200 },
  );
});

const ABOVE = [
  ['of more columns', 'id,name,to\nA,b,c\nB,d,e\n\nTotals\nref,sum,by,at\n1,2,x,3\n', 6, false],
  ['below one of two columns', 'id;name\n1;b\n2;c\nref;sum;by\n1;2;x\n2;3;y\n3;3;z\n', 4, true],
] as const;

test.each(ABOVE)(
  'a second table %s, both in sight from the start, is no header below titles',
  async (_, text, line, unless) => {
    const error = await readError(text);
    expect(error).toMatch(
      new RegExp(`^UsageError: file\\.csv, line ${line}: a second table seems to begin here`),
    );
    expect(error).toContain('put each table into a file of its own');
    expect(error.includes(`set format.header: ${line}`)).toBe(unless);
  },
);

test.each(TWO_TABLES)('of a second table %s of another width no row is readable', async (_, text, line) => {
  const { rows } = await readText(text, { format: { delimiter: ',', header: 1 } });
  const below = rows.filter((row) => row.line >= line);
  expect(below.map(({ kind }) => kind)).toEqual(below.map(() => 'unreadable'));
  expect(below.length).toBeGreaterThan(1);
});

test('a header loses every kind of invisible sign at the ends of its names, and none inside', async () => {
  const { source } = await readText(
    '\u200B a\u00A0,\u2007b\u00A0c\u200D,\u202Fd\u2060\uFEFF,\u00A0\u200B\n1,2,3,\n',
  );
  expect(source?.columns).toEqual(['a', 'b\u00A0c', 'd']);
});

test.each([
  [
    'in front, as the index of a data frame',
    ',a,b\n0,x,y\n1,z,w\n',
    ['', 'a', 'b'],
    ['2: 0¦x¦y', '3: 1¦z¦w'],
  ],
  ['in the middle', 'a,\u00A0,c\n1,2,3\n', ['a', '', 'c'], ['2: 1¦2¦3']],
  ['in the middle, and shared ones', 'a,,a,b\n1,,3,4\n', ['a', '', 'a', 'b'], ['2: 1¦¦3¦4']],
])('columns without a name %s are read like the others', async (_, text, columns, rows) => {
  const read = await readText(text, COMMA);
  expect(read.source?.columns).toEqual(columns);
  expect(read.rows.map(brief)).toEqual(rows);
});

const HEADERS = [
  [
    'a report’s column twice, also where the names differ in what cannot be seen',
    'onboard_row,b,\u00A0onboard_row\u200B\n1,2,3\n',
    'line 1: columns 1 and 3 are both named "onboard_row"',
  ],
  ['no name at all', ',,\n1,2,3\n', 'the header has no names: expected the name of a column'],
  [
    'ten thousand columns too many',
    `${Array.from({ length: 20_001 }, (_, i) => i).join(',')}\n`,
    'the header has 20001 columns: expected at most 10000',
  ],
  ['a million columns', `${'a,'.repeat(1_000_000)}b\n`, 'the header has no end within 262144'],
];

test.each(HEADERS)('%s is refused', async (_, text, message) => {
  const error = await readError(text, COMMA);
  expect(error).toContain(message);
  expect(error.split('\n').length).toBeLessThanOrEqual(20);
});

test('a row of a million cells is unreadable and the rows around it are exact', async () => {
  const { rows } = await readText(`a,b\n1,2\n${','.repeat(1_000_000)}\n3,4\n`, COMMA);
  expect(rows.map(brief)).toEqual(['2: 1¦2', '3: ! 1000001 cells where the header has 2', '4: 3¦4']);
});

test('thousands of rows of separators are no rows, and a note counts those that a row follows', async () => {
  const empty = ',\n'.repeat(5000);
  const format = { delimiter: ',' };
  const atEnd = await readText(`a,b\n1,2\n${empty}`, { format, blocks: [999] });
  expect([atEnd.rows.length, atEnd.source?.notes]).toEqual([1, []]);
  const within = await readText(`a,b\n1,2\n${empty}3,4\n`, { format, blocks: [999] });
  expect(within.rows.map(({ row, line }) => [row, line])).toEqual([
    [1, 2],
    [2, 5003],
  ]);
  expect(within.source?.notes).toEqual([
    '5000 rows of nothing but separators passed over, on line 3 and below.',
  ]);
});

const DOUBT = (line: number) =>
  `! may be a part of the record of line ${line}, whose quotes don't pair up: expected quotes only around a whole cell, and doubled inside it`;
const STRAY = '! a quote in the middle of a cell';

const DOUBTFUL = [
  [
    'unescaped quotes on the first line of a cell of several lines',
    'a,b\n1,2\n"one "two" three\nfoo,bar\n\nend",GB\n3,4\n"5","6"\n',
    ['2: 1¦2', `3: ${STRAY}`, `4: ${DOUBT(3)}`, `6: ${DOUBT(3)}`, '7: 3¦4', '8: 5¦6'],
  ],
  [
    'a space before the opening quote of a cell of several lines',
    'a,b\n1, "one\nfoo,bar\nend"\n3,4\n',
    [`2: ${STRAY}`, `3: ${DOUBT(2)}`, `4: ${DOUBT(2)}`, '5: 3¦4'],
  ],
  [
    'unescaped quotes further down, and a cell too many',
    'a,b\n"one\nfoo,bar\nthe "best" one\nend",GB,x\n3,4\n',
    [`2: ${STRAY}`, `3: ${DOUBT(2)}`, `4: ${DOUBT(2)}`, `5: ${DOUBT(2)}`, '6: 3¦4'],
  ],
  [
    'a closing quote that is missing before plain rows and a good quoted one (no doubt)',
    'a,b\n"one "two" three,x\nfoo,bar\n"5","6"\n',
    [`2: ${STRAY}`, '3: foo¦bar', '4: 5¦6'],
  ],
  [
    'a closing quote missing in a cell of several lines',
    'a,b,c\n1,"x\nfoo,bar,baz\nend,2\n"3","4","5"\n',
    [`2: ${STRAY}`, `3: ${DOUBT(2)}`, `4: ${DOUBT(2)}`, '5: 3¦4¦5'],
  ],
  [
    'a closing quote missing in a last cell of several lines',
    'a,b\n1,"x\nfoo,bar\nend\n"3","4"\n',
    [`2: ${STRAY}`, `3: ${DOUBT(2)}`, `4: ${DOUBT(2)}`, '5: 3¦4'],
  ],
  [
    'a closing quote missing in a whole line with separators in the cell (no doubt)',
    'a,b,c\n1,"x, y,2\nfoo,bar,baz\n"3","4","5"\n',
    [`2: ${STRAY}`, '3: foo¦bar¦baz', '4: 3¦4¦5'],
  ],
  [
    'an opening quote missing in a cell of several lines',
    'a,b,c\n1,x\nfoo,bar,baz\nend",2\n3,4,5\n',
    [
      '2: ! 2 cells where the header has 3',
      '3: ! may be a line of a cell that begins on line 2 without a quote: expected quotes around a cell of several lines',
      `4: ${STRAY}`,
      '5: 3¦4¦5',
    ],
  ],
  [
    'a quote too many before the opening quote of a cell of several lines',
    'a,b,c\n"1"","x\nfoo,bar,baz\nend","2"\n3,4,5\n',
    [`2: ${STRAY}`, `3: ${DOUBT(2)}`, `4: ${DOUBT(2)}`, '5: 3¦4¦5'],
  ],
  [
    'a separator missing before a cell of several lines',
    'a,b,c\n1,GB"x\nfoo,bar,baz\nend",2\n3,4,5\n',
    [`2: ${STRAY}`, `3: ${DOUBT(2)}`, `4: ${DOUBT(2)}`, '5: 3¦4¦5'],
  ],
  [
    'a row with too few cells before good ones and a damaged one (no doubt)',
    'a,b,c\n1,2\nfoo,bar,baz\nx,y,5" pipe\n3,4,5\n',
    ['2: ! 2 cells where the header has 3', '3: foo¦bar¦baz', `4: ${STRAY}`, '5: 3¦4¦5'],
  ],
  [
    'an inch sign (no doubt)',
    'a,b\n5" pipe,x\nfoo,bar\n6" pipe,x\n3,4\n',
    [`2: ${STRAY}`, '3: foo¦bar', `4: ${STRAY}`, '5: 3¦4'],
  ],
] as const;

test.each(DOUBTFUL)('lines that may be inside a damaged record are no rows: %s', async (_, text, rows) => {
  for (const blocks of [[1 << 20], [1], [2, 7]]) {
    for (const written of [text, text.replaceAll('\n', '\r\n')]) {
      const read = await readText(written, { blocks, format: { delimiter: ',' } });
      expect(read.rows.map((row) => brief(row).replace(/(middle of a cell): .*/, '$1'))).toEqual(rows);
    }
  }
});
