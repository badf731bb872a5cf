/**
 * A worker's registration: its id, its journal and its epoch of one target's ledger. Where Redis
 * went back in time, the journals of this home are replayed before anything more is sent.
 */

import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { passStep } from '../../lib/steps.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { withDeadline } from '../../lib/waiting.ts';
import { isDeadHere, isOfAnotherMachine, newWorkerId, shownWorker } from '../../lib/worker-id.ts';
import { isOver } from '../../model/run.ts';
import { recordAct } from '../ledger/audit.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import type { RunIndex } from '../ledger/run-index.ts';
import type { RunStore } from '../ledger/run-store.ts';
import type { VerifiedLedger } from '../ledger/verified.ts';
import { dropTornEnds } from '../redis/append-only-file.ts';
import { connectionNames, nameConnections } from '../redis/connection.ts';
import { type LedgerEpoch, openEpoch } from './epoch.ts';
import {
  changedAt,
  listWorkers,
  readLastKnown,
  removeWorkerFolder,
  runFile,
  runsIn,
} from './journal/folder.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import {
  type Damage,
  isForeignJournal,
  type JournalOfRun,
  type Replayed,
  readRun,
} from './journal/read-journal.ts';
import { createReplay, noteAdded, recountRuns, restorableFields } from './replay.ts';
import { lastSequences, type ReplayScope } from './verification.ts';

export type Registration = {
  readonly verified: VerifiedLedger;
  readonly journal: Journal;
  /** Resolves once the ledger is verified, at once where it is. */
  verify(): Promise<void>;
  /** Looks again after verification: a missing entry may come back from the journals. */
  find<T>(look: () => Promise<T | null>): Promise<T | null>;
  /** Journals what puts the run's record back; before its first row is claimed. */
  remember(run: string): Promise<void>;
  /** `isReader`: whether from here on nobody else can have handed out chunks of the run. */
  noteAdded(run: string, chunk: number, isReader: () => boolean): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly target: string;
  readonly folder: string;
  /** Where a run that was put back is found by its id. */
  readonly index: RunIndex;
  readonly graceMs?: number;
  /** Whether this machine still has the ledger, where only one may have it. */
  isOurs?(): Promise<boolean>;
  readonly log: Log;
  onSync?(ms: number | null): void;
  /** Shows the user a sentence. */
  notify(text: string): void;
};

const TIDY_MS = 5_000;
const CLOSE_MS = 3_000;

/** Runs of which this worker noted the highest chunk, and whether it is still the only reader. */
type Readers = Map<string, () => boolean>;

export async function openRegistration(options: Options): Promise<Registration> {
  const { redis, keys, folder, log } = options;
  await assertKnownJournals(folder);
  const worker = newWorkerId();
  const journal = await openJournal({
    ...options,
    worker,
    onTrouble: (what, error) => log.warn(what, { problem: error.message }),
  });
  const stopNaming = nameConnections(redis, `${keys.epoch}:${worker}`);
  const readers: Readers = new Map();
  const epoch = await openOwnEpoch(options, journal, readers);
  const find = async <T>(look: () => Promise<T | null>) => (await look()) ?? epoch.verify().then(look);
  const remembered = new Map<string, Promise<void>>();
  const tidy = () =>
    forgetEnded(options, journal, (run) => {
      remembered.delete(run);
      readers.delete(run);
    });
  const unsaid = () => undefined;
  const tidying = setInterval(() => void tidy().catch(unsaid), TIDY_MS);
  tidying.unref();
  void removeEnded(options, worker).catch(unsaid);

  return {
    verified: epoch,
    journal,
    verify: () => epoch.verify(),
    find,
    remember(run) {
      const known = remembered.get(run);
      if (known !== undefined) return known;
      const remembering = rememberRun(run, { ...options, find }, journal).catch((error: unknown) => {
        // A full disk or an absent Redis may have recovered by the next call.
        remembered.delete(run);
        throw error;
      });
      remembered.set(run, remembering);
      return remembering;
    },
    async noteAdded(run, chunk, isReader) {
      await journal.write({ kind: 'added', run, chunk });
      const before = epoch.recoveries();
      const isStill = () => isReader() && epoch.recoveries() === before;
      if (await noteAdded(epoch, keys, { run, chunk })) readers.set(run, isStill);
    },
    async close() {
      clearInterval(tidying);
      stopNaming();
      // Without Redis nothing is tidied: the next process on this home does it.
      const tidied = tidy().then(() => removeEnded(options, worker));
      await withDeadline(tidied.catch(unsaid), CLOSE_MS);
      await journal.close();
      await withDeadline(epoch.close(), CLOSE_MS);
    },
  };
}

