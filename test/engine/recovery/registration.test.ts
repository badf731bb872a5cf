import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  rmdir,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import { type LedgerKeys, ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import { createRunStore, type RunStore } from '../../../src/engine/ledger/run-store.ts';
import type { SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import { listWorkers } from '../../../src/engine/recovery/journal/folder.ts';
import { type Journal, openJournal } from '../../../src/engine/recovery/journal/journal.ts';
import { openRegistration, type Registration } from '../../../src/engine/recovery/registration.ts';
import { restorableFields } from '../../../src/engine/recovery/replay.ts';
import { createLog, type Log } from '../../../src/lib/log.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { newWorkerId } from '../../../src/lib/worker-id.ts';
import { noOutcomes, type Outcome } from '../../../src/model/outcome.ts';
import { ownFolder } from '../../support/folder.ts';
import { claimOf, endedText, grantOf, intentOn, nextText } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { growingLog, startRedisServer } from '../../support/redis-server.ts';
import { newRun } from '../../support/runs.ts';
import { knownRun } from '../../support/session.ts';
import { settledRow } from '../../support/settled-row.ts';
import {
  chunkKey,
  copyOf,
  counted,
  forgetLeft,
  lose,
  restart,
  setEpoch,
  setOfRun,
  setRecord,
  signOff,
} from '../../support/stored.ts';
import { until } from '../../support/until.ts';

const own = useOwnRedis();

type Place = {
  readonly target: string;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  /** Where the journals of this home are. */
  readonly folder: string;
};

async function ownPlace(target = `http://127.0.0.1/${performance.now()}`): Promise<Place> {
  const home = await ownFolder();
  const keys = ledgerKeys(target);
  const store = createRunStore(own().redis, keys, () => new Date());
  return { target, keys, store, folder: join(home, 'journal') };
}

const quiet: Log = createLog('silent', { write: () => undefined }, () => 0);

type Joined = Registration & {
  readonly redis: Redis;
  readonly notices: string[];
  readonly troubles: string[];
};

/** A worker with a connection of its own, as a process has it. */
async function joinAs(place: Place & { graceMs?: number }, at: Redis = own().redis): Promise<Joined> {
  const redis = at.duplicate();
  onTestFinished(() => redis.disconnect());
  const notices: string[] = [];
  const troubles: string[] = [];
  const registration = await openRegistration({
    ...place,
    redis,
    index: createRunIndex(redis),
    log: { ...quiet, warn: (what) => void troubles.push(what) },
    notify: (text) => void notices.push(text),
  });
  onTestFinished(() => registration.close());
  return { ...registration, redis, notices, troubles };
}

async function startRun({ store, target }: Place, rows = 4): Promise<string> {
  const run = newRun({ rows, target });
  await store.register(run);
  await createRunIndex(own().redis).add(run.id, target, run.createdAt);
  await store.transition(run.id, 'running', null);
  return run.id;
}

async function placeWithRun(rows?: number) {
  const place = await ownPlace();
  return { place, run: await startRun(place, rows) };
}

/** The run ended longer ago than a journal is kept after it. */
async function longAgo({ keys }: Place, run: string): Promise<void> {
  await setRecord(own().redis, keys.run(run), { finishedAt: '2020-01-01T00:00:00.000Z' });
}

async function ledgerOf({ verified, journal }: Registration, { keys, store }: Place, id: string) {
  const run = await knownRun(store, id);
  return createChunkLedger({
    verified,
    keys,
    journal,
    run,
    seal: CLEAR,
    probeMs: 5_000,
    now: () => new Date(),
  });
}

const intent = (row: number, mark: string) =>
  intentOn(row, mark, { identity: { space: 'subclient', key: `K${row}` } });

function settled(row: number, outcome: Outcome, mark: string): SettledRow {
  const identity = { space: 'subclient', key: `K${row}` };
  return settledRow(row, outcome, { identity, mark });
}

/** Another run of the server than the one that the ledger was verified for. */
const restarted = ({ keys }: Place) => restart(own().redis, keys);

const REPLAYING = 'Replaying the journal of a process that has ended.';

async function marks({ keys }: Place, run: string): Promise<Record<string, string>> {
  const { n: _, ...marks } = await own().redis.hgetall(`${keys.run(run).chunk}1`);
  return marks;
}

/** The name of a worker whose process, on this machine, is dead. */
async function deadWorker(): Promise<string> {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  const parts = newWorkerId().split('.');
  return parts.with(3, String(child.pid)).join('.');
}

/** The journal of a process that was killed: row 1 created, row 2 sent with an unknown end. */
async function deadJournal(place: Place, run: string, name?: string): Promise<Journal> {
  const worker = name ?? (await deadWorker());
  const journal = await openJournal({ folder: place.folder, worker, onTrouble: () => undefined });
  const fields = restorableFields(await own().redis.hgetall(place.keys.run(run).record));
  await journal.write({ kind: 'run', run, fields });
  await journal.write({ kind: 'added', run, chunk: 1 });
  const rows = [1, 2].map((row) => ({ chunk: 1, row, mark: 'i dead.1 1' }));
  await journal.write({ kind: 'intended', run, next: nextText(...rows) });
  const ended = endedText(place.keys, [settled(1, 'created', 'i dead.1 1')]);
  await journal.write({ kind: 'settled', run, ended });
  // Redis has all that it has answered.
  const opened = (await own().redis.hget(place.keys.epoch, 'opened')) ?? '';
  await writeFile(join(place.folder, worker, 'epoch'), `${opened} 7\n`);
  await setEpoch(own().redis, place.keys, { sequences: { [worker]: 7 } });
  // Closing would tidy it up, as a process that is killed does not.
  onTestFinished(() => journal.close().catch(() => undefined));
  return journal;
}

async function journalOf({ folder }: Place, worker: string): Promise<string> {
  const names = await readdir(join(folder, worker));
  return join(folder, worker, names.find((name) => name.endsWith('.log')) ?? '');
}

describe('a Redis that was started again', () => {
  test('has the numbers of its runs made anew before anything is sent', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    const ledger = await ledgerOf(a, place, run);
    await grantOf(ledger, intent(1, 'i a.1 1'));
    await ledger.settle(settled(1, 'created', 'i a.1 1'));
    await setRecord(own().redis, place.keys.run(run), counted({ created: 5, 'in-doubt': -1 }));
    await restarted(place);
    await grantOf(ledger, intent(2, 'i a.1 2'));
    expect((await knownRun(place.store, run)).outcomes).toEqual({ ...noOutcomes(), created: 1 });
  });

  test('and starts on torn files has its own written anew, once for each start', async () => {
    const server = await startRedisServer();
    const place = await ownPlace();
    const rewritten = async () =>
      /aof_last_rewrite_time_sec:(-?\d+)/.exec(await server.redis.info('persistence'))?.[1];
    expect(await rewritten()).toBe('-1');
    await joinAs(place, server.redis);
    expect(await rewritten()).not.toBe('-1');
    const before = growingLog(server.folder);
    await joinAs(place, server.redis);
    await joinAs(await ownPlace(), server.redis);
    expect(growingLog(server.folder)).toBe(before);
  });
});

describe('a Redis that was emptied', () => {
  test('gets back what two workers did, in the runs that it has lost, and the runs are found by their ids', async () => {
    const { place, run } = await placeWithRun();
    const [a, b] = [await joinAs(place), await joinAs(place)];
    const [ours, theirs] = [await ledgerOf(a, place, run), await ledgerOf(b, place, run)];
    await Promise.all([a.remember(run), b.remember(run)]);
    await a.noteAdded(run, 1, () => true);
    await grantOf(ours, intent(1, 'i a.1 1'));
    await ours.settle(settled(1, 'created', 'i a.1 1'));
    await grantOf(theirs, intent(2, 'i b.1 1'));
    await grantOf(theirs, intent(3, 'i b.1 1'));
    await theirs.withdraw({ chunk: 1, row: 3, mark: 'i b.1 1' });

    await own().redis.flushall();
    const taken = await ours.take(1, []);
    const marked = [...taken.marks].sort().map(([row, { kind }]) => `${row} ${kind}`);
    expect(marked).toEqual(['1 settled', '2 intent']);
    expect(taken).toMatchObject({ state: 'running', closed: false, possiblySent: false });
    expect(await place.store.get(run)).toMatchObject({ outcomes: { ...noOutcomes(), created: 1 }, rows: 4 });
    expect(await createRunIndex(own().redis).targetOf(run)).toBe(place.target);
    expect(await own().redis.hgetall(place.keys.run(run).record)).toMatchObject({ added: '1' });
    const rows = [1, 2, 3].map((row) => [row, `K${row}`] as const);
    expect(await claimOf({ epoch: a.verified, keys: place.keys }, 'run-other', rows)).toEqual([
      { kind: 'known', run, id: 'id-1' },
      { kind: 'held', run, row: 2, inDoubt: false },
      { kind: 'claimed' },
    ]);
    expect([a.verified.recoveries(), b.verified.recoveries()]).toEqual([1, 1]);
  });

  test('and went back to before chunks were handed to the queue is told of them by who did that: each command counts', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    await a.remember(run);
    const goBack = await copyOf(own().redis, place.keys.epoch, place.keys.run(run).record);
    await a.noteAdded(run, 1, () => true);
    await goBack();
    await restarted(place);
    await a.verify();
    expect(await own().redis.hget(place.keys.run(run).record, 'added')).toBe('1');
  });

  test('is not given a row back whose intent nobody has granted yet', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    const ledger = await ledgerOf(a, place, run);
    await a.remember(run);
    await grantOf(ledger, intent(1, 'i a.1 1.1'));
    await grantOf(ledger, intent(2, 'i a.1 1.2'));
    const release = a.verified.keepOutOfReplay(() => [{ mark: 'i a.1 1.2' }]);
    await own().redis.flushall();
    await a.verify();
    expect(await marks(place, run)).toEqual({ 1: 'i a.1 1.1' });
    release();
    await own().redis.flushall();
    await a.verify();
    expect(await marks(place, run)).toEqual({ 1: 'i a.1 1.1', 2: 'i a.1 1.2' });
  });

  test('is given back the intent under which a row went while another take of its own asks for the row', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    const ledger = await ledgerOf(a, place, run);
    await a.remember(run);
    await grantOf(ledger, intent(1, 'i a.1 1.1'));
    await a.journal.write({
      kind: 'intended',
      run,
      next: nextText({ chunk: 1, row: 1, mark: 'i a.2 1.1' }),
    });
    const release = a.verified.keepOutOfReplay(() => [{ mark: 'i a.2 1.1' }]);
    await own().redis.flushall();
    await a.verify();
    expect(await marks(place, run)).toEqual({ 1: 'i a.1 1.1' });
    expect(await grantOf(ledger, intent(1, 'i a.2 1.1'))).toEqual({ kind: 'taken' });
    release();
  });
});

