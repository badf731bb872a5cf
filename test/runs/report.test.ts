import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { packBlock } from '../../src/ledger/mark.ts';
import { resolveRows } from '../../src/ledger/resolve.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { followReport } from '../../src/runs/report.ts';
import { reportDirectory } from '../../src/session.ts';
import { csvRecords, filesOf, settled } from '../report/make-report.ts';
import { doubtOf } from '../support/doubts.ts';
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
  const reporting = followReport(ended, session).finish(ended);
  await Promise.race([reporting, until(() => session.io.stderr.text.includes('the report waits'))]);
  await redis.replicaof('NO', 'ONE');
  expect(await reporting).toMatchObject({ state: 'finished', exitCode: 0, outcomes: { created: 1 } });
});

/** More than is buffered: once it is written, so is every row before it. */
const LONG = 'x'.repeat(70_000);
const created = (row: number, given: Partial<Settlement> = {}) => settled(row, 'created', given);

/** A run of three rows, the first two of which are closed, and its report as far as `look` has written it ahead. */
async function openFollowed({ onTestFinished }: TestContext, first: Settlement, isReader = true) {
  const session = await openTestSession(own(), onTestFinished);
  const { store, ledger } = session;
  const { run } = await startTestRun(session, { rows: 3 });
  const keys = ledger.of(run.target).keys;
  const directory = reportDirectory(session.env, run.id);
  await closeChunk(session, run, 1, [first]);
  await closeChunk(session, run, 2, [created(2, { message: LONG })]);
  const report = followReport(run, session);
  onTestFinished(report.close);
  report.look(await knownRun(store, run.id), isReader);
  const names = () => readdir(directory).catch((): string[] => []);
  const sizeAhead = async () => {
    const name = (await names()).find((found) => /^\.results\.csv\..*\.part$/.test(found));
    return name === undefined ? 0 : (await stat(join(directory, name))).size;
  };
  return {
    session,
    run,
    keys,
    names,
    sizeAhead,
    untilAhead: () => until(async () => (await sizeAhead()) > LONG.length),
    /** The results of the finished run, the header aside. */
    async finish(): Promise<string[][]> {
      await closeChunk(session, run, 3, [created(3)]);
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
      return csvRecords(files['results.csv']).slice(1);
    },
  };
}

test('what is closed is written while the run goes on, by the process that reads it, and the rest at its end', async (context) => {
  const f = await openFollowed(context, created(1));
  await f.untilAhead();
  expect((await f.names()).filter((name) => /^[^.]/.test(name) && name !== 'summary.json')).toEqual([]);
  expect((await f.finish()).map(([row, , , outcome]) => [row, outcome])).toEqual([
    ['1', 'created'],
    ['2', 'created'],
    ['3', 'created'],
  ]);
});

test('a process that doesn’t read the run writes nothing ahead, and the same report', async (context) => {
  const f = await openFollowed(context, created(1), false);
  await until(async () => (await f.names()).includes('summary.json'));
  expect(await f.sizeAhead()).toBe(0);
  expect(await f.finish()).toHaveLength(3);
});

test('a row in doubt that is settled after it was written ahead is as it was settled', async (context) => {
  const f = await openFollowed(context, doubtOf(1));
  const { redis } = f.session.ledger;
  await redis.hset(f.keys.run(f.run.id).doubts, '1', '1');
  await f.untilAhead();
  const decisions = [{ row: 1, decision: { kind: 'created', id: 'sub-late' } }] as const;
  await resolveRows(redis, f.keys, { run: f.run, by: 'ann', at: new Date(), decisions });
  const [first] = await f.finish();
  expect([first?.[3], first?.[5]]).toEqual(['created', 'sub-late']);
});

test('of a ledger that went back in time after rows were written ahead, they are as the ledger has them then', async (context) => {
  const f = await openFollowed(context, created(1, { id: 'sub-before' }));
  const { redis } = f.session.ledger;
  await f.untilAhead();
  await redis.hset(f.keys.run(f.run.id).blocks, '1', packBlock([created(1, { id: 'sub-after' })]));
  const before = f.session.registration.epoch.recoveries();
  await redis.hset(f.keys.epoch, 'server', 'an earlier server run');
  const [first] = await f.finish();
  expect(f.session.registration.epoch.recoveries()).toBeGreaterThan(before);
  expect(first?.[5]).toBe('sub-after');
});
