import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, type TestContext, test } from 'vitest';
import type { Canary } from '../../src/engine/ledger/run-record.ts';
import type { Row } from '../../src/model/row.ts';
import type { Run } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { identitySpace } from '../../src/operations/operations.ts';
import type { RowChunk } from '../../src/readers/intake/chunks.ts';
import { ingestRun } from '../../src/runs/ingest.ts';
import { createWaitingNotice } from '../../src/runs/redis-wait.ts';
import { keepServerBusy } from '../support/busy-redis.ts';
import { useOwnRedis } from '../support/redis.ts';
import { closeChunk, inChunks, openTestSession, rowsTo, startTestRun } from '../support/session.ts';
import { doubtOf } from '../support/settled-row.ts';
import { entryOf, getEntry, setEntry, setText } from '../support/stored.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();
const OPEN_CHUNKS_MAX = 64;
const OPEN_CHUNKS_IN_CROWD = 16;
const ROWS_PER_CHUNK = 2;

type Setup = {
  readonly rows?: readonly Row[];
  readonly surveyed?: number;
  readonly chunks?: AsyncIterable<RowChunk>;
  readonly definition?: object;
  readonly canary?: Canary;
  readonly apart?: Run['apart'];
  readonly identity?: Run['identity'];
};

/** A running run of chunks of two rows, and the reading of its file; no worker takes a chunk. */
async function startIngest({ onTestFinished }: TestContext, setup: Setup = {}) {
  const session = await openTestSession(own(), onTestFinished);
  const { rows = rowsTo(6), surveyed = rows.length } = setup;
  const of = { rows: surveyed, chunkRows: ROWS_PER_CHUNK, definition: setup.definition ?? {} };
  const canary = setup.canary === undefined ? {} : { canary: setup.canary };
  const { run, definition } = await startTestRun(session, { ...of, ...canary });
  const { queue, ledger } = session;
  const stop = new AbortController();
  const added: number[] = [];
  await session.registration.remember(run.id);
  const ingest = () => {
    const chunks = setup.chunks ?? inChunks(rows, ROWS_PER_CHUNK);
    const notice = createWaitingNotice(session.io, () => 0);
    const onAdded = (chunk: number) => void added.push(chunk);
    const { signal } = stop;
    const tenure = () => () => true;
    const identity = 'identity' in setup ? setup.identity : run.identity;
    const of = { run: { ...run, identity, apart: setup.apart }, definition, chunks, queue };
    return ingestRun({ ...of, notice, signal, onAdded, tenure }, session);
  };
  const has = (chunk: number) => queue.has(run.id, chunk);
  /** The chunks that are waiting, out of the queue: number, and each row's number with its claim. */
  const takeAll = async (last: number) => {
    const taken: Array<readonly [number, ReadonlyArray<readonly [number, string]>]> = [];
    for (let n = 1; n <= last; n += 1) {
      const job = (await has(n)) ? await queue.takeOut(run.id, n) : null;
      if (job?.rows) taken.push([n, job.rows.map(({ row, claim }) => [row.row, claim.kind])]);
    }
    return taken;
  };
  const keys = ledger.of(run.target).keys;
  const claimOf = async (key: string) => {
    return getEntry(ledger.redis, keys, key, { space: identitySpace(run).name });
  };
  const close = (n: number, ...of: ReadonlyArray<Pick<Settlement, 'outcome'> & Partial<Settlement>>) => {
    const [one = { outcome: 'created' }, other = one] = of;
    return closeChunk(session, run, n, [doubtOf(2 * n - 1, one), doubtOf(2 * n, other)]);
  };
  return { session, run, keys, ingest, stop, added, has, takeAll, claimOf, close };
}

/** Closes these chunks as they come, and answers the most that were in the queue at once. */
async function workOff(
  { session, run, has }: Awaited<ReturnType<typeof startIngest>>,
  chunks: readonly number[],
) {
  let most = 0;
  for (const n of chunks) {
    await until(() => has(n));
    most = Math.max(most, await session.queue.countWaiting());
    await session.queue.takeOut(run.id, n);
    await closeChunk(session, run, n);
  }
  return most;
}

const numbersTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe.concurrent('a file', () => {
  test('becomes its chunks in order, each row with what its key’s claim said', async (context) => {
    const keys = ['A', 'B', '', 'A', 'C'];
    const i = await startIngest(context, { rows: rowsTo(5, (row) => keys[row - 1] ?? '') });
    await setEntry(i.session.ledger.redis, i.keys, 'B', 'k run-0 7 sub-2');
    expect(await i.ingest()).toBe('complete');
    // A row without a key has nothing to claim.
    const rows = (await i.takeAll(3)).map(
      ([n, taken]) => `${n}: ${taken.map((row) => row.join(' ')).join(', ')}`,
    );
    expect(rows).toEqual(['1: 1 claimed, 2 known', '2: 3 claimed, 4 duplicate', '3: 5 claimed']);
    expect(i.added).toEqual([3]);
  });

  test('of a job that groups has a key claimed by the first of the rows that follow each other with it', async (context) => {
    const keys = ['A', 'A', '', 'C', 'B', 'B'];
    const fields = { 'accounts.0.iban': 'details.name' };
    const definition = { operation: 'counterparty.draft', group: 'accounts', fields };
    const rows = rowsTo(6, (row) => keys[row - 1] ?? '');
    const i = await startIngest(context, { rows, definition });
    expect(await i.ingest()).toBe('complete');
    const kinds = (await i.takeAll(3)).map(([, taken]) => taken.map(([, kind]) => kind).join(' '));
    expect(kinds).toEqual(['claimed claimed', 'claimed claimed', 'claimed claimed']);
    expect(await Promise.all(['A', 'B', 'C'].map(i.claimOf))).toEqual([
      `c ${i.run.id} 1 `,
      `c ${i.run.id} 5 `,
      `c ${i.run.id} 4 `,
    ]);
  });

  test('of a job that groups has no key claimed of groups that stand apart', async (context) => {
    const keys = ['A', 'A', 'B', 'C', 'D', 'D', 'B', 'A'];
    const fields = { 'accounts.0.iban': 'details.name' };
    const definition = { operation: 'counterparty.draft', group: 'accounts', fields };
    const rows = rowsTo(8, (row) => keys[row - 1] ?? '');
    const apart: Run['apart'] = [
      [1, 8],
      [3, 7],
      [7, 3],
      [8, 1],
    ];
    const i = await startIngest(context, { rows, definition, apart });
    expect(await i.ingest()).toBe('complete');
    const kinds = (await i.takeAll(4)).map(([, taken]) => taken.map(([, kind]) => kind).join(' '));
    expect(kinds).toEqual(['apart claimed', 'apart claimed', 'claimed claimed', 'apart apart']);
    expect(await Promise.all(['A', 'B'].map(i.claimOf))).toEqual([null, null]);
  });

  test.for([
    ['error', ['1 claimed', '2 claimed'], ['3 duplicate', '4 duplicate'], ['5 duplicate', '6 claimed']],
    ['warn', ['1 claimed', '2 claimed'], ['3 claimed 2', '4 claimed 2'], ['5 claimed 3', '6 claimed']],
  ] as const)(
    'without a key column has like rows told apart (%s), the same ones in every reading',
    async ([level, ...told], context) => {
      const names = ['A', 'B', 'A', 'B', 'A', 'C'];
      const rows = rowsTo(6).map((row, i) => ({ ...row, cells: ['', names[i] ?? ''] }));
      const definition = { key: undefined, ignore: ['externalId'], checks: { same_row: level } };
      const i = await startIngest(context, { rows, definition });
      expect(await i.ingest()).toBe('complete');
      const taken = async (n: number) =>
        (await i.session.queue.takeOut(i.run.id, n))?.rows?.map(({ row, claim, rowContent }) =>
          [row.row, claim.kind, rowContent?.nth].filter((word) => word !== undefined).join(' '),
        );
      expect(await Promise.all([1, 2, 3].map(taken))).toEqual(told);
      // After a kill: the queue has lost what was not closed.
      await i.close(1);
      expect(await i.ingest()).toBe('complete');
      expect(await i.has(1)).toBe(false);
      expect(await Promise.all([2, 3].map(taken))).toEqual(told.slice(1));
    },
  );

  test('of a run that goes by places has its rows claimed by them', async (context) => {
    const definition = { key: undefined, ignore: ['externalId'] };
    const i = await startIngest(context, { rows: rowsTo(2), definition, identity: undefined });
    expect(await i.ingest()).toBe('complete');
    expect(await i.claimOf(`${i.run.sha256}:2`)).toContain(i.run.id);
    expect(await i.claimOf('K2')).toBeNull();
  });

  test('that has more rows than were surveyed: what is beyond the survey is not added', async (context) => {
    const i = await startIngest(context, { rows: rowsTo(40), surveyed: 20 });
    expect([await i.ingest(), await i.has(10), await i.has(11)]).toEqual(['file-changed', false, false]);
    expect(i.added).toEqual([8]);
  });

  test.for([
    [4, 5],
    [0, 1],
  ] as const)('that has %i rows where %i were surveyed has changed', async ([rows, surveyed], context) => {
    expect(await (await startIngest(context, { rows: rowsTo(rows), surveyed })).ingest()).toBe(
      'file-changed',
    );
  });

  test('that has a short chunk in the middle has changed: neither it nor what was read with it is claimed', async (context) => {
    async function* torn() {
      yield { n: 1, rows: rowsTo(2) };
      yield { n: 2, rows: rowsTo(3).slice(2) };
      yield { n: 3, rows: rowsTo(6).slice(4) };
    }
    const i = await startIngest(context, { surveyed: 6, chunks: torn() });
    expect(await i.ingest()).toBe('file-changed');
    expect([await i.claimOf('K2'), await i.claimOf('K3'), i.added]).toEqual([null, null, []]);
  });
});

