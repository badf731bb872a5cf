import { expect, test } from 'vitest';
import { createChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import { protocol } from '../../../src/engine/ledger/protocol.ts';
import { createRunView } from '../../../src/engine/ledger/run-view.ts';
import { packBody } from '../../../src/model/settlement.ts';
import { memoryJournal } from '../../support/epoch.ts';
import { intentOn, runningRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';

const own = useOwnRedis();

/** A run whose workers record rows of one refusal each, and what is kept. */
async function refusals(rows: number) {
  const journal = memoryJournal();
  const bench = await runningRun(own().redis, { rows, journal });
  const { parts, keys, id } = bench;
  const worker = () => {
    const ledger = createChunkLedger(parts);
    return async (row: number, body: string, given: object = {}) => {
      await ledger.exchange({ next: [intentOn(row, `i a.1 ${row}.1`)] });
      return ledger.settle(
        settledRow(row, 'failed', { mark: `i a.1 ${row}.1`, body, code: 'http_400', ...given }),
      );
    };
  };
  const view = createRunView(own().redis, keys, await bench.run());
  const all = Array.from({ length: rows }, (_, i) => i + 1);
  return {
    journal,
    worker,
    bodies: async () => [...(await view.bodies(all)).values()],
    size: () => own().redis.hlen(keys.run(id).bodies),
  };
}

test('equal bodies are kept once, and go to Redis and the journal once', async () => {
  const { worker, journal, bodies, size } = await refusals(6);
  const refuse = worker();
  const page = `<html>${'ab'.repeat(5_000)}`;
  for (const row of [1, 2, 3, 4, 5]) expect(await refuse(row, page)).toBe(true);
  await refuse(6, packBody({ text: page, restBytes: 7 }));
  const kept = await bodies();
  expect(kept.map(({ text, restBytes }) => [text === page, restBytes])).toEqual([
    ...Array(5).fill([true, 0]),
    [true, 7],
  ]);
  expect(new Set(kept.map(({ digest }) => digest)).size).toBe(2);
  // Six rows, two texts, and how many are kept whole.
  expect(await size()).toBe(9);
  const told = journal.records.flatMap((one) => (one.kind === 'settled' ? [one.ended] : []));
  expect(told.map((text) => text.includes('"text"'))).toEqual([true, false, false, false, false, true]);
});

test('of one cause’s different large bodies so many are kept whole, over all workers; small ones always', async () => {
  const rows = protocol.wholeBodies + 8;
  const { worker, bodies } = await refusals(rows);
  const [one, other] = [worker(), worker()];
  const large = (row: number) => `${row} ${'ü'.repeat(1_000)}`;
  for (let row = 1; row <= rows - 2; row += 1) await (row % 2 === 0 ? one : other)(row, large(row));
  await one(rows - 1, 'small');
  await one(rows, large(rows), { code: 'http_409' });
  const kept = await bodies();
  const isWhole = kept.map(({ text, restBytes }, i) => restBytes === 0 && text === large(i + 1));
  expect(isWhole).toEqual(Array.from({ length: rows }, (_, i) => i < protocol.wholeBodies || i === rows - 1));
  for (const { text, restBytes } of kept.slice(protocol.wholeBodies, -2)) {
    expect([1023, 1024]).toContain(Buffer.byteLength(text));
    expect(
      large(protocol.wholeBodies + 1 + kept.slice(protocol.wholeBodies).findIndex((of) => of.text === text)),
    ).toMatch(text);
    expect(Buffer.byteLength(text) + restBytes).toBe(2_003);
  }
  expect(kept.at(-2)).toMatchObject({ text: 'small', restBytes: 0 });
});
