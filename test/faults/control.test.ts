import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import {
  type Ended,
  type Flow,
  keysOf,
  type Started,
  startFlow,
  subclientsCsv,
  withSummary,
} from '../support/flow.ts';
import { newestRun, statusOf } from '../support/run-control.ts';
import { until, watchEnd } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';
import { createDice, type Dice, SEED } from './support/seed.ts';
import { LONG, secondsSince, TIMEOUT_MS, TIMES } from './support/times.ts';
import { assertTruth } from './support/truth.ts';

/** Each round is a run of its own, with these commands at moments of chance. */
const [ROUNDS, ROWS] = LONG ? [50, 2000] : [2, 800];

type Round = {
  readonly flow: Flow;
  readonly dice: Dice;
  readonly id: string;
  /** What this round's run has made. */
  made(): number;
  run: Started;
};
type Step = 'pause' | 'resume' | 'cancel';

/** What a person may do to a run, one after the other. */
const PLANS: ReadonlyArray<readonly Step[]> = [
  ['pause', 'resume'],
  ['cancel'],
  ['pause', 'cancel'],
  ['pause', 'resume', 'pause', 'resume'],
  ['pause', 'resume', 'cancel'],
];
const LATENCY = 'latency=300ms±250ms';
/** While a command is on its way: most of them are to find the run under way. */
const SLOWLY = { after: [LATENCY], latency: '1s' };

test(
  `${ROUNDS} runs are paused, resumed and cancelled at any moment, with a worker beside: nothing twice, nothing lost (seed ${SEED})`,
  async () => {
    const began = performance.now();
    const dice = createDice(SEED);
    const flow = await startFlow({ times: TIMES, seed: SEED });
    const worker = flow.start(['work']);
    const counts = { pause: 0, resume: 0, cancel: 0 };
    let late = 0;
    for (let n = 1; n <= ROUNDS; n += 1) {
      const done = await playRound(flow, dice, n);
      for (const step of done) counts[step] += 1;
      late += PLANS[(n - 1) % PLANS.length]?.length === done.length ? 0 : 1;
    }
    worker.child.kill('SIGTERM');
    expect((await worker.ended).exitCode).toBe(4);
    process.stderr.write(`control ${JSON.stringify({ ...counts, late, seconds: secondsSince(began) })}\n`);
    expect(late, 'most commands found a run under way').toBeLessThanOrEqual(ROUNDS / 2);
    expect(counts.cancel).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

/** Answers the steps that found the run not ended. */
async function playRound(flow: Flow, dice: Dice, n: number): Promise<readonly Step[]> {
  flow.sandbox.setFaults([LATENCY]);
  const madeBefore = flow.sandbox.stats().made.subclients;
  const prefix = `R${n}-`;
  const file = await flow.file(`round-${n}.csv`, subclientsCsv(ROWS, prefix));
  const run = flow.start(['run', 'subclients-create', file, '--json']);
  const made = () => flow.sandbox.stats().made.subclients - madeBefore;
  await until(() => made() > 0);
  const round: Round = { flow, dice, id: await newestRun(flow), made, run };
  const done: Step[] = [];
  for (const step of PLANS[(n - 1) % PLANS.length] ?? []) {
    if (!(await STEPS[step](round))) break;
    done.push(step);
  }
  // The rest is not worth the waiting.
  flow.sandbox.setFaults([]);
  await round.run.ended;
  await judgeRound(round, { madeBefore, prefix, wasCancelled: done.includes('cancel') });
  return done;
}

/** `false`: the run had ended before. */
const STEPS: Readonly<Record<Step, (round: Round) => Promise<boolean>>> = {
  async pause(round) {
    await anyMoment(round);
    const paused = await whileSlow(round.flow.sandbox, SLOWLY, () => round.flow.onboard(['pause', round.id]));
    const ended = await round.run.ended;
    if (paused.exitCode === 3) return hadFinished(paused, ended);
    expect([paused.exitCode, ended.exitCode], paused.stderr + ended.stderr).toEqual([0, 2]);
    const { state, reason, controlTotal } = withSummary(ended).summary;
    expect([state, reason, controlTotal.holds]).toEqual(['paused', 'requested', true]);
    return true;
  },
  async resume(round) {
    round.run = round.flow.start(['resume', round.id, '--json']);
    return true;
  },
  async cancel(round) {
    await anyMoment(round);
    const cancelled = await whileSlow(round.flow.sandbox, SLOWLY, () =>
      round.flow.onboard(['cancel', round.id, '--json']),
    );
    const ended = await round.run.ended;
    if (cancelled.exitCode === 3) return hadFinished(cancelled, ended);
    expect([cancelled.exitCode, ended.exitCode], cancelled.stderr + ended.stderr).toEqual([0, 2]);
    const { state, controlTotal } = withSummary(cancelled).summary;
    expect([state, controlTotal.holds]).toEqual(['cancelled', true]);
    return true;
  },
};

/** From the first row to near the last one; at once, where nobody works for the run. */
async function anyMoment({ dice, made, run }: Round): Promise<void> {
  const due = made() + dice.next() * 0.5 * (ROWS - made());
  const isOver = watchEnd(run.ended);
  await until(() => isOver() || made() >= due);
}

function hadFinished(command: Ended, run: Ended): false {
  expect([run.exitCode, command.stderr]).toEqual([0, expect.stringContaining('is finished')]);
  return false;
}

type Expected = { readonly madeBefore: number; readonly prefix: string; readonly wasCancelled: boolean };

async function judgeRound({ flow, id, made }: Round, expected: Expected): Promise<void> {
  const { madeBefore, prefix, wasCancelled } = expected;
  const summary = await statusOf(flow, id);
  expect(summary.controlTotal.holds, 'the control total').toBe(true);
  expect(summary.outcomes).toMatchObject({
    created: wasCancelled ? made() : ROWS,
    cancelled: wasCancelled ? ROWS - made() : 0,
  });
  await assertTruth({
    sandbox: flow.sandbox,
    home: flow.home,
    summary,
    keys: keysOf(ROWS, prefix),
    madeBefore,
    state: wasCancelled ? 'cancelled' : 'finished',
  });
}