describe.concurrent('a file that is read again', () => {
  test('has its closed chunks passed over: nothing of them is claimed or added', async (context) => {
    const i = await startIngest(context, { rows: rowsTo(8) });
    for (const n of [1, 3]) await i.close(n);
    expect(await i.ingest()).toBe('complete');
    expect((await i.takeAll(4)).map(([n]) => n)).toEqual([2, 4]);
    expect([await i.claimOf('K1'), await i.claimOf('K3')]).toEqual([null, expect.any(String)]);
  });

  test('has rows told whose keys are written otherwise in closed chunks, and in another run', async (context) => {
    const keys = ['A', 'B', 'A ', 'C', 'D', 'E '];
    const i = await startIngest(context, { rows: rowsTo(6, (row) => keys[row - 1] ?? '') });
    const { redis } = i.session.ledger;
    await setEntry(redis, i.keys, 'E', 'k run-0 7 sub-2');
    await setEntry(redis, i.keys, 'A', `k ${i.run.id} 1 sub-1`);
    await i.close(1);
    expect(await i.ingest()).toBe('complete');
    const jobs = [2, 3].map((n) => i.session.queue.takeOut(i.run.id, n));
    const claims = (await Promise.all(jobs)).flatMap((job) => (job?.rows ?? []).map(({ claim }) => claim));
    expect(claims).toEqual([
      { kind: 'alike', run: null, row: 1 },
      { kind: 'claimed' },
      { kind: 'claimed' },
      { kind: 'alike', run: 'run-0', row: 7 },
    ]);
  });
});

