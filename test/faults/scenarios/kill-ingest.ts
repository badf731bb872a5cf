import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import { until } from '../../support/until.ts';
import { type Crew, startCrew } from '../support/crew.ts';
import { createDice, type Dice } from '../support/seed.ts';
import { momentLater, secondsSince } from '../support/times.ts';
import { assertTruth } from '../support/truth.ts';

export type KillIngestOptions = {
  readonly kills: number;
  readonly seed: number;
  /** How many `onboard work` send beside it; 0: the process that dies does it all. */
  readonly workers: 0 | 1;
};

/** A kill in three comes while the process starts, the others while it reads. */
const EARLY_SHARE = 1 / 3;
const LIFE_MAX_MS = 2_000;
const LATENCY_MS = 400;
/** `send.concurrency` of the job. */
const CONCURRENCY = 20;
/** Two processes at this latency send 100 rows a second at most. */
const ROWS_PER_KILL = 600;

/** The process that reads the file dies at random moments and is started again: nothing twice, nothing lost. */
export async function killIngest(options: KillIngestOptions) {
  const began = performance.now();
  const { kills, seed, workers } = options;
  const rows = kills * ROWS_PER_KILL;
  const crew = await startCrew({
    rows,
    homes: 'one',
    workers,
    sandbox: { faults: [`latency=${LATENCY_MS}ms±${LATENCY_MS}ms`] },
  });
  const killing = killAtMoments(crew, kills, createDice(seed));
  const [early, { summary }] = await Promise.all([killing, crew.finished]);
  const { flow, keys } = crew;
  const truth = await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  const report = { ...truth, kills, early, rows, seconds: secondsSince(began) };
  process.stderr.write(`kill-ingest ${JSON.stringify({ ...options, ...report })}\n`);
  // Only the process that died had rows that nobody can speak of: in flight, ready for their place, or just answered.
  expect(truth.inDoubtMade + truth.inDoubtNotMade).toBeLessThanOrEqual(1.5 * CONCURRENCY * kills);
  return report;
}

async function killAtMoments(crew: Crew, kills: number, dice: Dice): Promise<number> {
  const [run, worker] = crew.members;
  if (run === undefined) throw new Error('expected a run');
  const hasWorker = worker !== undefined;
  let early = 0;
  for (let n = 0; n < kills; n += 1) {
    const madeBefore = crew.made();
    // A worker beside it may take all chunks of so short a file.
    const isAtWork = () => run.requests() > 0 || (hasWorker && crew.made() > madeBefore);
    if (dice.next() > EARLY_SHARE) await until(isAtWork);
    await momentLater(dice.between(0, LIFE_MAX_MS));
    expect(crew.made(), 'the run was over before all kills').toBeLessThan(crew.keys.length);
    if (run.requests() === 0) early += 1;
    await run.kill();
  }
  // What is left only has to come to an end.
  crew.flow.sandbox.setFaults(['latency=10ms']);
  return early;
}
