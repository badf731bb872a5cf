import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { createJob, type Flow, keysOf, type Started, startFlow, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { allOf } from './support/all-of.ts';
import { preloadEnv } from './support/killing.ts';
import { shareOf } from './support/seed.ts';
import { LONG, secondsSince, TIMEOUT_MS, TIMES, takeOverSeconds } from './support/times.ts';
import { assertTruth } from './support/truth.ts';

/**
 * What a row has become after the next run of the same file. `created`: without doubt, and made once. `in-doubt-made`,
 * `in-doubt-not-made`: nobody can say from here, and the service has it or has not.
 */
type Fate = 'created' | 'in-doubt-made' | 'in-doubt-not-made';

type Crash = {
  /** A stage of src/lib/stage.ts, with the row or the chunk; `null`: the service has made an entity, and never answers. */
  readonly at: string | null;
  /** The row whose fate is at stake, `null`: the one that was sent; all others are created. */
  readonly row: number | null;
  readonly fate: Fate;
  /** What it may be as well, where the point doesn't say which of two was first. */
  readonly or?: Fate;
};

const ROWS = 3;
/** Settling goes on beside the next row's intent: only the last row has nothing after it. */
const LAST = ROWS;

/** Every point at which a process can die between reading a row and reporting it, and what that row must be then. */
const CRASH_POINTS = {
  claiming: { at: 'claiming:1', row: 1, fate: 'created' },
  claimed: { at: 'claimed:1', row: 1, fate: 'created' },
  adding: { at: 'adding:1', row: 1, fate: 'created' },
  added: { at: 'added:1', row: 1, fate: 'created' },
  intending: { at: 'intending:1', row: 1, fate: 'created' },
  granted: { at: 'granted:1', row: 1, fate: 'in-doubt-not-made' },
  // The ledger and the journal are written at the same time: a disk may be faster than Redis, which then has heard of nothing.
  journaled: { at: 'journaled:1', row: 1, fate: 'in-doubt-not-made', or: 'created' },
  sending: { at: 'sending:1', row: 1, fate: 'in-doubt-not-made' },
  'socket-written': { at: null, row: null, fate: 'in-doubt-made' },
  headers: { at: 'headers:1', row: 1, fate: 'in-doubt-made' },
  answered: { at: 'answered:1', row: 1, fate: 'in-doubt-made' },
  settling: { at: `settling:${LAST}`, row: LAST, fate: 'in-doubt-made' },
  settled: { at: `settled:${LAST}`, row: LAST, fate: 'created' },
  closing: { at: 'closing:1', row: LAST, fate: 'created' },
  closed: { at: 'closed:1', row: LAST, fate: 'created' },
  reporting: { at: 'reporting:', row: LAST, fate: 'created' },
  reported: { at: 'reported:', row: LAST, fate: 'created' },
} as const satisfies Readonly<Record<string, Crash>>;
type CrashPoint = keyof typeof CRASH_POINTS;

const ALL = Object.keys(CRASH_POINTS).filter((name): name is CrashPoint => name in CRASH_POINTS);
/** Before, within and after the request, one of each fate: each point is two starts of the program. */
const SMOKE: typeof ALL = ['claimed', 'granted', 'socket-written', 'settling', 'closing', 'reporting'];
const POINTS = LONG ? ALL : SMOKE;
const TIMES_EACH = LONG ? shareOf(20) : 1;

// In one test, since each waits some ten seconds for the dead process' chunk to be taken over.
test(
  `a process dies ${TIMES_EACH} times at each of ${POINTS.length} points of a row: the row is created once, or in doubt, exactly as that point says`,
  async () => {
    const [seconds] = await Promise.all([crashAt('sending', SHIPPED_TIMES), crashAtAll()]);
    expect(seconds, 'a lock of 10 s').toBeGreaterThan(SHIPPED_TIMES.lockMs / 2000);
    expect(seconds).toBeLessThan(takeOverSeconds(SHIPPED_TIMES));
  },
  TIMEOUT_MS,
);

async function crashAtAll(): Promise<void> {
  for (let n = 0; n < TIMES_EACH; n += 1) {
    const seconds = await allOf(POINTS, (point) => crashAt(point));
    process.stderr.write(`crash-points: taken over within ${Math.max(...seconds)} s\n`);
  }
}

/** Longer than a command to Redis takes on a busy machine: what was recorded of a row is so before the next one's answer. */
const LATENCY_MS = 300;

/** One process dies at the point, the same command takes the file to its end in so many seconds, and every row is what it must be. */
async function crashAt(point: CrashPoint, times = TIMES): Promise<number> {
  const crash: Crash = CRASH_POINTS[point];
  const flow = await startFlow({
    times,
    faults: [crash.at === null ? 'hang=first:1' : `latency=${LATENCY_MS}ms`],
    recordRequests: 2 * ROWS,
  });
  const args = [
    '--job-file',
    await flow.file('job.yaml', createJob('concurrency: 1')),
    await flow.file('rows.csv', subclientsCsv(ROWS)),
  ];
  await die(flow, crash, args);
  const sent = madeIn(flow);
  const began = performance.now();
  const { exitCode, summary } = await flow.run(args);
  const keys = keysOf(ROWS);
  const truth = await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  const fates = await fatesIn(flow, summary);
  for (const [i, fate] of fates.entries())
    expect(fatesPossible(crash, keys[i] ?? '', sent), `${point}: row ${i + 1} of ${fates}`).toContain(fate);
  expect(exitCode, point).toBe(fates.every((fate) => fate === 'created') ? 0 : 5);
  expect(flow.sandbox.requests(), `${point}: requests in all`).toHaveLength(truth.made);
  return secondsSince(began);
}

async function die(flow: Flow, { at }: Crash, args: readonly string[]): Promise<void> {
  const env = { ...preloadEnv('crash-point'), ONBOARD_TEST_CRASH: at ?? '' };
  const started = flow.start(['run', ...args], env);
  if (at === null) await killOnceMade(flow, started);
  const { stderr } = await started.ended;
  expect(started.child.signalCode, `it went past ${at ?? 'the write'}; stderr: ${stderr}`).toBe('SIGKILL');
}

/** However late this is on a busy machine: there is no answer. */
async function killOnceMade({ sandbox }: Flow, { child }: Started): Promise<void> {
  await until(() => sandbox.stats().made.subclients === 1);
  child.kill('SIGKILL');
  if (child.signalCode === null) await once(child, 'exit');
}

async function fatesIn(flow: Flow, summary: Parameters<Flow['results']>[0]): Promise<string[]> {
  const made = madeIn(flow);
  return (await flow.results(summary)).map(({ outcome, key = '', code }) => {
    if (outcome !== 'in-doubt') return outcome ?? '';
    expect(code).toBe('worker_lost');
    return made.has(key) ? 'in-doubt-made' : 'in-doubt-not-made';
  });
}

function madeIn({ sandbox }: Flow): ReadonlySet<string> {
  return new Set([...sandbox.entities('subclient')].map(({ key }) => key ?? ''));
}

/** `sent`: the keys that the service had when the process died. On a busy machine rows may go in another order than the file's. */
function fatesPossible({ row, fate, or = fate }: Crash, key: string, sent: ReadonlySet<string>): Fate[] {
  const isAtStake = row === null ? sent.has(key) : key === keysOf(ROWS)[row - 1];
  if (isAtStake) return [fate, or];
  // Its answer may not have been recorded when the process died.
  return sent.has(key) ? ['created', 'in-doubt-made'] : ['created'];
}
