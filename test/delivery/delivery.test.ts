import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createDelivery } from '../../src/delivery/delivery.ts';
import { deferred } from '../support/deferred.ts';
import { openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { chunkKey, lose } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { type Bench, type BenchOptions, chunkOf, created, endsOf, HELD, startBench } from './row-bench.ts';

const own = useOwnRedis();
/** Runs that a process has lately worked for. */
const RUNS_KEPT = 64;
const NEVER = new AbortController().signal;

/** A bench, and a delivery that makes its contexts from it and tells when one is made and closed. */
async function startDelivery(options: BenchOptions = {}, interrupted = NEVER) {
  const bench: Bench = await startBench(own().redis, options);
  const steps: string[] = [];
  const delivery = createDelivery(
    async (run, stopping) => {
      steps.push(`${run} opened`);
      const close = async () => void steps.push(`${run} closed`);
      return run === bench.context.run.id ? { ...bench.context, stopping, close } : null;
    },
    interrupted,
    'p',
  );
  // Until it is closed it listens to the signal, which is one for all tests.
  onTestFinished(() => delivery.close());
  return { bench, delivery, steps, run: bench.context.run.id };
}

/** An attempt that tells when it is under way and is answered when the test says so. */
function slowAttempt() {
  const [sent, answered] = [deferred<void>(), deferred<void>()];
  const attempt = async () => {
    sent.resolve();
    await answered.promise;
    return created();
  };
  return { sent: sent.promise, answer: () => answered.resolve(), attempt };
}

test('chunks of a run share one context', async () => {
  const { bench, delivery, steps, run } = await startDelivery({ rows: 2 });
  const job = chunkOf(bench, 2);
  expect(await delivery.deliver(job, HELD)).toBe('closed');
  expect(await delivery.deliver(job, HELD)).toBe('closed');
  expect(steps).toEqual([`${run} opened`]);
});

test('rows that another worker has under way are its own to end for a while after Redis may have lost its lock', async () => {
  const { bench, delivery } = await startDelivery({ rows: 2 });
  const { redis, keys, epoch } = bench;
  const other = await openTestEpoch(redis, keys, { worker: 'host.other' });
  await until(() => epoch.isElsewhere('other'));
  await bench.setMark(1, 'i other.1 1.1');
  const job = chunkOf(bench, 2);
  expect(await delivery.deliver(job, HELD)).toBe('put-back');
  expect(await endsOf(bench)).toEqual([]);
  await other.close();
  await until(() => !epoch.isElsewhere('other'));
  expect(await delivery.deliver(job, HELD)).toBe('closed');
  expect(await endsOf(bench)).toEqual(['1 in-doubt worker_lost', expect.stringMatching(/^2 created/)]);
});

test('each take of a chunk has intents of its own', async () => {
  const marks: string[] = [];
  const box: { bench?: Bench } = {};
  const { bench, delivery } = await startDelivery({
    attempt: async () => {
      marks.push((await box.bench?.mark(1)) ?? '');
      throw new Error('a bug');
    },
  });
  box.bench = bench;
  for (const _ of [1, 2]) {
    await expect(delivery.deliver(chunkOf(bench, 1), HELD)).rejects.toThrow('a bug');
    await lose(own().redis, chunkKey(bench.keys.run(bench.context.run.id)));
  }
  expect(new Set(marks).size).toBe(2);
});

test('a chunk that comes back is looked at when its earlier take here has ended, if its lease is still held', async () => {
  const { sent, answer, attempt } = slowAttempt();
  const bench = await startBench(own().redis, { attempt });
  const looks: number[] = [];
  const { ledger } = bench.context;
  const take: typeof ledger.take = (chunk, rows) => {
    looks.push(chunk);
    return ledger.take(chunk, rows);
  };
  const delivery = createDelivery(
    async () => ({ ...bench.context, ledger: { ...ledger, take } }),
    NEVER,
    'p',
  );
  onTestFinished(() => {
    answer();
    return delivery.close();
  });
  const earlier = delivery.deliver(chunkOf(bench, 1), HELD);
  await sent;
  const again = delivery.deliver(chunkOf(bench, 1), HELD);
  const lapsed = delivery.deliver(chunkOf(bench, 1), { isHeld: () => false });
  await bench.mark(1);
  expect(looks).toHaveLength(1);
  answer();
  expect(await Promise.all([earlier, again, lapsed])).toEqual(['closed', 'closed', 'put-back']);
  expect([looks.length, bench.attempts.length]).toEqual([2, 1]);
});

test('a chunk of a run that the ledger does not know is put aside, and sent once the run is there again', async () => {
  const bench = await startBench(own().redis);
  const contexts = [null, bench.context];
  const delivery = createDelivery(async () => contexts.shift() ?? null, NEVER, 'p');
  expect(await delivery.deliver(chunkOf(bench, 1), HELD)).toBe('put-aside');
  expect(bench.attempts).toEqual([]);
  expect(await delivery.deliver(chunkOf(bench, 1), HELD)).toBe('closed');
  expect(bench.attempts).toHaveLength(1);
});

test('a run whose chunk is put aside begins afresh: what was seen of the service before is no guide', async () => {
  const { bench, delivery, steps, run } = await startDelivery();
  await bench.turn('paused', 'requested');
  expect(await delivery.deliver(chunkOf(bench, 1), HELD)).toBe('put-aside');
  await until(() => steps.length === 2);
  await bench.turn('running');
  expect(await delivery.deliver(chunkOf(bench, 1), HELD)).toBe('closed');
  expect(steps).toEqual([`${run} opened`, `${run} closed`, `${run} opened`]);
});

test('closing lets rows in flight settle, and chunks that come later are put back', async () => {
  const { sent, answer, attempt } = slowAttempt();
  const { bench, delivery, steps, run } = await startDelivery({ rows: 2, concurrency: 1, attempt });
  const delivered = delivery.deliver(chunkOf(bench, 2), HELD);
  await sent;
  const closed = delivery.close();
  expect(await delivery.deliver({ ...chunkOf(bench, 2), run: 'run-late' }, HELD)).toBe('put-back');
  answer();
  await closed;
  expect([await delivered, (await bench.run()).outcomes.created]).toEqual(['put-back', 1]);
  expect(steps).toEqual([`${run} opened`, `${run} closed`]);
});

test('a delivery listens once for the end of the process, whatever its runs, and not beyond its close', async () => {
  const { signal } = new AbortController();
  const { bench, delivery } = await startDelivery({ rows: 2 }, signal);
  for (const run of ['run-x', 'run-y']) await delivery.deliver({ ...chunkOf(bench, 2), run }, HELD);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await delivery.close();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('of more runs than are kept those idle longest are closed, never one in hand', async () => {
  const { sent, answer, attempt } = slowAttempt();
  const busy = await startBench(own().redis, { attempt });
  // Its chunk is closed before: each run that is taken for it is opened, and nothing is sent.
  const done = await startBench(own().redis);
  const closed: string[] = [];
  const delivery = createDelivery(
    async (run, stopping) => {
      const { context } = run === 'run-busy' ? busy : done;
      return { ...context, stopping, close: async () => void closed.push(run) };
    },
    NEVER,
    'p',
  );
  onTestFinished(() => delivery.close());
  const take = (bench: Bench, run: string) => delivery.deliver({ ...chunkOf(bench, 1), run }, HELD);
  const inHand = take(busy, 'run-busy');
  await sent;
  const runs = Array.from({ length: RUNS_KEPT + 1 }, (_, i) => `run-${i + 1}`);
  for (const run of runs) expect(await take(done, run)).toBe('closed');
  await until(() => closed.length === 2);
  expect(closed).toEqual(['run-1', 'run-2']);
  answer();
  expect([await inHand, done.attempts.length]).toEqual(['closed', 1]);
});
