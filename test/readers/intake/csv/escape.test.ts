import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brief, readError, readText } from '../read-text.ts';

const FORMAT = { delimiter: ',', escape: '\\' };

test('with format.escape, an escape before another character is text', async () => {
  const text = String.raw`"C:\temp \N",\N`;
  for (const blocks of [[1], [3], [1 << 20]]) {
    const { rows } = await readText(`a,b\n${text}\nplain,1\n`, { format: FORMAT, blocks });
    expect(rows.map(brief)).toEqual([String.raw`2: C:\temp \N¦\N`, '3: plain¦1']);
  }
});

test('what can not be meant so is refused, and no other row', async () => {
  const text = 'a,b\n1,x\\"y\n"doubled "" quote",2\n"\\"",3\n4,z\n';
  const { rows } = await readText(text, { format: FORMAT });
  expect(rows.map(brief)).toEqual([
    expect.stringMatching(/^2: ! a quote in the middle of a cell/),
    expect.stringMatching(/^3: ! a quote in the middle of a cell/),
    '4: "¦3',
    '5: 4¦z',
  ]);
});

test('a row whose quotes are escaped says which setting reads it', async () => {
  const { rows } = await readText('a,b\n"5\\" pipe",x\n', { format: { delimiter: ',' } });
  expect(rows.map(brief)).toEqual([
    expect.stringContaining('; where the file writes \\ before a quote in a cell, set format.escape: "\\\\"'),
  ]);
});

test('the escape may be the quote, and no other sign of the file', async () => {
  const { rows } = await readText('a,b\n"x ""y""",1\n', { format: { delimiter: ',', escape: '"' } });
  expect(rows.map(brief)).toEqual(['2: x "y"¦1']);
  expect(await readError('a,b\n', { format: { delimiter: ',', escape: ',' } })).toContain(
    'format.delimiter, format.quote and format.escape: expected different characters',
  );
});

test('a report of such a file is read with its quotes doubled, as it is written', async () => {
  const text = 'a,onboard_row\n"x ""y"" \\",1\n';
  expect((await readText(text, { format: FORMAT })).rows).toMatchObject([{ cells: ['x "y" \\', '1'] }]);
});

test('whatever the cells, written with escapes they are read as they were, however the file is cut', async () => {
  const cell = fc.array(fc.constantFrom(...'"\\,\n\r ax'), { maxLength: 6 }).map((parts) => parts.join(''));
  const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
  const blocks = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  const written = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  await fc.assert(
    fc.asyncProperty(rows, blocks, async (pairs, blocks) => {
      const lines = pairs.map((pair, i) => `k${i},${pair.map(written).join(',')}`);
      const read = await readText(['key,b,c', ...lines].join('\n'), { format: FORMAT, blocks });
      expect(read.rows).toMatchObject(pairs.map((pair, i) => ({ kind: 'cells', cells: [`k${i}`, ...pair] })));
    }),
    { numRuns: 100 },
  );
});
