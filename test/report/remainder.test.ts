import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/model/row.ts';
import { csvRemainder, serviceMessage } from '../../src/report/remainder.ts';
import { readText } from '../intake/read-text.ts';
import { makeRun, settled } from './make-report.ts';

describe('serviceMessage', () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    ['{\r\n  "a": 1\n}\n', '{ "a": 1 }'],
    ['a\u2028b\u0085c\td', 'a b c d'],
    ['a\u0000b\u001b[31mc', 'a b [31mc'],
    ['', ''],
    [' \n ', ''],
  ])('given the body %j, gives %j', (body, expected) => {
    expect(serviceMessage(body)).toBe(expected);
  });

  it('given a long body, gives at most 500 characters of it, whole words, and shows that it was cut', () => {
    expect(serviceMessage('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
    expect(serviceMessage(`${'x'.repeat(495)} there`)).toBe(`${'x'.repeat(495)}…`);
    expect(serviceMessage(`${'x'.repeat(498)}😀yz`)).toBe(`${'x'.repeat(498)}😀…`);
  });
});

it('given rows of any damaged text, gives each so that it is read as unreadable again, with the same text', async () => {
  const part = fc.constantFrom(...'a"";;\n\n \'=<'.split(''), 'A7;', '"x;\ny";');
  const format = { delimiter: ';' };
  const told = (row: Row) => (row.kind === 'unreadable' ? row.text : row);
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 3, maxLength: 25 }), async (parts) => {
      const read = await readText(`id;name;n\n${parts.join('')}\n`, { format }).catch(() => null);
      const bad = read?.rows.flatMap((row) => (row.kind === 'unreadable' ? [row] : [])) ?? [];
      const { header, lines } = csvRemainder(makeRun([], { source: read?.source ?? {} }));
      const rows = bad.map((source) => ({
        settlement: settled(source.row, 'invalid', { code: 'unreadable_row' }),
        source,
        body: null,
      }));
      const again = await readText(header('failed') + lines(rows, 'failed'), { path: 'failed.csv', format });
      expect(again.rows.map(told)).toEqual(bad.map(told));
      for (const { problem } of bad) seen.add(problem.replaceAll(/\d+/g, '').slice(0, 20));
    }),
    { numRuns: 100 },
  );
  expect(seen.size).toBeGreaterThan(2);
});
