import { describe, expect, test } from 'vitest';
import { createSharedBreaker, type SharedBreaker } from '../../../src/engine/ledger/breaker.ts';
import type { ChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import type { Granted } from '../../../src/engine/ledger/intent.ts';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import { grantOf, intentOn, runningRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { ownKeys } from '../../support/runs.ts';
import { settledRow } from '../../support/settled-row.ts';
import { setBreaker } from '../../support/stored.ts';

const own = useOwnRedis();
const PROBE_MS = 40_000;
const PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
const GRANTED: Granted = { kind: 'granted' };

type Worker = { readonly ledger: ChunkLedger; readonly breaker: SharedBreaker };
type Bench = {
  readonly keys: LedgerKeys;
  readonly a: Worker;
  readonly b: Worker;
  /** What the hash of the breaker says, in numbers where it can. */
  fields(): Promise<Record<string, string>>;
  set(fields: Readonly<Record<string, number>>): Promise<void>;
};

/** Two workers of one service, each with a run of its own: they share nothing but Redis. */
async function twoWorkers(): Promise<Bench> {
  const { redis } = own();
  const keys = ownKeys();
  const worker = async () => {
    const { ledger } = await runningRun(redis, { rows: 100, probeMs: PROBE_MS, keys });
    return { ledger, breaker: createSharedBreaker(redis, keys) };
  };
  return {
    keys,
    a: await worker(),
    b: await worker(),
    fields: () => redis.hgetall(keys.breaker),
    set: (fields) => setBreaker(redis, keys, fields),
  };
}

const intent = (mark: string, row = 1) => intentOn(row, mark);

const settled = (outcome: Outcome, status: number, mark = '') =>
  settledRow(1, outcome, { id: '', status, mark });

const WELL = {
  state: 'well',
  failuresInARow: 0,
  cause: null,
  since: null,
  failedAt: null,
  isProbing: false,
  nextAt: null,
  tokenUntil: null,
  heldUntil: null,
};
const CAUSE = 'The service refused the connection. Nothing was sent (ECONNREFUSED).';
const failure = (mark: string) => ({ mark, isFailure: true, holdMs: 0, cause: CAUSE });
const patience = (holdMs: number) => ({ mark: 'i a 1', isFailure: false, holdMs, cause: '' });

async function fail({ a, b }: Bench, times: number): Promise<void> {
  for (let n = 1; n <= times; n += 1) await (n % 2 === 0 ? a : b).breaker.failed(failure(`i failed ${n}`));
}

/** The breaker is open and its pause is over: the next row probes. */
async function pauseOver(bench: Bench): Promise<void> {
  await fail(bench, 10);
  await bench.set({ until: Date.now() - 1 });
}

/** Row 1 of the first worker is the probe. */
async function probing(): Promise<Bench> {
  const bench = await twoWorkers();
  await pauseOver(bench);
  await grantOf(bench.a.ledger, intent('i a 1'));
  return bench;
}

const nextAt = async ({ a }: Bench) => Date.parse((await a.breaker.read()).nextAt ?? '');

describe('the breaker', () => {
  test('stays closed at nine failures in a row over all workers, and rows go', async () => {
    const bench = await twoWorkers();
    await fail(bench, 9);
    expect(await grantOf(bench.a.ledger, intent('i a 1'))).toEqual(GRANTED);
    expect(await bench.b.breaker.read()).toMatchObject({ state: 'failing', failuresInARow: 9, cause: CAUSE });
  });

  test('opens at ten, for a second, and every worker waits', async () => {
    const bench = await twoWorkers();
    await fail(bench, 10);
    for (const { ledger } of [bench.a, bench.b]) {
      const answer = await grantOf(ledger, intent('i x 1'));
      expect(answer).toEqual({ kind: 'wait', ms: expect.any(Number), isHold: false });
      expect(answer.kind === 'wait' && answer.ms > 0 && answer.ms <= 1_000).toBe(true);
    }
    expect(await bench.b.breaker.read()).toMatchObject({ state: 'away', failuresInARow: 10 });
    expect((await bench.a.ledger.take(1, [])).marks.size).toBe(0);
  });

  test('lets exactly one row of all workers through after its pause; the others ask again soon', async () => {
    const bench = await twoWorkers();
    await pauseOver(bench);
    const rows = [1, 2, 3, 4, 5];
    const asked = [
      ...rows.map((row) => grantOf(bench.a.ledger, intent(`i a ${row}`, row))),
      ...rows.map((row) => grantOf(bench.b.ledger, intent(`i b ${row}`, row))),
    ];
    const answers = await Promise.all(asked);
    expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    const soon = answers.filter((answer) => answer.kind === 'wait' && answer.ms > 0 && answer.ms <= 250);
    expect(soon).toHaveLength(9);
  });

  test('grants the probe again to the one who asks again after a lost reply', async () => {
    const bench = await probing();
    expect(await grantOf(bench.a.ledger, intent('i a 1'))).toEqual(GRANTED);
  });

  test('lets the next row probe where the intent of the probe is taken back', async () => {
    const bench = await probing();
    await bench.a.ledger.withdraw(intent('i a 1'));
    expect(await grantOf(bench.b.ledger, intent('i b 1'))).toEqual(GRANTED);
    expect(await grantOf(bench.a.ledger, intent('i a 2', 2))).toMatchObject({ kind: 'wait' });
  });

  test('lets the probe ask again that was recalled and keeps its intent, since an earlier one may have arrived', async () => {
    const bench = await twoWorkers();
    await grantOf(bench.a.ledger, intent('i a 1'));
    await pauseOver(bench);
    const over = (mark: string, expected: string) => ({ ...intent(mark), expected, repeatable: true });
    expect(await grantOf(bench.a.ledger, over('i a 2', 'i a 1'))).toEqual(GRANTED);
    expect(await grantOf(bench.a.ledger, over('i a 3', 'i a 2'))).toEqual(GRANTED);
    expect(await grantOf(bench.b.ledger, intent('i b 1'))).toMatchObject({ kind: 'wait' });
    await bench.set({ hold: Date.now() + 60_000 });
    expect(await grantOf(bench.a.ledger, over('i a 4', 'i a 3'))).toMatchObject({ isHold: true });
  });

  test('takes the intent of a row back that was granted before it opened and asks again', async () => {
    const bench = await twoWorkers();
    await grantOf(bench.a.ledger, intent('i a 1'));
    await fail(bench, 10);
    expect(await grantOf(bench.a.ledger, intent('i a 1'))).toMatchObject({ kind: 'wait' });
    expect((await bench.a.ledger.take(1, [])).marks.size).toBe(0);
  });

  test('pauses twice as long with each probe that fails, up to half a minute', async () => {
    const bench = await twoWorkers();
    await fail(bench, 10);
    for (const [n, pauseMs] of PAUSES_MS.entries()) {
      await bench.set({ until: Date.now() - 1 });
      const mark = `i a ${n}`;
      expect(await grantOf(bench.a.ledger, intent(mark))).toEqual(GRANTED);
      const before = Date.now();
      await bench.a.breaker.failed(failure(mark));
      const after = Date.now();
      await bench.a.ledger.withdraw({ chunk: 1, row: 1, mark });
      expect(await grantOf(bench.b.ledger, intent('i b 1'))).toMatchObject({ kind: 'wait' });
      const began = Number((await bench.fields()).until) - pauseMs;
      expect([before, began, after].toSorted((x, y) => x - y)).toEqual([before, began, after]);
    }
  });

  test.each([
    ['created', 200],
    ['rejected', 418],
    ['denied', 403],
    ['failed', 404],
    ['failed', 308],
  ] as const)('closes when the probe is answered: %s, %i', async (outcome, status) => {
    const bench = await probing();
    await bench.a.ledger.settle(settled(outcome, status, 'i a 1'));
    expect(await bench.fields()).toEqual({});
    expect(await grantOf(bench.b.ledger, intent('i b 1'))).toEqual(GRANTED);
    expect(await bench.b.breaker.read()).toEqual(WELL);
  });

  test('stays open at answers to what was begun before it opened: a service that goes still ends those', async () => {
    const bench = await twoWorkers();
    await grantOf(bench.a.ledger, intent('i a 1'));
    await fail(bench, 10);
    await bench.a.ledger.settle(settled('created', 200, 'i a 1'));
    expect(await grantOf(bench.b.ledger, intent('i b 2', 2))).toMatchObject({ kind: 'wait' });
    await bench.set({ until: Date.now() - 1 });
    expect(await grantOf(bench.b.ledger, intent('i b 2', 2))).toEqual(GRANTED);
    expect(await grantOf(bench.b.ledger, intent('i b 3', 3))).toMatchObject({ kind: 'wait' });
    await bench.b.ledger.settle(settled('created', 200, 'i b 2'));
    expect(await bench.fields()).toEqual({});
  });

  test.each([
    ['in-doubt', 0],
    ['in-doubt', 500],
    ['failed', 503],
    ['invalid', 0],
    ['skipped', 0],
  ] as const)('stays open at an end that is no answer: %s, %i', async (outcome, status) => {
    const bench = await probing();
    await bench.a.ledger.settle(settled(outcome, status, 'i a 1'));
    expect(await bench.b.breaker.read()).toMatchObject({ state: 'away', failuresInARow: 10 });
  });

  test('gives a probe up that is never heard of, and lets another row through, one', async () => {
    const before = Date.now();
    const bench = await probing();
    expect(Number((await bench.fields()).probing)).toBeGreaterThanOrEqual(before + PROBE_MS);
    await bench.set({ probing: Date.now() - 1 });
    expect(await grantOf(bench.b.ledger, intent('i b 1'))).toEqual(GRANTED);
    expect(await grantOf(bench.b.ledger, intent('i b 2', 2))).toMatchObject({ kind: 'wait' });
  });

  test('takes no notice of a probe that fails after it was given up', async () => {
    const bench = await probing();
    await bench.set({ probing: Date.now() - 1 });
    await grantOf(bench.b.ledger, intent('i b 1'));
    const before = await bench.fields();
    await bench.a.breaker.failed(failure('i a 1'));
    expect(await bench.fields()).toEqual({ ...before, failures: '11', failed: expect.any(String) });
  });

  test('closes when the probe is told to be patient: the service is there', async () => {
    const bench = await probing();
    await bench.a.breaker.failed(patience(0));
    expect(await grantOf(bench.b.ledger, intent('i b 1'))).toEqual(GRANTED);
  });
});

describe('an answer', () => {
  test('resets the count of failures in a row', async () => {
    const bench = await twoWorkers();
    await fail(bench, 9);
    await bench.b.ledger.settle(settled('created', 200));
    await fail(bench, 9);
    expect(await grantOf(bench.a.ledger, intent('i a 1'))).toEqual(GRANTED);
    await fail(bench, 1);
    expect(await grantOf(bench.a.ledger, intent('i a 2', 2))).toMatchObject({ kind: 'wait' });
  });
});

describe('a service that asks to be left alone', () => {
  test('is left alone by everybody, and that is no failure', async () => {
    const bench = await twoWorkers();
    const before = Date.now();
    await bench.a.breaker.failed(patience(9_000));
    const answer = await grantOf(bench.b.ledger, intent('i b 1'));
    expect(answer.kind === 'wait' && answer.ms > 0 && answer.ms <= 9_000).toBe(true);
    expect(await bench.b.breaker.read()).toMatchObject({ state: 'held', failuresInARow: 0 });
    expect(await nextAt(bench)).toBeGreaterThanOrEqual(before + 9_000);
  });

  test('is left alone for the longest time that it asked for', async () => {
    const bench = await twoWorkers();
    const before = Date.now();
    for (const holdMs of [2_000, 9_000, 100]) await bench.a.breaker.failed(patience(holdMs));
    expect(await nextAt(bench)).toBeGreaterThanOrEqual(before + 9_000);
  });

  test('is told from one that is away, and asked again by all once a person has lifted it', async () => {
    const bench = await twoWorkers();
    await fail(bench, 10);
    const before = Date.now();
    await bench.a.breaker.failed(patience(40_000));
    expect(await grantOf(bench.b.ledger, intent('i b 1'))).toMatchObject({ kind: 'wait', isHold: true });
    const { heldUntil } = await bench.b.breaker.read();
    expect(Date.parse(heldUntil ?? '')).toBeGreaterThanOrEqual(before + 40_000);
    await bench.b.breaker.liftHold();
    expect(await grantOf(bench.a.ledger, intent('i a 1'))).toMatchObject({ kind: 'wait', isHold: false });
    expect(await bench.a.breaker.read()).toMatchObject({ state: 'away', heldUntil: null });
    await bench.set({ until: Date.now() - 1 });
    expect(await grantOf(bench.a.ledger, intent('i a 2', 2))).toEqual(GRANTED);
  });

  test('is asked again when the time is over, by all', async () => {
    const bench = await twoWorkers();
    await bench.a.breaker.failed(patience(9_000));
    await bench.set({ hold: Date.now() - 1 });
    for (const { ledger } of [bench.a, bench.b])
      expect(await grantOf(ledger, intent('i x 1'))).toEqual(GRANTED);
  });
});

describe('what is known of the service', () => {
  test('away, with the time of the next probe; while one is on its way, when it is given up', async () => {
    const bench = await twoWorkers();
    const before = Date.now();
    await fail(bench, 10);
    expect(await nextAt(bench)).toBeGreaterThanOrEqual(before);
    await bench.set({ until: Date.now() - 1 });
    expect(await bench.a.breaker.read()).toMatchObject({ state: 'away', nextAt: null });
    expect((await bench.a.breaker.read()).isProbing).toBe(false);
    await grantOf(bench.a.ledger, intent('i a 1'));
    expect((await bench.b.breaker.read()).isProbing).toBe(true);
    expect(await nextAt(bench)).toBeGreaterThanOrEqual(before + PROBE_MS);
  });
});