describe('a process that was killed', () => {
  test('has its journal put back by the next one, and nobody waits for it', async () => {
    const { place, run } = await placeWithRun();
    const { worker } = await deadJournal(place, run);
    await own().redis.flushall();
    await restart(own().redis, place.keys, { sequences: { [worker]: 7 } });
    const a = await joinAs(place);
    expect(await marks(place, run)).toEqual({ 1: expect.stringMatching(/^\[1,/), 2: 'i dead.1 1' });
    expect(await place.store.get(run)).toMatchObject({ outcomes: { ...noOutcomes(), created: 1 } });
    expect(await own().redis.hgetall(place.keys.epoch)).not.toHaveProperty([`m:${worker}`]);
    expect(a.notices.filter((text) => text.includes('orkers'))).toEqual([]);
  });

  test('has its run found by the next command on its file, though Redis forgot the run after that one had checked in', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    await deadJournal(place, run);
    const { sha256 } = await knownRun(place.store, run);
    const fresh = newRun({ rows: 4, target: place.target });
    const again = { ...fresh, facts: { ...fresh.facts, sha256 } };
    await own().redis.flushall();
    expect(await place.store.register(again, a.verified)).toEqual({ kind: 'known', id: run });
  });

  test('has its run found by who goes on with it, though Redis forgot the run meanwhile', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    await deadJournal(place, run);
    await own().redis.flushall();
    await a.remember(run);
    expect(a.journal.runs()).toEqual([run]);
    await own().redis.flushall();
    expect(await a.find(() => place.store.get(run))).toMatchObject({ id: run, state: 'running' });
    expect(await a.find(() => place.store.get('run-gone'))).toBeNull();
  });

  test('has its journal put back once: the next process finds that it was', async () => {
    const { place, run } = await placeWithRun();
    const { worker } = await deadJournal(place, run);
    await restarted(place);
    const a = await joinAs(place);
    expect(a.notices).toEqual([REPLAYING]);
    expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
    expect(await own().redis.zscore(place.keys.left, worker)).not.toBeNull();
    await lose(own().redis, chunkKey(place.keys.run(run)));
    await restarted(place);
    const b = await joinAs(place);
    expect([b.notices.includes(REPLAYING), a.notices.lastIndexOf(REPLAYING)]).toEqual([false, 0]);
    expect(await marks(place, run)).toEqual({});
  });

  test('after it had left properly has nothing put back', async () => {
    const { place, run } = await placeWithRun();
    const { worker } = await deadJournal(place, run);
    await lose(own().redis, place.keys.epoch);
    await signOff(own().redis, place.keys, worker);
    const a = await joinAs(place);
    expect(a.notices).toEqual([]);
    expect(await marks(place, run)).toEqual({});
    // Redis has forgotten that it left: it may have forgotten what it did.
    await forgetLeft(own().redis, place.keys, worker);
    await restarted(place);
    await a.verify();
    expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
  });

  test('and left a damaged line has all others put back, and what else it may have sent is in doubt: its user is told', async () => {
    const { place, run } = await placeWithRun();
    const { worker } = await deadJournal(place, run);
    const file = await journalOf(place, worker);
    await appendFile(file, 'not a line\n{"torn');
    await own().redis.flushall();
    const a = await joinAs(place);
    expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
    expect(await own().redis.hget(place.keys.run(run).record, 'suspect')).toBe('1');
    expect(a.notices.at(-1)).toContain(`is damaged (${file}, line 5), and Redis may have lost what it said`);
    expect(a.troubles).toEqual(['damaged lines of a journal are passed over']);
  });

  test('and left a damaged line costs no doubt where Redis has lost nothing', async () => {
    const { place, run } = await placeWithRun();
    await joinAs(place);
    const { worker } = await deadJournal(place, run);
    await appendFile(await journalOf(place, worker), 'not a line\n');
    const b = await joinAs(place);
    expect(await own().redis.hget(place.keys.run(run).record, 'suspect')).toBeNull();
    expect(b.notices).toEqual([REPLAYING]);
  });

  test('has that journal alone put back where Redis lacks no more than what was never answered', async () => {
    const { place, run } = await placeWithRun();
    await joinAs(place);
    const { worker } = await deadJournal(place, run);
    await appendFile(await journalOf(place, worker), '{"torn');
    const opened = await own().redis.hget(place.keys.epoch, 'opened');
    const b = await joinAs(place);
    expect(await marks(place, run)).toEqual({ 1: expect.stringMatching(/^\[1,/), 2: 'i dead.1 1' });
    expect(await own().redis.hget(place.keys.run(run).record, 'suspect')).toBeNull();
    expect([await own().redis.hget(place.keys.epoch, 'opened'), b.notices]).toEqual([opened, [REPLAYING]]);
  });

  test.each([
    ['one that it was in', 6],
    ['one from before it came', null],
  ])(
    'closes the ledger where Redis lacks what it had answered: it was given an older copy, %s',
    async (_, last) => {
      const { place, run } = await placeWithRun();
      const a = await joinAs(place);
      const { worker } = await deadJournal(place, run);
      await appendFile(await journalOf(place, worker), '{"torn');
      await setEpoch(own().redis, place.keys, { sequences: { [worker]: last } });
      const b = await joinAs(place);
      expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
      expect(await own().redis.hget(place.keys.run(run).record, 'suspect')).toBe('1');
      expect(a.verified.recoveries()).toBe(1);
      expect(b.notices).toContainEqual(expect.stringMatching(/^Redis has lost what it had answered/));
      expect(b.notices.at(-1)).toContain('line 5), and Redis may have lost what it said');
    },
  );

  test('in another container, which may live, has its journal put back for it where Redis lacks what it had answered', async () => {
    const { place, run } = await placeWithRun();
    await joinAs(place);
    const elsewhere = newWorkerId().split('.').with(2, '1').join('.');
    const { worker } = await deadJournal(place, run, elsewhere);
    await joinAs(place);
    expect(await marks(place, run)).toEqual({});
    // A copy from before it came.
    await forgetLeft(own().redis, place.keys, worker);
    const b = await joinAs({ ...place, graceMs: 3_000 });
    expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
    expect(b.notices).toContainEqual(expect.stringMatching(`journals are here.+${worker}`));
  });

  test('and was let go by a living worker is known to have lost nothing', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    const { worker } = await deadJournal(place, run);
    await setEpoch(own().redis, place.keys, { heard: { [worker]: 1 } });
    await until(async () => (await own().redis.hexists(place.keys.epoch, `m:${worker}`)) === 0);
    await joinAs(place);
    expect(a.verified.recoveries()).toBe(0);
    expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
  });

  test('and that others opened the ledger without, on a Redis that forgot its run, has its intents put back before the run goes on', async () => {
    const { place, run } = await placeWithRun();
    // A worker of another home: it can't know that journal.
    const elsewhere = await joinAs({ ...place, folder: join(await ownFolder(), 'journal') });
    const { worker } = await deadJournal(place, run);
    await own().redis.flushall();
    await elsewhere.verify();
    expect(await place.store.get(run)).toBeNull();
    await joinAs(place);
    expect(await marks(place, run)).toEqual({ 1: expect.stringMatching(/^\[1,/), 2: 'i dead.1 1' });
    expect(await own().redis.zscore(place.keys.left, worker)).not.toBeNull();
    await (await ledgerOf(elsewhere, place, run)).take(1, []);
    const opened = await own().redis.hget(place.keys.epoch, 'opened');
    // Once it is put back, nobody closes the ledger for it again.
    await joinAs(place);
    expect(await own().redis.hget(place.keys.epoch, 'opened')).toBe(opened);
  });

  test('and whose run Redis has lost with the line that names it keeps all from sending, with words', async () => {
    const { place, run } = await placeWithRun();
    const { worker } = await deadJournal(place, run);
    const file = await journalOf(place, worker);
    const [, ...others] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"kind":"run"', '"kind":"ran"'));
    // The run is known in this Redis: the rest of the journal is still put back.
    await restarted(place);
    const b = await joinAs(place);
    expect(await marks(place, run)).toMatchObject({ 2: 'i dead.1 1' });
    await b.close();
    await own().redis.flushall();
    const words = `${file}, line 1.+Redis has lost run ${run}.+Restore Redis or .+; or move the folder ${join(place.folder, worker)} away`;
    await expect(joinAs(place)).rejects.toThrow(new RegExp(words));
    // Nor where that line is gone without a trace, or none is left that says anything.
    await writeFile(file, others.join('\n'));
    await expect(joinAs(place)).rejects.toThrow(new RegExp(words));
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('"kind"', '"sort"'));
    await expect(joinAs(place)).rejects.toThrow(new RegExp(words));
    expect(await listWorkers(place.folder)).toContain(worker);
  });

  test('and can’t be put back closes the ledger for nobody who has opened it without it', async () => {
    const { place, run } = await placeWithRun();
    const elsewhere = await joinAs({ ...place, folder: join(await ownFolder(), 'journal') });
    const file = await journalOf(place, (await deadJournal(place, run)).worker);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"kind":"run"', '"kind":"ran"'));
    await own().redis.flushall();
    await elsewhere.verify();
    const before = await own().redis.hgetall(place.keys.epoch);
    await expect(joinAs(place)).rejects.toThrow(`Redis has lost run ${run}`);
    const { server, opened } = await own().redis.hgetall(place.keys.epoch);
    expect({ server, opened }).toEqual({ server: before.server, opened: before.opened });
  });

  test('and has a folder among its files is not begun beside: it is said what to move away', async () => {
    const { place, run } = await placeWithRun();
    const path = join(place.folder, (await deadJournal(place, run)).worker);
    await mkdir(join(path, 'stray.log'));
    await expect(joinAs(place)).rejects.toThrow(`The journal ${path} can't be read: EISDIR`);
    await rmdir(join(path, 'stray.log'));
    await mkdir(join(place.folder, '@eaDir'));
    await joinAs(place);
  });

  test.each([' copy.log', '.sync-conflict.log'])(
    'and was copied within its folder (%s) is put back once',
    async (ending) => {
      const { place, run } = await placeWithRun();
      const file = await journalOf(place, (await deadJournal(place, run)).worker);
      await copyFile(file, file.replace('.log', ending));
      await writeFile(join(dirname(file), '._run.log'), 'not a journal');
      await restarted(place);
      expect((await joinAs(place)).troubles).toEqual([]);
      const listed = await createRunIndex(own().redis).latest(99);
      expect(listed.filter(({ target }) => target === place.target).map((one) => one.run)).toEqual([run]);
    },
  );

  test('and was of another version is not begun beside: it is said what to do', async () => {
    const { place, run } = await placeWithRun();
    const { worker } = await deadJournal(place, run);
    const file = await journalOf(place, worker);
    await writeFile(file, `703eb668 {"kind":"journal","version":3}\n${await readFile(file, 'utf8')}`);
    const before = await listWorkers(place.folder);
    await expect(joinAs(place)).rejects.toThrow(/does not know\. Let the version/);
    expect(await listWorkers(place.folder)).toEqual(before);
  });

  test('has its journal removed once all of its runs have ended, not before', async () => {
    const place = await ownPlace();
    const [ended, open] = [await startRun(place, 1), await startRun(place)];
    const [one, other] = [await deadJournal(place, ended), await deadJournal(place, open)];
    await place.store.transition(ended, 'finished', null);
    await longAgo(place, ended);
    const { journals } = place.keys.run(ended);
    await setOfRun(own().redis, place.keys.run(ended), 'journals', { [one.worker]: place.folder });
    await (await joinAs(place)).close();
    expect(await listWorkers(place.folder)).toContain(one.worker);
    await utimes(join(place.folder, one.worker), 0, 0);
    await (await joinAs(place)).close();
    expect(await listWorkers(place.folder)).not.toContain(one.worker);
    expect(await listWorkers(place.folder)).toContain(other.worker);
    expect(await own().redis.exists(journals)).toBe(0);
  });
});

