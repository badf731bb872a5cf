import { describe, expect, test } from 'vitest';
import { createJob, type Flow, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import {
  type LimitedService,
  type LimitedServiceOptions,
  startLimitedService,
} from '../support/limited-service.ts';
import { until } from '../support/until.ts';

const ANSWER_MS = 50;
const AT_ONCE = 20;
const CEILING = 100;

/** A run of that many rows against a service that works on twenty at once; `ended`: its exit status. */
async function startRun(rows: number, over: Partial<LimitedServiceOptions>) {
  const flow = await startFlow();
  const service = await startLimitedService(flow.sandbox.url, {
    atOnce: AT_ONCE,
    answerMs: ANSWER_MS,
    ...over,
  });
  const job = await flow.file('job.yaml', createJob(`concurrency: ${CEILING}`));
  const file = await flow.file('rows.csv', subclientsCsv(rows));
  // A process of its own: what the service takes of this one's time must not look like longer answers.
  const args = ['run', '--job-file', job, file, '--json'];
  const run = flow.start(args, { MSB_BASE_URL: service.url }).ended.then(withSummary);
  return { flow, service, run };
}

/** Mean number in flight while so many more rows are carried out. */
async function meanWhile(service: LimitedService, rows: number): Promise<number> {
  const from = performance.now();
  const due = service.carriedOut() + rows;
  await until(() => service.carriedOut() >= due);
  return service.meanInFlight(from, performance.now());
}

const made = ({ sandbox }: Flow) => sandbox.stats().made.subclients;

describe('a run that may have a hundred requests in flight, and a service that bears twenty', () => {
  test('settle near twenty where more are refused, with few refusals, and every row is created once', async () => {
    // Answers take so long that a slow machine, too, sends as many as have to be in flight.
    const { flow, service, run } = await startRun(1000, { answerMs: 3 * ANSWER_MS });
    await until(() => service.carriedOut() >= 200);
    const mean = await meanWhile(service, 650);
    const { exitCode, summary } = await run;
    expect([exitCode, summary.outcomes.created, made(flow)]).toEqual([0, 1000, 1000]);
    expect(mean).toBeGreaterThan(0.5 * AT_ONCE);
    expect(mean).toBeLessThan(2 * AT_ONCE);
    expect(service.refused()).toBeLessThan(0.1 * 1000);
  });

  test('come up again when it bears more', async () => {
    // Answers take longer here: many in flight must not ask for more than a busy machine does.
    const { service, run } = await startRun(3000, { answerMs: 4 * ANSWER_MS });
    const before = await meanWhile(service, 750);
    service.setAtOnce(CEILING);
    // How soon depends on how busy the machine is: before the run ends, in any case.
    let after = 0;
    while (after <= 2 * AT_ONCE && service.carriedOut() < 2750)
      after = Math.max(after, await meanWhile(service, 125));
    await run;
    expect(before).toBeLessThan(2 * AT_ONCE);
    expect(after).toBeGreaterThan(2 * AT_ONCE);
  });
});
