import { expect, test } from 'vitest';
import { formatSchema } from '../../../../src/config/job-definition.ts';
import { openRows } from '../../../../src/readers/intake/rows.ts';
import { brief, COMMA, readError, readText } from '../read-text.ts';

const STRAY = (cell: number) =>
  `! a quote in the middle of a cell: expected quotes only around a whole cell, and doubled inside it (cell ${cell})`;

const FILES = [
  ['a file cut off between CR and LF ends there', 'a,b\r\n1,2\r', ['2: 1¦2']],
  ['CRLF and LF may be mixed', 'a,b\n1,2\r\n3,4\n', ['2: 1¦2', '3: 3¦4']],
  ['a lone CR ends records where the header ends with one', 'a,b\r1,2\r3,4\r', ['2: 1¦2', '3: 3¦4']],
  ['a lone CR elsewhere belongs to its cell', 'a,b\n1,2\r3\n', ['2: 1¦2\r3']],
  ['a lone CR before the last character is no blank line', 'a\n1\n\r2', ['2: 1', '3: \r2']],
  ['blank lines are no rows, but lines', '\n\na,b\n\n1,2\n\r\n\n3,4\n\n', ['5: 1¦2', '8: 3¦4']],
  ['a line of white space is an empty one', 'a,b\n  \n1,2\n \t\n', ['3: 1¦2']],
  ['a line of spaces is a row of a one-column file', 'a\n  \n1\n', ['2:   ', '3: 1']],
  ['cells of spaces and empty cells stay', 'a,b\n ,\n,\n" x ",y \n', ['2:  ¦', '4:  x ¦y ']],
  ['a quoted empty cell is a row of a one-column file', 'a\n""\n', ['2: ']],
  ['a header alone has no rows', 'a,b\n', []],
  ['a leading quote sign stays', "a,b\n'1,''2\n", ["2: '1¦''2"]],
  [
    'too many cells make the row unreadable and nothing else',
    'a,b\n1,2\n1,2,3\n4,5\n',
    ['2: 1¦2', '3: ! 3 cells where the header has 2', '4: 4¦5'],
  ],
] as const;

test.each(FILES)('%s', async (_, text, rows) => {
  const { rows: read } = await readText(text, COMMA);
  expect(read.map(brief)).toEqual(rows);
  expect(read.map((row) => row.row)).toEqual(rows.map((_, i) => i + 1));
});

const DAMAGED = [
  { name: 'a quote in an unquoted cell', bad: '5" pipe,x', cell: 1 },
  { name: 'a quote at the end of an unquoted cell', bad: 'x,pipe 5"', cell: 2 },
  { name: 'text after a closing quote', bad: '"abc"d,e', cell: 1 },
  { name: 'unescaped quotes in a quoted cell', bad: '"The "Best, oldest" Ltd",GB', cell: 1 },
  { name: 'a space before an opening quote', bad: 'x, "y"', cell: 2 },
  { name: 'a space after a closing quote', bad: '"x" ,y', cell: 1 },
  { name: 'a second damaged cell', bad: '"a"b,"c"d', cell: 1 },
  { name: 'a quoted cell left open behind the damage', bad: '"a"b,"', cell: 1 },
] as const;

test.each(DAMAGED)(
  '$name makes its row unreadable, and rows of several lines around it are exact',
  async ({ bad, cell }) => {
    const after = '"3","4\n\ny"';
    const { rows } = await readText(`a,b\n"1\nx","2"\n${bad}\n${after}\n${after}\n`, COMMA);
    expect(rows.map(brief)).toEqual(['2: 1\nx¦2', `4: ${STRAY(cell)}`, '5: 3¦4\n\ny', '8: 3¦4\n\ny']);
    expect(rows[1]).toMatchObject({ kind: 'unreadable', row: 2, text: bad });
  },
);

test('when a closing quote is missing, the damage ends with that line if the next quote opens a good row', async () => {
  const { rows } = await readText('a,b\n1,2\n"Acme,GB\nFoo,US\n"Bar",FR\n"Baz",DE\n', COMMA);
  expect(rows.map(brief)).toEqual(['2: 1¦2', `3: ${STRAY(1)}`, '4: Foo¦US', '5: Bar¦FR', '6: Baz¦DE']);
});