function openOwnEpoch(options: Options, journal: Journal, readers: Readers): Promise<LedgerEpoch> {
  const { redis, keys, store, log } = options;
  const replay = createReplay(redis, keys);
  /** Workers of journals that tell more than Redis has. */
  let older: readonly string[] = [];
  return openEpoch({
    ...options,
    worker: journal.worker,
    dropTornEnds: () => dropTornEnds(redis, (problem) => tellOf(options, problem)),
    recount: () => recountRuns(redis, keys),
    async hasOlderJournal(name) {
      older = await olderJournals(options, journal, name);
      return older.length > 0;
    },
    knows: journal.knows,
    async replay(scope) {
      // In an emptied Redis the same ledger key goes on, or nothing does.
      await keys.sealing.begun();
      const absent = await replayJournals({ ...options, replay }, journal, scope);
      for (const [run, isReader] of readers) if (isReader()) await replay.vouched(run);
      for (const other of absent) await tellLeft(other, journal.worker, options);
      return absent;
    },
    onLost: (other, heardAt) => void tellLost(other, heardAt, journal.worker, options),
    isDead: (other) => isDeadFor(other, options),
    connected: async () => [...(await connectedWorkers(redis, keys)), ...older],
    doubt: async () => replay.possiblySent(await store.withOpenRows()),
    onNotice: (text) => tellOf(options, text),
    onTrouble: log.warn,
  });
}

/** Where nobody has found out before that it was lost. */
async function tellLeft(worker: string, finder: string, options: Options): Promise<void> {
  const { redis, keys } = options;
  const [isRegistered, heardAt] = await redis.hmget(keys.epoch, `m:${worker}`, `b:${worker}`);
  if (isRegistered !== null) await tellLost(worker, Number(heardAt), finder, options);
}

/** In the audit, and in the stories of the runs that it had begun with and that have open rows. */
async function tellLost(worker: string, heardAt: number, finder: string, options: Options): Promise<void> {
  const { redis, keys, store, log } = options;
  try {
    const heard = new Date(heardAt).toISOString();
    const of = { who: shownWorker(worker), heard, foundBy: shownWorker(finder) };
    for (const run of await store.withOpenRows())
      if ((await redis.hexists(keys.run(run).journals, worker)) === 1)
        await recordAct(redis, keys, { what: 'process-lost', run, of });
  } catch (error) {
    log.warn('a lost process could not be told of', { problem: messageOf(error) });
  }
}

/** In the journal of this worker. */
async function forgetEnded(
  { redis, keys, store }: Options,
  journal: Journal,
  onForgotten: (run: string) => void,
): Promise<void> {
  for (const run of journal.runs()) {
    if (!(await hasLongEnded(run, store))) continue;
    await journal.forget(run);
    await redis.hdel(keys.run(run).journals, journal.worker);
    onForgotten(run);
  }
}

/** Of a run that is purged, in the journals of one ledger of this home. */
export async function removeJournals(
  folder: string,
  run: string,
  { redis, keys }: Pick<Options, 'redis' | 'keys'>,
): Promise<void> {
  const workers = await listWorkers(folder);
  for (const worker of workers) await rm(runFile(join(folder, worker), run), { force: true });
  if (workers.length > 0) await redis.hdel(keys.run(run).journals, ...workers);
}

/** A journal of another form may name sent rows that can't be read: nothing is sent beside it. */
async function assertKnownJournals(folder: string): Promise<void> {
  for (const worker of await listWorkers(folder)) {
    const path = join(folder, worker);
    const isForeign = await isForeignJournal(folder, worker).catch((error: unknown) => {
      throw new UsageError(
        `The journal ${path} can't be read: ${messageOf(error)}. ` +
          'Expected files that this user may read, and nothing else by their names (.log): ' +
          'correct their owner and mode, or move away what onboard did not write.',
        { cause: error },
      );
    });
    if (!isForeign) continue;
    throw new UsageError(
      `The journal ${path} has a form that this version of onboard does not know. ` +
        'Let the version that wrote it go on until its runs have ended: ' +
        'the journal is gone ten minutes later. ' +
        'Only where those runs are known to have ended may the folder be moved away by hand.',
    );
  }
}

function tellOf({ log, notify }: Options, text: string): void {
  log.info(text);
  notify(text);
}

async function rememberRun(
  run: string,
  { redis, keys, folder, find }: Options & Pick<Registration, 'find'>,
  journal: Journal,
): Promise<void> {
  // A journal that restores half a run would keep the ledger closed for ever.
  const record = await find(async () => {
    const fields = await redis.hgetall(keys.run(run).record);
    return fields.id === undefined ? null : fields;
  });
  if (record === null) throw new Error(`run ${run} is gone from the ledger`);
  await redis.hset(keys.run(run).journals, journal.worker, join(folder, journal.worker));
  await journal.write({ kind: 'run', run, fields: restorableFields(record) });
}

