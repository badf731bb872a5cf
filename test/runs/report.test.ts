import { expect, test } from 'vitest';
import { reportOf } from '../../src/runs/report.ts';
import { useOwnRedis } from '../support/redis.ts';
import { closeChunk, knownRun, openTestSession, startTestRun } from '../support/session.ts';
import { settledRow } from '../support/settled-row.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();

test('a report is written once Redis takes commands again, and until then its user knows why it is not', async ({
  onTestFinished,
}) => {
  const session = await openTestSession(own(), onTestFinished);
  const { run } = await startTestRun(session, { rows: 1 });
  await closeChunk(session, run, 1, [settledRow(1, 'created').settlement]);
  await session.store.transition(run.id, 'finished', null);
  const ended = await knownRun(session.store, run.id);
  const { redis } = own();
  // A replica without its master answers MASTERDOWN to every command.
  await redis.config('SET', 'replica-serve-stale-data', 'no');
  await redis.replicaof('127.0.0.1', 1);
  const reporting = reportOf(ended, session);
  await Promise.race([reporting, until(() => session.io.stderr.text.includes('the report waits'))]);
  await redis.replicaof('NO', 'ONE');
  expect(await reporting).toMatchObject({ state: 'finished', exitCode: 0, outcomes: { created: 1 } });
});
