import { describe, expect, test } from 'vitest';
import { createChunkLedger } from '../../src/ledger/chunk-ledger.ts';
import { readChunks } from '../../src/ledger/run-view.ts';
import type { SettledRow } from '../../src/ledger/settle-entry.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { closeAsFound, intentOn, runningRun } from '../support/ledger.ts';
import { useOwnRedis } from '../support/redis.ts';
import { settledRow } from '../support/settled-row.ts';

const own = useOwnRedis();

const markOf = (row: number) => `i a.1 1.${row}`;
const ended = (row: number, outcome: Outcome = 'created', over: Partial<SettledRow> = {}) =>
  settledRow(row, outcome, { mark: markOf(row), ...over });

/** A chunk of three rows in the hands of this worker, all of them about to be sent. */
async function inHand() {
  const bench = await runningRun(own().redis, { rows: 3, chunkRows: 3 });
  await bench.ledger.take(1, [1, 2, 3]);
  await bench.ledger.exchange({ next: [1, 2, 3].map((row) => intentOn(row, markOf(row))) });
  const chunk = async () => {
    const { closedChunks, state } = await bench.run();
    if (closedChunks === 0) return { closedChunks, state, ends: [] };
    const [block] = await readChunks(own().redis, bench.keys.run(bench.id), [1]);
    return { closedChunks, state, ends: block?.settlements.map(({ row, outcome }) => `${row} ${outcome}`) };
  };
  return { ...bench, chunk };
}

const CLOSED = { closedChunks: 1, state: 'finished', ends: ['1 created', '2 created', '3 created'] };
const OPEN = { closedChunks: 0, state: 'running', ends: [] };

describe('a chunk is closed with the last of its outcomes', () => {
  test('in any order, and nothing more is asked of Redis then', async () => {
    const { ledger, chunk } = await inHand();
    await ledger.settleAll([ended(3), ended(1)]);
    expect(await chunk()).toEqual(OPEN);
    await ledger.settleAll([ended(2)]);
    expect(await chunk()).toEqual(CLOSED);
    const before = await calls();
    expect(await ledger.close(1)).toBe(true);
    expect(await calls()).toBe(before);
  });

  test('but not where one of them was recorded otherwise before', async () => {
    const { ledger, chunk, parts, run } = await inHand();
    const other = createChunkLedger({ ...parts, run: await run() });
    await other.settle(ended(2, 'rejected'));
    await ledger.settleAll([ended(1), ended(3)]);
    expect(await ledger.settle(ended(2, 'denied'))).toBe(false);
    expect(await chunk()).toEqual(OPEN);
    expect(await ledger.close(1)).toBe(false);
    expect(await closeAsFound(ledger, 1, 3)).toBe(true);
    expect((await chunk()).ends).toEqual(['1 created', '2 rejected', '3 created']);
  });

  test('but not where one of them is another taker’s by now', async () => {
    const { ledger, chunk, keys, id } = await inHand();
    await ledger.settleAll([ended(1), ended(2)]);
    await own().redis.hset(
      `${keys.run(id).chunk}1`,
      '3',
      JSON.stringify([3, 4, 'K3', 'created', 200, 'x', 1, 5, '', '']),
    );
    expect(await ledger.settleAll([ended(3)])).toEqual(new Set([3]));
    expect(await chunk()).toEqual(OPEN);
  });

  test('but not as it was remembered before Redis was put back', async () => {
    const { ledger, chunk, keys, epoch } = await inHand();
    await ledger.settleAll([ended(1), ended(2)]);
    await own().redis.hset(keys.epoch, 'server', 'another');
    await ledger.settleAll([ended(3)]);
    expect(epoch.recoveries()).toBe(1);
    expect(await chunk()).toEqual(OPEN);
    expect(await ledger.close(1)).toBe(false);
    expect(await closeAsFound(ledger, 1, 3)).toBe(true);
    expect(await chunk()).toEqual(CLOSED);
  });
});

async function calls(): Promise<number> {
  const stats = await own().redis.info('commandstats');
  return [...stats.matchAll(/cmdstat_eval\w*:calls=(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
}