async function connectedWorkers(redis: RedisConnection, keys: LedgerKeys): Promise<string[]> {
  const prefix = `${keys.epoch}:`;
  // Not every user may ask; then an emptied ledger looks like a new one.
  const names = await connectionNames(redis);
  const own = names.filter((name) => name.startsWith(prefix));
  return own.map((name) => name.slice(prefix.length));
}

/** `lacks`: Redis hasn't got the last command that it had answered to that worker. */
type Other = { readonly worker: string; readonly epoch: string; readonly lacks: boolean };

/**
 * Other workers with a journal here, but for those that have left: all that they did was recorded
 * in this very Redis.
 */
async function othersHere(options: Options, { worker: own }: Journal): Promise<readonly Other[]> {
  const all = await listWorkers(options.folder);
  const workers = all.filter((worker) => worker !== own);
  // Before Redis is asked: one that lives goes on meanwhile.
  const known = await Promise.all(
    workers.map(async (worker) => ({ worker, ...(await readLastKnown(join(options.folder, worker))) })),
  );
  const lasts = await lastSequences(options, workers);
  const others = known.map((one, i) => ({ ...one, last: lasts[i] ?? -1 }));
  const here = others.filter(({ last }) => last !== Number.POSITIVE_INFINITY);
  return here.map(({ worker, epoch, sequence, last }) => ({ worker, epoch, lacks: sequence > last }));
}

/** Whose journals tell more than the ledger knew when that epoch was opened, or knows since. */
async function olderJournals(options: Options, journal: Journal, opened: string): Promise<readonly string[]> {
  const older: string[] = [];
  for (const { worker, epoch, lacks } of await othersHere(options, journal)) {
    const runs = await runsIn(join(options.folder, worker));
    const isUnread = epoch !== opened && runs.length > 0 && isDeadFor(worker, options);
    // In another container it may live: what Redis has lost of it is lost all the same.
    const isLost = epoch === opened && lacks;
    if (!isUnread && !isLost) continue;
    // What can't be put back closes the epoch for nobody else.
    for (const run of runs) await assertKnown({ worker, run, isTornDamage: lacks }, options);
    if (isLost) tellOf(options, lackingWords(worker));
    older.push(worker);
  }
  return older;
}

function lackingWords(worker: string): string {
  return (
    `Redis has lost what it had answered to ${shownWorker(worker)}: ` +
    'the ledger is checked against the journals.'
  );
}

async function assertKnown(of: JournalOfRun, options: Options): Promise<void> {
  const { folder, store } = options;
  if ((await store.get(of.run)) !== null) return;
  const damage: Damage[] = [];
  for await (const { kind } of readRun(folder, of, (place) => damage.push(place))) {
    if (kind === 'run') return;
    throw unknownRun(of, damage[0], options);
  }
  if (damage[0] !== undefined) throw unknownRun(of, damage[0], options);
}

type ReplayOptions = Options & { readonly replay: ReturnType<typeof createReplay> };

/**
 * Replays the journals of processes that are dead or suspect, and this one's where Redis lost some
 * of it; answers whose the others were. Intents come last: one with an end in any journal must not
 * stand in that end's way.
 */
async function replayJournals(
  options: ReplayOptions,
  journal: Journal,
  { own, isWhole, suspects, isKeptOut }: ReplayScope,
): Promise<readonly string[]> {
  if (own) await journal.flush();
  const isSuspect = (other: string) => suspects.includes(other);
  const isAbsent = (other: string) => isSuspect(other) || isDeadFor(other, options);
  const others = await othersHere(options, journal);
  const absent = others.filter(({ worker }) => isAbsent(worker));
  if (!absent.every(({ worker }) => isSuspect(worker)))
    tellOf(options, 'Replaying the journal of a process that has ended.');
  const self = own ? [{ worker: journal.worker, lacks: true }] : [];
  const read: ReadBack[] = [];
  for (const { worker, lacks } of [...absent, ...self]) {
    for (const run of await runsIn(join(options.folder, worker)))
      read.push(await replayRun({ worker, run, isTornDamage: lacks }, options));
  }
  for (const { run, open } of read) {
    const intents = open.filter(({ mark }) => !isKeptOut(mark));
    await options.replay.intended(run, intents);
  }
  if (!isWhole) for (const one of read) await doubtRowsOf(one, options);
  return absent.map(({ worker }) => worker);
}

/** The damaged part may have held intents, and Redis may have lost them too. */
async function doubtRowsOf({ worker, run, damage }: ReadBack, options: ReplayOptions): Promise<void> {
  const { replay, store } = options;
  const known = damage === null ? null : await store.get(run);
  if (damage === null || known === null || isOver(known)) return;
  tellOf(
    options,
    `The journal of ${shownWorker(worker)} is damaged (${damage.file}, line ${damage.line}), ` +
      'and Redis may have lost what it said: ' +
      `rows of run ${run} that this process may have sent are in doubt.`,
  );
  await replay.possiblySent([run]);
}

