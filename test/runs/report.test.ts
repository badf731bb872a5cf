import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { resolveRows } from '../../src/engine/ledger/resolve.ts';
import { followReport } from '../../src/runs/report.ts';
import { reportDirectory } from '../../src/session.ts';
import { useOwnRedis } from '../support/redis.ts';
import { closeChunk, knownRun, openTestSession, startTestRun } from '../support/session.ts';
import { doubtOf, settledRow } from '../support/settled-row.ts';
import { setOfRun } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { csvRecords, filesOf, settled } from './report/make-report.ts';

const own = useOwnRedis();

test('a report is written once Redis takes commands again, and until then its user knows why it is not', async ({
  onTestFinished,
}) => {
  const session = await openTestSession(own(), onTestFinished);
  const { run } = await startTestRun(session, { rows: 1 });
  await closeChunk(session, run, 1, [settledRow(1, 'created')]);
  await session.store.transition(run.id, 'finished', null);
  const ended = await knownRun(session.store, run.id);
  const { redis } = own();
  // A replica without its master answers MASTERDOWN to every command.
  await redis.config('SET', 'replica-serve-stale-data', 'no');
  await redis.replicaof('127.0.0.1', 1);
  const reporting = followReport(ended, session).finish(ended);
  await Promise.race([reporting, until(() => session.io.stderr.text.includes('the report waits'))]);
  await redis.replicaof('NO', 'ONE');
  expect(await reporting).toMatchObject({ state: 'finished', exitCode: 0, outcomes: { created: 1 } });
});

test('while a run goes on its summary alone is written, and at its end all of it, a row that was settled late as it was settled', async ({
  onTestFinished,
}) => {
  const session = await openTestSession(own(), onTestFinished);
  const { store, ledger } = session;
  const { run } = await startTestRun(session, { rows: 2 });
  const { redis } = ledger;
  const keys = ledger.of(run.target).keys;
  const directory = reportDirectory(session.env, run.id);
  await closeChunk(session, run, 1, [doubtOf(1)]);
  await setOfRun(redis, keys.run(run.id), 'doubts', { 1: '1' });
  const report = followReport(run, session);
  report.look(await knownRun(store, run.id));
  const names = () => readdir(directory).catch((): string[] => []);
  await until(async () => (await names()).includes('summary.json'));
  expect(await names()).toEqual(['summary.json']);
  const decisions = [{ row: 1, decision: { kind: 'created', id: 'sub-late' } }] as const;
  await resolveRows(redis, keys, { run, by: 'ann', at: new Date(), decisions });
  await closeChunk(session, run, 2, [settled(2, 'created')]);
  await store.transition(run.id, 'finished', null);
  const summary = await report.finish(await knownRun(store, run.id));
  expect(summary).toMatchObject({ exitCode: 0, controlTotal: { holds: true } });
  const files = await filesOf(directory);
  expect(Object.keys(files)).toEqual([
    'digest.json',
    'rejections.jsonl',
    'report.html',
    'results.csv',
    'summary.json',
  ]);
  const results = csvRecords(files['results.csv']).slice(1);
  expect(results.map(([row, , , outcome, , id]) => [row, outcome, id])).toEqual([
    ['1', 'created', 'sub-late'],
    ['2', 'created', ''],
  ]);
});
