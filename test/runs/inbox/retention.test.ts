import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { identityOf, ledgerName } from '../../../src/engine/ledger/keys.ts';
import { settledMark } from '../../../src/engine/ledger/mark.ts';
import { originFields } from '../../../src/engine/ledger/origins.ts';
import { openPurge } from '../../../src/engine/ledger/purge.ts';
import { newRunId } from '../../../src/engine/ledger/run-store.ts';
import { IN_CLEAR } from '../../../src/engine/ledger/sealing.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { newWorkerId } from '../../../src/lib/worker-id.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { accountOf } from '../../../src/runs/account.ts';
import { purge, purgeDaily } from '../../../src/runs/inbox/retention.ts';
import { seedRun } from '../../support/doubts.ts';
import { settlementsOf } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { holdChunk, openTestSession, type TestSession } from '../../support/session.ts';
import { doubtOf, endedRow } from '../../support/settled-row.ts';
import { addCount, counted, namesIn, setEntry, setOfRun, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();
const ALL = { run: null, olderThanMs: 3_600_000, isOpenToo: true, by: 'ann' };
const MARK = 'zyxomma';
const ROW = { kind: 'cells' as const, row: 5, line: 6, cells: [MARK] };

const openHere = (env = {}) => openTestSession(own(), onTestFinished, env);
const keysOf = ({ ledger, service }: TestSession) => ledger.of(service.target).keys;

async function put(session: TestSession, path: string, text = MARK): Promise<string> {
  const file = join(session.env.home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** A run that ended, of three chunks, with all that may be kept of its rows; its second row ended late. */
async function seed(session: TestSession, over: Partial<Settlement> = {}, outcome: Outcome = 'failed') {
  const { redis, index } = session.ledger;
  const keys = keysOf(session);
  const rows = Array.from({ length: 6 }, (_, i) =>
    endedRow(i + 1, i === 0 ? outcome : 'created', {
      key: `${MARK}-${i + 1}`,
      id: `id-${i + 1}`,
      message: MARK,
      ...over,
    }),
  );
  const settlements = rows.map((one) =>
    one.row === 2 ? { ...one, outcome: 'failed' as const, code: 'not_created' } : one,
  );
  const registered = newRun({
    id: newRunId(new Date('2026-11-01T00:00:00Z')),
    rows: 6,
    chunkRows: 2,
    target: session.service.target,
  });
  const run = await seedRun(redis, keys, { run: registered, settlements, closed: true });
  await index.add(run.id, run.target, new Date(run.createdAt));
  const k = keys.run(run.id);
  await setOfRun(redis, k, 'late', {
    2: settledMark({ ...rows[1], outcome: 'created' } as Settlement, CLEAR),
  });
  await addCount(redis, k, 'failed', -1);
  await addCount(redis, k, 'created', 1);
  await setRecord(redis, k, { dataKey: 'wrapped' });
  for (const what of ['sources', 'bodies', 'documents', 'sightings', 'input'] as const)
    await setOfRun(redis, k, what, { 1: MARK });
  await session.queue.add([{ run: run.id, chunk: 3, rows: [{ row: ROW, claim: { kind: 'claimed' } }] }]);
  const journal = `journal/${ledgerName(run.target)}/${newWorkerId()}/${run.id}.log`;
  for (const path of [
    journal,
    `reports/${run.id}/failed.csv`,
    `done/a.${run.id}.csv`,
    `done/a.${run.id}.csv.note.txt`,
  ])
    await put(session, path);
  return (await session.store.get(run.id)) ?? run;
}

/**
 * The connection answers so many commands more, as if the process were killed then; `restore` ends
 * that. A pipeline is one: it waits for all of its commands before it writes any.
 */
function killAfter(redis: Redis, commands: number): () => void {
  const send = redis.sendCommand.bind(redis);
  const pipelines = new Set<unknown>();
  let left = commands;
  redis.sendCommand = (command, ...rest) => {
    const [pipeline] = rest;
    if (pipeline === undefined || !pipelines.has(pipeline)) left -= 1;
    pipelines.add(pipeline);
    if (left >= 0) return send(command, ...rest);
    command.reject(new Error('killed'));
    return command.promise;
  };
  return () => {
    redis.sendCommand = send;
  };
}

/** What is left of a run: its keys by their endings, its rows, its files. */
async function leftOf(session: TestSession, id: string) {
  const { redis } = session.ledger;
  const run = await session.store.get(id);
  if (run === null) throw new Error('the run is gone');
  const names = (await namesIn(redis, keysOf(session))).filter((name) => name.includes(id));
  const found = await readdir(session.env.home, { recursive: true });
  return {
    keys: names.map((name) => name.split(id)[1]),
    rows: (await settlementsOf(redis, keysOf(session), run)).map((one) => [
      one.row,
      one.outcome,
      one.id,
      one.key,
      one.keyDigest,
      one.message,
    ]),
    files: found.filter((path) => path.includes(id) && path.includes('.')),
    told: (await redis.lrange(keysOf(session).run(id).story, 0, -1)).filter((line) =>
      line.includes('"purged"'),
    ).length,
    purged: run.purged,
    dataKey: await redis.hget(keysOf(session).run(id).record, 'dataKey'),
    closed: [run.closedChunks, run.outcomes.created],
  };
}

const LEFT = {
  keys: ['', ':blocks', ':open-rows', ':story'],
  rows: [1, 2, 3, 4, 5, 6].map((row) => [
    row,
    row === 1 ? 'failed' : 'created',
    `id-${row}`,
    '',
    identityOf({ sealing: IN_CLEAR }, `${MARK}-${row}`).digest,
    '',
  ]),
  files: [],
  told: 1,
  purged: { by: 'ann', at: expect.any(String), isDone: true },
  dataKey: null,
  closed: [3, 5],
};

describe('a purge', () => {
  test('by ONBOARD_RETENTION says how many runs it kept, and the audit that it was nobody’s hand', async () => {
    const session = await openHere({ ONBOARD_RETENTION: '1d' });
    const { redis } = session.ledger;
    const [kept, run] = [await seed(session), await seed(session, {}, 'created')];
    await setRecord(redis, keysOf(session).run(kept.id), counted({ 'in-doubt': 1 }));
    await purgeDaily(true, session);
    const line = 'Kept, though due: 1 run; `onboard purge --dry-run` lists what is kept, and why.\n';
    expect(session.io.stderr.text).toBe(`Purged 1 run, as ONBOARD_RETENTION says.\n${line}`);
    await purgeDaily(true, session);
    expect(session.io.stderr.text.endsWith(`says.\n${line}${line}`)).toBe(true);
    const [entry = ''] = await redis.lrange(keysOf(session).audit, -1, -1);
    expect(JSON.parse(entry)).toMatchObject({ what: 'purged', run: run.id, of: { by: 'retention' } });
    await session.ledger.index.remove(kept.id);
  });

  test('names a run that can not be read, and takes the others all the same', async () => {
    const session = await openHere();
    const [broken, other] = [await seed(session), await seed(session)];
    await setOfRun(session.ledger.redis, keysOf(session).run(broken.id), 'blocks', { 1: 'no block' });
    const asked = { run: null, olderThanMs: 1, isOpenToo: true, by: 'ann' };
    const { runs, notPurged } = await purge(asked, session);
    expect(runs.map(({ run }) => run)).toEqual([other.id]);
    expect(notPurged).toEqual([
      { run: broken.id, job: broken.job, why: expect.stringContaining("can't be read") },
    ]);
    await session.ledger.index.remove(broken.id);
  });

  test('that is killed at any of its commands goes on the next time, and leaves the same', async () => {
    const session = await openHere();
    const redis = session.ledger.redis as Redis;
    // Writing its file anew would take most of the time.
    await redis.config('SET', 'appendonly', 'no');
    let kills = 0;
    for (let isKilled = true; isKilled; kills += 1) {
      const { id } = await seed(session);
      const restore = killAfter(redis, kills);
      isKilled = await purge(ALL, session).then(
        () => false,
        () => true,
      );
      restore();
      const { runs } = await purge(ALL, session);
      expect(runs.length <= 1).toBe(true);
      expect(await leftOf(session, id), `killed after ${kills} commands`).toEqual(LEFT);
      await session.ledger.index.remove(id);
      await rm(join(session.env.home, 'reports', id), { recursive: true });
    }
    expect(kills).toBeGreaterThan(20);
  }, 60_000);

  test('beside another one of the same run does the same once', async () => {
    const session = await openHere();
    const { id } = await seed(session);
    await Promise.all([purge(ALL, session), purge(ALL, session), purge(ALL, session)]);
    expect(await leftOf(session, id)).toEqual(LEFT);
  });

  test('does not end before all rows were read: what became of the others would be gone', async () => {
    const session = await openHere();
    const run = await seed(session);
    const steps = openPurge(session.ledger.redis, keysOf(session), run);
    const purged = { by: 'ann', at: new Date().toISOString(), isDone: true };
    await steps.begin(purged);
    await expect(steps.complete(purged)).rejects.toThrow('not all rows');
    expect(await settlementsOf(session.ledger.redis, keysOf(session), run)).toHaveLength(6);
    expect((await purge(ALL, session)).runs).toHaveLength(1);
  });

  test('keeps a run whose rows stand for those of several files while one of them is open', async () => {
    const session = await openHere();
    const [one, other, both] = [await seed(session), await seed(session), await seed(session)];
    const origins = new Map([one, other].map(({ id }, i) => [id, [[i + 1, 1] as const]]));
    await setRecord(session.ledger.redis, keysOf(session).run(both.id), await originFields(origins));
    const { notPurged } = await purge({ ...ALL, run: both.id, isOpenToo: false }, session);
    expect(notPurged).toMatchObject([
      { run: both.id, why: expect.stringContaining('1 row of its file open') },
    ]);
    expect((await purge(ALL, session)).runs).toHaveLength(3);
  });

  test('leaves an account closed by a record that another run made under a key of it', async () => {
    const session = await openHere();
    const run = await seed(session);
    const later = await seed(session, { outcome: 'created' }, 'created');
    const createdAt = '2026-11-22T00:00:00Z';
    await setRecord(session.ledger.redis, keysOf(session).run(later.id), { createdAt });
    const isClosed = async () => (await accountOf(run, session.ledger)).open === 0;
    expect(await isClosed()).toBe(false);
    await setEntry(session.ledger.redis, keysOf(session), `${MARK}-1`, `k ${later.id} 1 id-1`);
    expect(await isClosed()).toBe(true);
    const { runs } = await purge({ ...ALL, isOpenToo: false }, session);
    expect(runs.map((one) => one.run).sort()).toEqual([run.id, later.id].sort());
    expect(await isClosed()).toBe(true);
  });

  test('keeps what is not over, in doubt, in hand or younger than its journals, and says why', async () => {
    const session = await openHere();
    const { redis, index } = session.ledger;
    const keys = keysOf(session);
    const [inDoubt, inHand, young] = [await seed(session), await seed(session), await seed(session)];
    await setRecord(redis, keys.run(inDoubt.id), counted({ 'in-doubt': 2 }));
    await setRecord(redis, keys.run(young.id), { finishedAt: new Date().toISOString() });
    const { taken } = await holdChunk(session);
    await taken;
    const running = await seedRun(redis, keys, {
      run: newRun({ target: session.service.target }),
      settlements: [doubtOf(1)],
      closed: false,
    });
    await index.add(running.id, running.target, new Date(running.createdAt));
    const { notPurged } = await purge({ ...ALL, olderThanMs: 0 }, session);
    const why = (id: string) => notPurged.find((one) => one.run === id)?.why;
    expect(why(inDoubt.id)).toContain('2 rows in doubt');
    expect(why(young.id)).toMatch(/less than ten minutes ago, .*: purge it after 2\S+ \d\d:\d\d:\d\d UTC$/);
    expect(why(running.id)).toContain('it is running');
    expect([inDoubt, inHand].map(({ id }) => why(id)).join()).toContain('in hand');
    const { notPurged: old } = await purge({ ...ALL, olderThanMs: 86_400_000 * 365 }, session);
    expect(old).toEqual([]);
  });

  test('keeps a run whose file waits to be put away, in any of its inboxes, and says where', async () => {
    const session = await openHere();
    const { id } = await seed(session);
    const definition = { ...newRun().definition, inbox: 'mine' };
    await setRecord(session.ledger.redis, keysOf(session).run(id), { definition });
    for (const inbox of ['inbox', 'uploads', 'mine']) {
      const file = await put(session, `${inbox}/.processing/${id}/a.csv`);
      await put(session, `${inbox}/.processing/${id}/.claim.json`);
      const { runs, notPurged } = await purge({ ...ALL, run: id, olderThanMs: null }, session);
      const why = `its file is still in ${dirname(file)}: \`onboard start\` puts it away first`;
      expect([runs, notPurged.map((one) => one.why)]).toEqual([[], [why]]);
      // Nothing is left but what the watcher has not removed yet.
      await rm(file);
    }
    expect((await purge({ ...ALL, run: id, olderThanMs: null }, session)).runs).toHaveLength(1);
  });

  test('names the journals of other homes that have the run still, in the daily one too', async () => {
    const session = await openHere({ ONBOARD_RETENTION: '1d' });
    const { id } = await seed(session, {}, 'created');
    const [own] = await readdir(join(session.env.home, 'journal', ledgerName(session.service.target)));
    const journals = { [own ?? '']: 'here', 'host.1': '/their/journal/x/host.1' };
    await setOfRun(session.ledger.redis, keysOf(session).run(id), 'journals', journals);
    await purgeDaily(true, session);
    expect(session.io.stderr.text).toContain(
      `Run ${id}: its rows are still in another home, /their/journal/x/host.1`,
    );
    expect(session.io.stderr.text).not.toContain('home, here');
  });

  test('removes files that were given again, of another home’s purge and, by age, of no run; no others', async () => {
    const session = await openHere();
    const run = await seed(session);
    const [kept, again] = [await seed(session), newRunId(new Date('2026-11-02T00:00:00Z'))];
    await setRecord(session.ledger.redis, keysOf(session).run(kept.id), counted({ 'in-doubt': 1 }));
    const [refused, fresh] = [newRunId(new Date('2026-11-03T00:00:00Z')), newRunId(new Date())];
    await put(session, `done/a.${again}.csv`);
    await put(
      session,
      `done/a.${again}.csv.note.txt`,
      `a.csv was known\n\n  file  a.csv\n  run   ${run.id}, finished\n`,
    );
    for (const id of [refused, fresh]) await put(session, `failed/r.${id}.csv`);
    // A folder was refused, and two files were put there by hand.
    await put(session, `failed/folder.${refused}.csv/in.csv`);
    await utimes(await put(session, 'failed/old.csv'), new Date(0), new Date('2026-11-03T00:00:00Z'));
    await put(session, 'failed/young.csv');
    expect((await purge({ ...ALL, isDry: true }, session)).otherFiles).toBe(3);
    expect((await purge(ALL, session)).otherFiles).toBe(3);
    await put(session, `reports/${run.id}/results.csv`);
    await put(session, `done/b.${run.id}.csv`);
    expect((await purge(ALL, session)).otherFiles).toBe(1);
    expect((await readdir(join(session.env.home, 'done'))).sort()).toEqual([
      `a.${kept.id}.csv`,
      `a.${kept.id}.csv.note.txt`,
    ]);
    expect(await readdir(join(session.env.home, 'failed'))).toEqual([`r.${fresh}.csv`, 'young.csv']);
    expect(await readdir(join(session.env.home, 'reports', run.id))).toEqual([]);
  });
});
