import { expect, test } from 'vitest';
import { brief, COMMA, readError, readText } from '../read-text.ts';

const LONG =
  ", with nothing in the last: expected no delimiter in a cell without quotes, nor at the line's end (format.long: drop reads lines that all end with one)";

const READ = [
  [
    'a CR before the line end is text, with quotes in the record and without',
    'a,b\n"1",2\r\r\n3,4\r\r\n',
    ['2: 1¦2\r', '3: 3¦4\r'],
  ],
  ['empty nameless columns at the end are left out', 'a,b,,\n1,2,,\n3,4,,\n', ['2: 1¦2', '3: 3¦4']],
  [
    'a value in a nameless column makes its row unreadable and no other',
    'a;b;;\n1;2;;\n3;4;;x\n5;6; ;\n7;8;;\n',
    [
      '2: 1¦2',
      '3: ! column 4 has no name in the header: expected nothing in it, since a row with a cell too many would look the same; name the column, or correct the row',
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
    ['2: ¦', '3:  ¦', `4: ! 3 cells where the header has 2${LONG}`],
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
    'it has 20001 columns with names of 88895 characters: expected at most 10000',
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
  expect(rows.map(brief)).toEqual([
    '2: 1¦2',
    `3: ! 1000001 cells where the header has 2${LONG}; of its text the first 65536 characters are kept`,
    '4: 3¦4',
  ]);
});

test.each(['x', 'x\n'])('a cell in quotes of more than a million %j costs its own row', async (part) => {
  const text = `a,b\n1,"${part.repeat(1_100_000)}"\n3,4\n`;
  const { rows } = await readText(text, { blocks: [1 << 16] });
  expect(rows.map(({ kind }) => kind)).toEqual(['unreadable', 'cells']);
  expect(rows.map(brief).join()).toContain('2: ! longer than 1048576 characters');
});

test('thousands of rows of separators are no rows', async () => {
  const empty = ',\n'.repeat(5000);
  const read = await readText(`a,b\n1,2\n${empty}3,4\n${empty}`, {
    format: { delimiter: ',' },
    blocks: [999],
  });
  expect(read.rows.map(brief)).toEqual(['2: 1¦2', '5003: 3¦4']);
});
