import type { Command, Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { recountRuns } from '../../../src/engine/recovery/replay.ts';
import { noOutcomes } from '../../../src/model/outcome.ts';
import { intentOn, runningRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';
import { chunkKey, copyOf, counted, lose, setOfRun, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();

/** A run of two chunks of two rows: the first one closed, of the second one row in doubt. */
async function halfDone() {
  const bench = await runningRun(own().redis, { rows: 4, chunkRows: 2 });
  const end = async (chunk: number, row: number, outcome: 'created' | 'rejected' | 'in-doubt') => {
    const mark = `i a.1 1.${row}`;
    await bench.ledger.exchange({ next: [intentOn(row, mark, { chunk })] });
    await bench.ledger.settleAll([settledRow(row, outcome, { mark, chunk })]);
  };
  await end(1, 1, 'created');
  await end(1, 2, 'rejected');
  await bench.ledger.close(1, 2);
  await end(2, 3, 'in-doubt');
  return { ...bench, end };
}

/** Once somebody has read a chunk's marks there, something else happens before the reader has them. */
function whoReads(redis: Redis, meanwhile: () => Promise<unknown>): Redis {
  return new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'sendCommand') return typeof value === 'function' ? value.bind(target) : value;
      return (command: Command) => {
        const sent = target.sendCommand(command);
        const [, , key] = command.args;
        if (/:chunk:\d+$/.test(String(key)))
          command.promise = command.promise.then(async (read) => {
            await meanwhile();
            return read;
          });
        return sent;
      };
    },
  });
}

function once(act: () => Promise<unknown>): () => Promise<unknown> {
  let acted: Promise<unknown> | null = null;
  return () => {
    acted ??= act();
    return acted;
  };
}

const HALF = { ...noOutcomes(), created: 1, rejected: 1, 'in-doubt': 1 };

describe('the numbers of a run are made anew from what was recorded of its rows', () => {
  test('where one counts double, is missing, or is of an outcome that no row has', async () => {
    const { redis, keys, id, run } = await halfDone();
    await setRecord(redis, keys.run(id), counted({ created: 9, failed: -3, 'in-doubt': null }));
    await recountRuns(redis, keys);
    expect(await run()).toMatchObject({ outcomes: HALF, state: 'running', closedChunks: 1 });
  });

  test('but where a row gets its outcome meanwhile they are made anew by the next count', async () => {
    const { redis, keys, id, run, end } = await halfDone();
    await setRecord(redis, keys.run(id), counted({ created: 9 }));
    const meanwhile = whoReads(
      redis,
      once(() => end(2, 4, 'created')),
    );
    expect(await recountRuns(meanwhile, keys)).toBe(false);
    expect((await run()).outcomes).toEqual({ ...HALF, created: 10 });
    expect(await recountRuns(redis, keys)).toBe(true);
    expect((await run()).outcomes).toEqual({ ...HALF, created: 2 });
  });
});

test('the list of rows in doubt is made anew too', async () => {
  const { redis, keys, id } = await halfDone();
  const { doubts } = keys.run(id);
  await lose(redis, doubts);
  await setOfRun(redis, keys.run(id), 'doubts', { 1: '1' });
  await recountRuns(redis, keys);
  expect(await redis.hgetall(doubts)).toEqual({ 3: '2' });
});

test('also of a run that is over, where half a transaction took a doubt from the list alone', async () => {
  const { redis, keys, id, end, ledger } = await halfDone();
  await end(2, 4, 'created');
  await ledger.close(2, 2);
  const { doubts } = keys.run(id);
  await lose(redis, doubts);
  await recountRuns(redis, keys);
  expect(await redis.hgetall(doubts)).toEqual({ 3: '2' });
});

test('numbers end no run: it is finished where each of its chunks has its block, and a cancelled one stays cancelled', async () => {
  const { redis, keys, id, run, end, ledger } = await halfDone();
  const k = keys.run(id);
  await setRecord(redis, k, counted({ created: 3 }));
  await recountRuns(redis, keys);
  expect((await run()).state).toBe('running');
  await end(2, 4, 'created');
  await ledger.close(2, 2);
  // As where Redis has lost the end of the transaction that had the last block in it.
  await setRecord(redis, k, { state: 'running', finishedAt: null });
  await recountRuns(redis, keys);
  expect(await run()).toMatchObject({ state: 'finished', finishedAt: expect.any(String) });
  await setRecord(redis, k, { state: 'cancelled' });
  await recountRuns(redis, keys);
  expect((await run()).state).toBe('cancelled');
});

test('an acceptance that comes after half a chunk was closed is no less recorded', async () => {
  const { redis, keys, id, run, end, ledger } = await halfDone();
  await end(2, 4, 'created');
  const goBack = await copyOf(redis, chunkKey(keys.run(id), 2));
  await ledger.close(2, 2);
  await goBack();
  const late = settledRow(3, 'created', { mark: 'i a.1 1.3', chunk: 2 });
  expect([...(await ledger.settleAll([late]))]).toEqual([]);
  expect(await redis.hkeys(keys.run(id).late)).toEqual(['3']);
  expect((await run()).outcomes).toMatchObject({ created: 3, 'in-doubt': 0 });
});
