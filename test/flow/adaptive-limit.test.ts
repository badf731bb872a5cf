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

/** A run of that many rows against a service that works on twenty at once. */
async function startRun(
  rows: number,
  over: Pick<LimitedServiceOptions, 'beyond'> & Partial<LimitedServiceOptions>,
) {
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
  const { ended } = flow.start(args, { MSB_BASE_URL: service.url });
  return { flow, service, ended };
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
    const { flow, service, ended } = await startRun(3000, { beyond: 'refuse' });
    await until(() => service.carriedOut() >= 500);
    const mean = await meanWhile(service, 2000);
    const { exitCode, summary } = withSummary(await ended);
    expect([exitCode, summary.outcomes.created, made(flow)]).toEqual([0, 3000, 3000]);
    expect(mean).toBeGreaterThan(0.5 * AT_ONCE);
    expect(mean).toBeLessThan(2 * AT_ONCE);
    expect(service.refused()).toBeLessThan(0.1 * 3000);
  });

  test('come up again when it bears more', async () => {
    // Answers take longer here: many in flight must not ask for more than a busy machine does.
    const { service } = await startRun(6000, { beyond: 'refuse', answerMs: 2 * ANSWER_MS });
    const before = await meanWhile(service, 1500);
    service.setAtOnce(CEILING);
    // How soon depends on how busy the machine is: before the run ends, in any case. What is left of it by then ends with the test.
    let after = 0;
    while (after <= 2 * AT_ONCE && service.carriedOut() < 5500)
      after = Math.max(after, await meanWhile(service, 250));
    expect(before).toBeLessThan(2 * AT_ONCE);
    expect(after).toBeGreaterThan(2 * AT_ONCE);
  });
});
