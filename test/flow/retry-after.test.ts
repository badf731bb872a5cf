import { expect, test } from 'vitest';
import { startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { type Arrival, startLimitedService } from '../support/limited-service.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';

const TOKENS = ['flow-token', 'token-of-work'];
/** More than one has in hand, so that both send. */
const ROWS = 1500;
const ANSWER_MS = 150;
const WAIT_MS = 4_000;
/** How long a request may be on its way from its permission to the service, on a machine that is busy. */
const ON_ITS_WAY_MS = 2_500;
/** Timers fire up to a millisecond early, and Redis counts whole ones. */
const EARLY_MS = 10;
const HOUR_MS = 3_600_000;

const httpDate = (ms: number) => new Date(ms).toUTCString();

/** The clock of a service that is so far ahead of ours (all of them: test/service/retry-wait.test.ts). */
function datesOf(aheadMs: number): Record<string, string> {
  const now = Date.now() + aheadMs;
  return { date: httpDate(now), 'retry-after': httpDate(Math.floor(now / 1000) * 1000 + WAIT_MS) };
}

const senders = (arrivals: readonly Arrival[]) =>
  new Set(arrivals.map(({ authorization }) => authorization)).size;

test.each([
  ['seconds', () => ({ 'retry-after': String(WAIT_MS / 1000) })],
  ['a date by a clock that is an hour behind', () => datesOf(-HOUR_MS)],
])('a 429 with a Retry-After in %s is kept by every worker, for as long as it says', async (_, headers) => {
  const flow = await startFlow({ tokens: TOKENS });
  const answers = { atOnce: 50, answerMs: ANSWER_MS, headers } as const;
  const service = await startLimitedService(flow.sandbox.url, answers);
  const env = { MSB_BASE_URL: service.url };
  const file = await flow.file('rows.csv', subclientsCsv(ROWS));
  const run = flow.start(['run', 'subclients-create', file, '--json'], env).ended.then(withSummary);
  flow.start(['work'], { ...env, MSB_TOKEN: TOKENS[1] ?? '' });
  // However much later than the other one it starts, it has its share.
  await whileSlow(flow.sandbox, { after: [], latency: '1s' }, () =>
    until(() => senders(service.arrivals()) === TOKENS.length),
  );
  service.setAtOnce(0);
  await until(() => service.refused() > 0);
  // From now on nobody would be refused: whoever comes too early is seen.
  service.setAtOnce(50);
  const refusedAt = service.arrivals().find(({ isRefused }) => isRefused)?.at ?? 0;
  const lastRefusedAt = service.arrivals().findLast(({ isRefused }) => isRefused)?.at ?? 0;
  await until(() => senders(service.arrivals().filter(({ at }) => at > lastRefusedAt + WAIT_MS / 2)) === 2);
  const early = service
    .arrivals()
    .filter(({ at }) => at > refusedAt + ON_ITS_WAY_MS && at < refusedAt + WAIT_MS - EARLY_MS);
  expect(early).toEqual([]);
  const next = service.arrivals().find(({ at }) => at > refusedAt + ON_ITS_WAY_MS)?.at ?? 0;
  // A clock that is taken for ours would be an hour out.
  expect(next - lastRefusedAt).toBeLessThan(10 * WAIT_MS);
  expect((await run).summary.outcomes.created).toBe(ROWS);
});