describe('a worker’s own journal', () => {
  test('that can’t be written to keeps nobody from verifying the ledger again: outcomes go on to it', async () => {
    const { place, run } = await placeWithRun();
    const a = await joinAs(place);
    const ledger = await ledgerOf(a, place, run);
    await a.remember(run);
    await grantOf(ledger, intent(1, 'i a.1 1'));
    await rm(join(place.folder, a.journal.worker), { recursive: true });
    await restarted(place);
    await ledger.settle(settled(1, 'created', 'i a.1 1'));
    expect((await knownRun(place.store, run)).outcomes.created).toBe(1);
  });

  test('stays when it ends, also where nothing is left to be put back: Redis may forget that it was deregistered', async () => {
    const { place, run } = await placeWithRun(0);
    const a = await joinAs(place);
    await a.remember(run);
    const { journals } = place.keys.run(run);
    const { worker } = a.journal;
    expect(await own().redis.hgetall(journals)).toEqual({ [worker]: join(place.folder, worker) });
    await place.store.transition(run, 'finished', null);
    await longAgo(place, run);
    await a.close();
    expect(await own().redis.exists(journals)).toBe(0);
    expect(await listWorkers(place.folder)).toEqual([a.journal.worker]);
    expect(await own().redis.hgetall(place.keys.epoch)).not.toHaveProperty([`m:${a.journal.worker}`]);
  });
});
