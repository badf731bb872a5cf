import { expect, test } from 'vitest';
import { causeAmong } from '../../../src/runs/report/causes.ts';
import { createDigestTally } from '../../../src/runs/report/digest.ts';
import { asChunk, cells, makeRun, settled } from './make-report.ts';

const TERMS = { columns: ['Ref', 'Payee'], fields: new Set(['details.name']) };

/** A run of a million rows in which every 1,000th is rejected for a common cause, and two for one of their own. */
function millionRows() {
  const run = makeRun([], { rows: 1_000_000, source: { columns: [...TERMS.columns] } });
  const advising = { operation: run.operation, extension: 'csv' } as const;
  const tally = createDigestTally({ run, fields: TERMS.fields, advising, definition: null });
  const said = new Map([
    [123_456, 'details.name was never seen here'],
    [987_654, 'nobody knows Jane'],
  ]);
  for (let row = 1; row <= run.rows; row += 1) {
    const chunk = Math.ceil(row / run.chunkRows);
    if (row % 1_000 !== 0 && !said.has(row)) {
      tally.add(asChunk([settled(row, 'created')], { chunk }));
      continue;
    }
    const { settlement, ...rest } = refused(row, said.get(row) ?? 'the register is closed');
    tally.add(asChunk([settlement], { chunk }));
    tally.addUnsuccessful({ settlement, ...rest });
  }
  return { digest: tally.digest(), said };
}

function refused(row: number, text: string) {
  const settlement = settled(row, 'rejected', { code: 'http_418', status: 418 });
  const body = { text: JSON.stringify({ message: text }), restBytes: 0 };
  return { settlement, source: cells(row, `k${row}`, 'Acme Ltd'), body };
}

test('of a million rows the causes, where they are and their own words stay apart, in a bounded size', () => {
  const { digest, said } = millionRows();
  const rare = digest.causes.filter(({ count }) => count === 1);
  expect(rare).toHaveLength(2);
  for (const [row, text] of said) {
    const id = causeAmong(refused(row, text), new Set(digest.causes.map((cause) => cause.id)), TERMS);
    const cause = digest.causes.find((one) => one.id === id);
    expect(cause?.first).toBe(row);
    expect(cause?.where.findIndex((count) => count > 0)).toBe(Math.floor(row / 10_000));
  }
  expect(digest.where.rejected).toHaveLength(100);
  expect(JSON.stringify(digest).length).toBeLessThan(50_000);
});