const UNENDED = expect.stringContaining('The last line has no line end');

test.each([
  ['a,b\n1,2\n3,4', [UNENDED]],
  ['a,b\r\n1,2\r\n3,4', [UNENDED]],
  ['a,b\r1,2\r3,4', [UNENDED]],
  ['a,b\n1,2\n3,4\n', []],
  ['a,b\r1,2\r3,4\r', []],
  ['a,b\n1,2', []],
])('%j: a last line without an end is noted where the others have one', async (text, notes) => {
  for (const blocks of [[1 << 20], [1], [2, 3]]) {
    expect((await readText(text, { blocks })).source?.notes).toEqual(notes);
  }
  const wide = await readText(Buffer.from(text, 'utf16le'), { format: { encoding: 'utf-16le' } });
  expect(wide.source?.notes).toEqual(notes);
});

test('NDJSON needs no line end at its end', async () => {
  expect((await readText('{"a":1}\n{"a":2}\n{"a":3}', { path: 'f.ndjson' })).source?.notes).toEqual([]);
});

test('when the definition says trim, spaces around cells go, also outside and inside quotes', async () => {
  const { rows } = await readText('a;b\n  x ; " y;z " \n\t;\u00A0\n   \n;z\n', { format: { trim: true } });
  expect(rows.map(brief)).toEqual(['2: x¦y;z', '5: ¦z']);
});

test('a row longer than a record may be is unreadable, its text is bounded, and the file goes on', async () => {
  const long = 'x'.repeat(1_100_000);
  const { rows } = await readText(`a,b\n${long},1\n"q\n2",${long}\n3,4\n`, COMMA);
  expect(rows.map(brief)).toEqual([
    '2: ! longer than 1048576 characters: expected a shorter record; of its text the first 65536 characters are kept',
    '3: ! lines 3 to 4: longer than 1048576 characters: expected a shorter record; of its text the first 65536 characters are kept',
    '5: 3¦4',
  ]);
  expect(rows[0]?.kind === 'unreadable' && rows[0].text.length).toBe(65_536);
});

test('any number of blank lines may follow the header', async () => {
  const { rows } = await readText(`a,b\n${'\n'.repeat(300_000)}1,2\n`, {
    format: { delimiter: ',' },
    blocks: [70_000],
  });
  expect(rows.map(brief)).toEqual(['300002: 1¦2']);
});

const REFUSED = [
  ['a file of blank lines and a byte order mark', '\uFEFF\n \n', 'is empty'],
  ['a prototype as a column', 'a,__proto__\n', 'column 2 is named "__proto__"'],
  ['a prototype in a path', 'a,x.constructor.y\n', 'column 2 is named "x.constructor.y"'],
  ['a prototype in brackets', 'a,x[prototype]\n', 'column 2 is named "x[prototype]"'],
  ['a stray quote in the header', 'a,b"c\n1,2\n', 'line 1: the header has a quote in the middle'],
  ['a quote never closed', 'a,b\n1,2\n"3\n,4\n5,6\n', 'the quote opened on line 3 is not closed'],
  ['a quote never closed in a later line of its record', 'a,b\n"1\n2","3\n', 'opened on line 3'],
  ['a quote never closed in the header', 'a,"b\n1,2\n', 'line 1: the header has a quote that is not closed'],
  ['NUL bytes', 'a,b\n1,\u00002\n', 'byte 7 is NUL'],
  ['a header without end', `a,${'b'.repeat(300_000)}\n`, 'the header has no end'],
];

test.each(REFUSED)('%s is refused', async (_, text, message) => {
  expect(await readError(text, COMMA)).toContain(message);
});

test('an unclosed quote in a large file is refused before the file has been read to its end', async () => {
  let blocks = 0;
  async function* endless() {
    for (; ; blocks += 1) yield Buffer.from(blocks === 0 ? 'a,b\n"1,2\n' : 'x,y\n'.repeat(16_384));
  }
  const read = async () => {
    for await (const _ of openRows('file.csv', formatSchema.parse({ delimiter: ',' }), endless()));
  };
  await expect(read()).rejects.toThrow('the quote opened on line 2 is not closed');
  expect(blocks).toBeLessThan(64);
});
