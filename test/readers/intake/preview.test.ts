import { expect, test } from 'vitest';
import { previewLines } from '../../../src/readers/intake/preview.ts';
import { readText } from './read-text.ts';

async function preview(content: string, path: string): Promise<string[]> {
  const { source, rows } = await readText(content, { path });
  if (source === null) throw new Error('the file was not understood');
  return previewLines(source, rows);
}

test('a CSV file is shown with its facts in words and its first rows in a table', async () => {
  expect(await preview('\uFEFFid;name\n1;x\n2;3;4\n10;"y\nz"\n', 'a.csv')).toEqual([
    'type       CSV',
    'encoding   utf-8 with a byte order mark',
    'delimiter  semicolon ; (2 cells with it in 2 of the first 3 rows)',
    'quote      "',
    'header     2 columns: id, name',
    '',
    'row  line  id  name',
    '1    2     1   x',
    '3    4     10  y\\nz',
    '',
    "row 2, line 3 can't be read: 3 cells where the header has 2",
  ]);
});

test('why a row can not be read is told to its end', async () => {
  const lines = await preview(`id;name\n1;"a"b ${'c '.repeat(60)}\n`, 'a.csv');
  expect(lines.at(-1)).toMatch(/^row 1, line 2 can't be read: .{70,}[^…]$/);
});

test('JSON records are shown by their field paths', async () => {
  const lines = await preview('[{"a":{"b":"x"}},{"c":[1,2],"a":{"b":null}}]', 'a.json');
  expect(lines.slice(0, 2)).toEqual(['type       JSON (one list)', 'encoding   utf-8']);
});

test('long cells are cut, and columns that do not fit are counted', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `column${i}`);
  const lines = await preview(
    `${names.join('\t')}\n${names.map(() => 'é'.repeat(40)).join('\t')}\n`,
    'a.tsv',
  );
  expect(lines[2]).toBe('delimiter  tab (12 cells with it in 1 of the first 1 row)');
  expect(lines.at(-2)).toBe(
    `1    2     ${Array(3)
      .fill(`${'é'.repeat(23)}…`)
      .join('  ')}`,
  );
  expect(lines.at(-1)).toBe('and 9 more columns');
});

test('control characters are spelled out in the table, whose columns stay aligned', async () => {
  const lines = await preview('a\u001b[31m,b\nx\u000by,\u202Ey\n', 'a.csv');
  expect(lines.slice(-2)).toEqual(['row  line  a\\u001b[31m  b', '1    2     x\\u000by     \\u202ey']);
});

test('a file without rows says so', async () => {
  expect((await preview('a,b\n', 'a.csv')).at(-1)).toBe('no rows');
});

test('the line of the header and what the reader is not sure of are told', async () => {
  const { source, rows } = await readText('# as of today\nid,"name, legal"\n1,x\n2,y\n', {
    format: { header: 2 },
  });
  if (source === null) throw new Error('the file was not understood');
  const lines = previewLines({ ...source, notes: ['One thing.', 'Another.'] }, rows, 1);
  expect(lines.slice(2)).toEqual([
    'delimiter  comma , (2 cells with it in 2 of the first 2 rows)',
    'quote      "',
    'header     2 columns on line 2: id, name, legal',
    'note       One thing.',
    'note       Another.',
    '',
    'row  line  id  name, legal',
    '1    3     1   x',
    '',
    'There are more rows than the 1 row above (--rows N shows more of them).',
  ]);
});