describe.concurrent('room', () => {
  test.for([
    ['64 open chunks', 0, OPEN_CHUNKS_MAX],
    ['16 while a thousand of other runs wait, which are enough to go on', 1_024, OPEN_CHUNKS_IN_CROWD],
  ] as const)('is for %s, and for the next once one is closed', async ([_, crowd, most], context) => {
    const i = await startIngest(context, { rows: rowsTo(200) });
    const [row] = rowsTo(1);
    const others = numbersTo(crowd).flatMap((chunk) =>
      row === undefined
        ? []
        : [{ run: 'other', chunk, rows: [{ row, claim: { kind: 'claimed' as const } }] }],
    );
    if (crowd > 0) await i.session.queue.add(others);
    const ingesting = i.ingest();
    await until(() => i.has(most));
    await i.close(1);
    // Eight at a time: the next are added once there is room for all of them.
    for (const n of numbersTo(8)) if (n > 1) await i.close(n);
    await until(() => i.has(most + 8));
    expect(await i.has(most + 9)).toBe(false);
    i.stop.abort();
    expect(await ingesting).toBe('stopped');
  });

  test.for([
    [0, []],
    [1, []],
    [300, [1, 2, 70, 150]],
    [301, []],
  ] as const)(
    'stays bounded for %i rows with chunks %j closed, and no open chunk is left out',
    async ([rows, closed], context) => {
      const i = await startIngest(context, { rows: rowsTo(rows) });
      for (const n of closed) await i.close(n);
      const ingesting = i.ingest();
      const open = numbersTo(Math.ceil(rows / ROWS_PER_CHUNK)).filter(
        (n) => !closed.some((one) => one === n),
      );
      expect(await workOff(i, open)).toBeLessThanOrEqual(OPEN_CHUNKS_MAX);
      expect([await ingesting, await i.session.queue.countWaiting()]).toEqual(['complete', 0]);
    },
  );
});

/** Redis takes no rows until it is told to again. */
async function fill(full: boolean) {
  await own().redis.config('SET', 'maxmemory', full ? '1' : '0');
}

describe('a Redis that takes no rows', () => {
  test('is waited out in place and told of once: the file is not read again', async (context) => {
    let readings = 0;
    async function* once() {
      readings += 1;
      yield* inChunks(rowsTo(20), ROWS_PER_CHUNK);
    }
    const i = await startIngest(context, { surveyed: 20, chunks: once() });
    await fill(true);
    const ingesting = i.ingest();
    await until(() => i.session.io.stderr.text !== '');
    expect(await i.has(1)).toBe(false);
    await fill(false);
    expect([await ingesting, readings]).toEqual(['complete', 1]);
    expect((await i.takeAll(10)).length).toBe(10);
    expect(i.session.io.stderr.text).toBe(
      'Redis is full (maxmemory): reading waits, and goes on by itself. To help: raise maxmemory.\n',
    );
  });

  test('ends the reading at once when stop is asked for while it waits', async (context) => {
    const i = await startIngest(context);
    await fill(true);
    const ingesting = i.ingest();
    await until(() => i.session.io.stderr.text !== '');
    i.stop.abort();
    expect(await ingesting).toBe('stopped');
    await fill(false);
  });

  test('when the reading begins is waited out, too', async (context) => {
    const { redis } = own();
    await redis.config('SET', 'busy-reply-threshold', '1');
    const i = await startIngest(context);
    const endScript = await keepServerBusy(own());
    context.onTestFinished(endScript);
    const ingesting = i.ingest();
    await until(() => i.session.io.stderr.text !== '');
    await endScript();
    expect(await ingesting).toBe('complete');
    expect(i.session.io.stderr.text).toMatch(/^Redis takes no commands right now: reading waits/);
  });

  test('for a reason that waiting does not cure is not waited for', async (context) => {
    const i = await startIngest(context);
    await setText(own().redis, entryOf(i.keys, 'K1').bucket, 'no hash');
    await expect(i.ingest()).rejects.toThrow('WRONGTYPE');
  });
});

test('the keys of chunks are claimed together, before the chunks are in the queue', async (context) => {
  const i = await startIngest(context, { rows: rowsTo(4) });
  const steps: string[] = [];
  const listen = (passed: unknown) => {
    if (typeof passed !== 'object' || passed === null || !('stage' in passed) || !('chunk' in passed)) return;
    steps.push(`${passed.stage} ${passed.chunk}`);
  };
  subscribe('onboard:stage', listen);
  context.onTestFinished(() => void unsubscribe('onboard:stage', listen));
  await i.ingest();
  expect(steps).toEqual(['claiming 2', 'claimed 2', 'adding 2', 'added 2']);
});