/** Whoever has the home may send, nobody else: another machine's worker sends nothing more. */
function isDeadFor(worker: string, { isOurs }: Options): boolean {
  return isDeadHere(worker) || (isOurs !== undefined && isOfAnotherMachine(worker));
}

type ReadBack = JournalOfRun & {
  /** Open intents, not put back yet: at most those in flight in one process. */
  readonly open: ReadonlyArray<Extract<Replayed, { kind: 'intended' }>['rows'][number]>;
  /** The first line that isn't what was written. */
  readonly damage: Damage | null;
};

/**
 * Puts back everything but the open intents. Throws a UsageError where damage took the run's record
 * and Redis has lost it.
 */
async function replayRun(of: JournalOfRun, options: ReplayOptions): Promise<ReadBack> {
  const { worker, run } = of;
  const { replay, store, folder, target, index, log } = options;
  const open: Array<ReadBack['open'][number]> = [];
  let damage: Damage | null = null;
  const onDamage = (place: Damage) => {
    damage = place;
    log.warn('damaged lines of a journal are passed over', place);
  };
  let isKnown = false;
  const pass = createRowSteps(run);
  for await (const part of readRun(folder, of, onDamage)) {
    // Without damage its record comes first.
    isKnown ||= part.kind === 'run' || (await store.get(run)) !== null;
    if (!isKnown) throw unknownRun({ worker, run }, damage, options);
    if (part.kind === 'run') {
      await replay.run(run, part.fields);
      await index.add(run, target, new Date(part.fields.createdAt ?? 0));
      pass.of(Number(part.fields.rows ?? 0));
    }
    if (part.kind === 'added') await replay.added(run, part.chunk);
    if (part.kind === 'settled') {
      await replay.settled(run, part.entries);
      pass.some(part.entries.length);
    }
    if (part.kind === 'intended') open.push(...part.rows);
  }
  pass.end();
  if (!isKnown) await assertKnown(of, options);
  return { worker, run, open, damage };
}

/** Of the run's rows; a journal has those that its process sent. */
function createRowSteps(run: string) {
  const doing = `putting back run ${run} from a journal`;
  let all = 0;
  let done = 0;
  return {
    of(rows: number) {
      all = rows;
    },
    some(rows: number) {
      done += rows;
      passStep({ doing, done, all: Math.max(all, done + 1) });
    },
    end: () => passStep({ doing, done: all, all }),
  };
}

/** Nobody would recognise its file again, and its rows could be sent once more. */
function unknownRun(
  { run, worker }: JournalOfRun,
  damage: Damage | null | undefined,
  { folder }: Pick<Options, 'folder'>,
): UsageError {
  // Where the run's record should stand.
  const { file, line } = damage ?? { file: runFile(join(folder, worker), run), line: 1 };
  return new UsageError(
    `The journal of ${shownWorker(worker)} is damaged (${file}, line ${line}), ` +
      `and Redis has lost run ${run}, which it tells of: that run can not be put back. ` +
      'Nothing is sent, since rows that it sent could go again. ' +
      'Restore Redis or the journal from a copy; ' +
      `or move the folder ${dirname(file)} away, ` +
      'and load no file of that time without looking its rows up at the service.',
  );
}

/** A Redis that fails over just after a run's end would send forgotten rows again. */
export const KEPT_AFTER_END_MS = 600_000;

/**
 * Removes journals of dead processes whose runs all ended a while ago. An empty one stays that long
 * too: a Redis that forgets that its worker left waits for it, and nobody else could check in.
 */
async function removeEnded(options: Options, own: string): Promise<void> {
  const { folder, redis, keys } = options;
  for (const worker of await listWorkers(folder)) {
    if (worker === own || !isDeadHere(worker)) continue;
    if (await isNeeded(worker, options)) continue;
    const leftAt = await changedAt(folder, worker);
    if (Date.now() - leftAt <= KEPT_AFTER_END_MS) continue;
    const runs = await runsIn(join(folder, worker));
    await removeWorkerFolder(folder, worker);
    for (const run of runs) await redis.hdel(keys.run(run).journals, worker);
  }
}

async function isNeeded(worker: string, { folder, store }: Options): Promise<boolean> {
  for (const run of await runsIn(join(folder, worker))) {
    const hasEnded = await hasLongEnded(run, store);
    if (!hasEnded) return true;
  }
  return false;
}

async function hasLongEnded(id: string, store: RunStore): Promise<boolean> {
  const run = await store.get(id);
  if (run === null || !isOver(run)) return false;
  return Date.now() - Date.parse(run.finishedAt ?? run.createdAt) > KEPT_AFTER_END_MS;
}
