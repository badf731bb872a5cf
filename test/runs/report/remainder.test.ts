import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Row } from '../../../src/model/row.ts';
import { remainderFormat } from '../../../src/runs/report/remainder.ts';
import { readText } from '../../readers/intake/read-text.ts';
import { makeRun, settled } from './make-report.ts';

it('given rows of any damaged text, gives each so that it is read as unreadable again, with the same text', async () => {
  const part = fc.constantFrom(...'a"";;\n\n \'=<'.split(''), 'A7;', '"x;\ny";');
  const format = { delimiter: ';' };
  const told = (row: Row) => (row.kind === 'unreadable' ? row.text : row);
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 3, maxLength: 25 }), async (parts) => {
      const read = await readText(`id;name;n\n${parts.join('')}\n`, { format }).catch(() => null);
      const bad = read?.rows.flatMap((row) => (row.kind === 'unreadable' ? [row] : [])) ?? [];
      const { header, lines } = remainderFormat(makeRun([], { source: read?.source ?? {} }));
      const again = await readText(header('failed') + lines(bad.map(invalid), 'failed'), {
        path: 'failed.csv',
        format,
      });
      expect(again.rows.map(told)).toEqual(bad.map(told));
      for (const { problem } of bad) seen.add(problem.replaceAll(/\d+/g, '').slice(0, 20));
    }),
    { numRuns: 100 },
  );
  expect(seen.size).toBeGreaterThan(2);
});

it('given a row whose cells were filled from its text and are wrong still, gives its text again', async () => {
  const report = 'id,n,onboard_row,onboard_text\n1,x,7,"1,x,y"\n,,8,"2,x,y"\n3,y,9,\n';
  const { source, rows } = await readText(report, { path: 'failed.csv' });
  const { header, lines } = remainderFormat(makeRun([], { source: source ?? {} }));
  const again = await readText(header('failed') + lines(rows.map(invalid), 'failed'), { path: 'failed.csv' });
  const cells = again.rows.map((row) => (row.kind === 'cells' ? [row.cells[0], row.cells.at(-1)] : row.kind));
  expect([cells, again.rows[1]]).toMatchObject([
    [['1', '1,x,y'], 'unreadable', ['3', '']],
    { text: '2,x,y' },
  ]);
});

it('given a record whose members were written from its text and are wrong still, gives its text again', () => {
  const source = {
    kind: 'record',
    row: 1,
    line: 1,
    text: '{"a":1,"_onboard":{"run":"r","text":"{a:1}"}}',
  } as const;
  const line: unknown = JSON.parse(
    remainderFormat(makeRun([], { source: { type: 'ndjson' } })).lines([invalid(source)], 'failed'),
  );
  expect(line).toMatchObject({ a: 1, _onboard: { row: 1, text: '{a:1}' } });
});

function invalid(source: Row) {
  return { settlement: settled(source.row, 'invalid', { code: 'unreadable_row' }), source, body: null };
}