describe.concurrent('a canary', () => {
  const canary = { definition: { send: { canary: 2 } } };

  test.for([
    ['succeeded', 'created', 'complete', 5],
    ['did not succeed', 'rejected', 'canary', 1],
  ] as const)('goes alone; when it %s the others end as %s', async ([_, outcome, end, last], context) => {
    const i = await startIngest(context, { rows: rowsTo(10), ...canary });
    const ingesting = i.ingest();
    await until(() => i.has(1));
    expect([await i.has(2), i.added]).toEqual([false, [1]]);
    await i.close(1, { outcome });
    expect(await ingesting).toBe(end);
    expect([i.added.at(-1), await i.has(2)]).toEqual([last, end === 'complete']);
  });

  test('that was closed before the process was killed is asked for again', async (context) => {
    const i = await startIngest(context, { rows: rowsTo(10), ...canary });
    await i.close(1, { outcome: 'rejected' });
    expect([await i.ingest(), i.added]).toEqual(['canary', []]);
  });

  test.for([
    ['an address that is not there', 'canary', [{ outcome: 'failed', code: 'http_404' }]],
    ['a service that fails', 'canary', [{ outcome: 'in-doubt', code: 'http_502' }]],
    ['a connection that is lost each time', 'canary', [{ outcome: 'in-doubt', code: 'connection_lost' }]],
    [
      'no answer',
      'canary',
      [
        { outcome: 'in-doubt', code: 'timeout' },
        { outcome: 'failed', code: 'http_405' },
      ],
    ],
    ['what is wrong with each', 'complete', [{ outcome: 'rejected', code: 'http_418' }]],
    [
      'one of them',
      'complete',
      [
        { outcome: 'failed', code: 'http_404' },
        { outcome: 'rejected', code: 'http_418' },
      ],
    ],
    ['one that was sent', 'complete', [{ outcome: 'failed', code: 'http_404' }, { outcome: 'invalid' }]],
    ['nothing', 'complete', [{ outcome: 'failed', code: 'http_404' }, { outcome: 'created' }]],
  ] as const)('that nobody asked for, failed by %s, ends as %s', async ([_, end, of], context) => {
    const first = { canary: { rows: 2, kind: 'first' } } as const;
    const i = await startIngest(context, { rows: rowsTo(10), ...first });
    await i.close(1, ...of);
    expect(await i.ingest()).toBe(end);
    // The next run of the job sends all at once only where a row succeeded.
    const hasSucceeded = of.some(({ outcome }) => outcome === 'created');
    expect(await i.session.store.isProven(i.run.job)).toBe(hasSucceeded);
  });

  test('that nobody asked for goes on after a 404 where the path holds the row’s id', async (context) => {
    const definition = { operation: 'subclient.update', fields: { id: 'externalId' } };
    const canary = { rows: 2, kind: 'first' } as const;
    const i = await startIngest(context, { rows: rowsTo(10), definition, canary });
    await i.close(1, { outcome: 'failed', code: 'http_404' });
    expect(await i.ingest()).toBe('complete');
  });

  test('that stopped the run has the next chunk go alone, too, and who goes on proves nothing', async (context) => {
    const i = await startIngest(context, { rows: rowsTo(10), ...canary });
    const { store } = i.session;
    for (const [n, outcome, end] of [
      [1, 'rejected', 'canary'],
      [2, 'rejected', 'canary'],
      [3, 'created', 'complete'],
    ] as const) {
      const ingesting = i.ingest();
      await until(() => i.has(n));
      expect([await i.has(n + 1), await store.isProven(i.run.job)]).toEqual([false, false]);
      await i.close(n, { outcome });
      expect(await ingesting).toBe(end);
      await store.transition(i.run.id, 'stopped', 'canary');
      await store.transition(i.run.id, 'running', null);
    }
    expect([await i.has(5), await store.isProven(i.run.job)]).toEqual([true, true]);
  });

  test('is not waited for any more when stop is asked for', async (context) => {
    const i = await startIngest(context, { rows: rowsTo(10), ...canary });
    const ingesting = i.ingest();
    await until(() => i.has(1));
    i.stop.abort();
    expect([await ingesting, i.added]).toEqual(['stopped', [1]]);
  });
});
