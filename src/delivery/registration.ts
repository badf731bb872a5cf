/**
 * A worker's registration: its id, its journal and its epoch of one target's ledger. Where Redis
 * went back in time, the journals of this home are replayed before anything more is sent. A journal
 * is removed some time after all its runs have ended.
 */

import { dirname, join } from 'node:path';
import { removeWorkerFolder, runsIn } from '../journal/folder.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { type Damage, foreignForm, type Replayed, readRun, targetOf } from '../journal/read-journal.ts';
import {
  isDeadHere,
  isOfAnotherMachine,
  listWorkers,
  newWorkerId,
  shownWorker,
} from '../journal/worker-registry.ts';
import { type LedgerEpoch, openEpoch, registerWorker } from '../ledger/epoch.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import { recountRuns } from '../ledger/recount.ts';
import { createReplay, restorableFields } from '../ledger/replay.ts';
import type { RunIndex } from '../ledger/run-index.ts';
import { type RunStore, runsWithOpenRows } from '../ledger/run-store.ts';
import type { ReplayScope } from '../ledger/verification.ts';
import type { Log } from '../lib/log.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';
import { withDeadline } from '../lib/waiting.ts';
import { isOver } from '../model/run.ts';
import { leaveTornEnds } from '../redis/append-only-file.ts';
import { connectionNames, nameConnections } from '../redis/connection.ts';

export type Registration = {
  readonly epoch: LedgerEpoch;
  readonly journal: Journal;
  /** Looks again after verification: a missing entry may come back from the journals. */
  find<T>(look: () => Promise<T | null>): Promise<T | null>;
  /** Journals what puts the run's record back; before its first row is claimed. */
  remember(run: string): Promise<void>;
  /** The ingest is about to hand out chunks up to this number. */
  noteAdded(run: string, chunk: number): Promise<void>;
  close(): Promise<void>;
};

type RegistrationOptions = {
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

export async function openRegistration(options: RegistrationOptions): Promise<Registration> {
  const { redis, keys, store, folder, log } = options;
  await assertKnownJournals(folder);
  const worker = newWorkerId();
  const journal = await openJournal({
    folder,
    worker,
    onTrouble: (what, error) => log.warn(what, { problem: error.message }),
    ...(options.onSync !== undefined && { onSync: options.onSync }),
  });
  const stopNaming = nameConnections(redis, `${connectionPrefix(keys)}${worker}`);
  const epoch = await openEpoch({
    redis,
    key: keys.epoch,
    worker,
    leaveTornEnds: () => leaveTornEnds(redis, (problem) => tellOf(options, problem)),
    recount: () => recountRuns(redis, keys),
    replay: (scope) => replayJournals(options, journal, scope),
    isGone: (other) => isGoneFor(other, options),
    ...(options.isOurs !== undefined && { isOurs: options.isOurs }),
    ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
    connected: () => connectedWorkers(redis, keys),
    unfinished: async () => (await runsWithOpenRows(redis, keys, store)).map((id) => keys.run(id).record),
    onNotice: (text) => tellOf(options, text),
    onTrouble: log.warn,
  });
  await registerWorker(redis, keys.epoch, { worker, isGone: (other) => isGoneFor(other, options) });
  const find = async <T>(look: () => Promise<T | null>) => {
    const found = await look();
    if (found !== null) return found;
    await epoch.verify();
    return look();
  };
  const remembered = new Map<string, Promise<void>>();
  const tidy = async () => {
    for (const run of await forgetEnded(options, journal)) remembered.delete(run);
  };
  const tidying = setInterval(() => void tidy().catch(() => undefined), TIDY_MS);
  tidying.unref();
  void removeEnded(options, epoch).catch(() => undefined);

  return {
    epoch,
    journal,
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
    async noteAdded(run, chunk) {
      await journal.write({ kind: 'added', run, chunk });
      await createReplay(redis, keys).added(run, chunk, worker);
    },
    async close() {
      clearInterval(tidying);
      stopNaming();
      // Without Redis nothing is tidied: the next process on this home does it.
      await withDeadline(
        tidy()
          .then(() => removeEnded(options, epoch))
          .catch(() => undefined),
        CLOSE_MS,
      );
      await journal.close();
      await withDeadline(epoch.close(), CLOSE_MS);
    },
  };
}

/** A journal of another form may name sent rows that can't be read: nothing is sent beside it. */
async function assertKnownJournals(folder: string): Promise<void> {
  for (const worker of await listWorkers(folder)) {
    const form = await foreignForm(folder, worker);
    if (form === null) continue;
    throw new UsageError(
      `The journal ${join(folder, worker)} has ${form}. ` +
        'Let the version of onboard that wrote it go on until its runs have ended: the journal is gone ten minutes later. ' +
        'Only where those runs are known to have ended may the folder be moved away by hand.',
    );
  }
}

function tellOf({ log, notify }: RegistrationOptions, text: string): void {
  log.info(text);
  notify(text);
}

async function rememberRun(
  run: string,
  { redis, keys, target, find }: RegistrationOptions & Pick<Registration, 'find'>,
  journal: Journal,
): Promise<void> {
  // A journal that restores half a run would keep the ledger closed for ever.
  const record = await find(async () => {
    const fields = await redis.hgetall(keys.run(run).record);
    return fields.id === undefined ? null : fields;
  });
  if (record === null) throw new Error(`run ${run} is gone from the ledger`);
  await journal.write({ kind: 'run', run, target, fields: restorableFields(record) });
}

function connectionPrefix(keys: LedgerKeys): string {
  return `${keys.epoch}:`;
}

async function connectedWorkers(redis: RedisConnection, keys: LedgerKeys): Promise<string[]> {
  const prefix = connectionPrefix(keys);
  // Not every user may ask; then an emptied ledger looks like a new one.
  const names = await connectionNames(redis);
  return names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

/**
 * Replays the journals of processes that are gone, and this one's where Redis lost some of it;
 * answers whose those were. Intents come last: one with an end in any journal must not stand in
 * that end's way.
 */
async function replayJournals(
  options: RegistrationOptions,
  journal: Journal,
  { own, intents, closed, silent, isHeld }: ReplayScope,
): Promise<string[]> {
  if (own) await journal.flush();
  const { registered, left } = await workersKnown(options);
  const isSilent = (m: string) => silent.includes(m);
  // A worker of another machine may serve another ledger, and live.
  const isGone = (m: string) => isDeadHere(m) || isSilent(m) || (registered.has(m) && isGoneFor(m, options));
  const gone = (await listWorkers(options.folder)).filter((m) => m !== journal.worker && isGone(m));
  const killed = gone.filter((worker) => isSilent(worker) || !left.has(worker));
  if (!killed.every(isSilent)) tellOf(options, 'Replaying the journal of a process that has ended.');
  const read: ReadBack[] = [];
  for (const worker of own ? [...killed, journal.worker] : killed) {
    for (const run of await runsIn(join(options.folder, worker)))
      read.push(await replayRun({ worker, run }, options));
  }
  const replay = createReplay(options.redis, options.keys);
  if (intents) {
    for (const { run, open } of read)
      await replay.intended(
        run,
        open.filter(({ mark }) => !isHeld(mark)),
      );
  }
  for (const one of read) if (closed || one.worker === journal.worker) await doubtRowsOf(one, options);
  return gone;
}

/** The damaged part may have held intents, and Redis may have lost them too. */
async function doubtRowsOf({ worker, run, damage }: ReadBack, options: RegistrationOptions): Promise<void> {
  const { redis, keys, store } = options;
  const known = damage === null ? null : await store.get(run);
  if (damage === null || known === null || isOver(known)) return;
  tellOf(
    options,
    `The journal of ${shownWorker(worker)} is damaged (${damage.file}, line ${damage.line}), and Redis may have lost what it said: ` +
      `rows of run ${run} that this process may have sent are in doubt.`,
  );
  await createReplay(redis, keys).suspect([run], [worker]);
}

type WorkersKnown = {
  readonly registered: ReadonlySet<string>;
  /** They ended with everything recorded in this very Redis: nothing to put back. */
  readonly left: ReadonlySet<string>;
};

async function workersKnown({ redis, keys }: RegistrationOptions): Promise<WorkersKnown> {
  const fields = await redis.hkeys(keys.epoch);
  const of = (prefix: string) =>
    new Set(fields.filter((field) => field.startsWith(prefix)).map((field) => field.slice(prefix.length)));
  return { registered: of('m:'), left: of('l:') };
}

/** Whoever has the home may send, nobody else: another machine's worker sends nothing more. */
function isGoneFor(worker: string, { isOurs }: RegistrationOptions): boolean {
  return isDeadHere(worker) || (isOurs !== undefined && isOfAnotherMachine(worker));
}

type ReadBack = {
  readonly worker: string;
  readonly run: string;
  /** Open intents, not put back yet: at most those in flight in one process. */
  readonly open: ReadonlyArray<Extract<Replayed, { kind: 'intended' }>['rows'][number]>;
  /** The first line that isn't what was written; `null` also for a run of another target. */
  readonly damage: Damage | null;
};

/** Puts back everything but the open intents. */
async function replayRun(
  { worker, run }: Pick<ReadBack, 'worker' | 'run'>,
  options: RegistrationOptions,
): Promise<ReadBack> {
  const { redis, keys, folder, target, index, log } = options;
  const replay = createReplay(redis, keys);
  const open: Array<ReadBack['open'][number]> = [];
  const damage: Damage[] = [];
  const onDamage = (place: Damage) => {
    damage.push(place);
    log.warn('a damaged line of a journal is passed over', place);
  };
  let isOurs: boolean | null = null;
  for await (const part of readRun(folder, { worker, run }, onDamage)) {
    // Without damage its record comes first.
    isOurs ??= await isOfTarget(part, { worker, damage: damage[0] ?? { file: '', line: 1 } }, options);
    if (!isOurs) return { worker, run, open: [], damage: null };
    if (part.kind === 'run') {
      await replay.run(run, part.fields);
      await index.add(run, target, new Date(part.fields.createdAt ?? 0));
    }
    if (part.kind === 'added') await replay.added(run, part.chunk, worker);
    if (part.kind === 'settled') await replay.settled(run, part.entries);
    if (part.kind === 'intended') open.push(...part.rows);
  }
  return { worker, run, open, damage: damage[0] ?? null };
}

/**
 * By the first part that the journal has of the run. Throws a UsageError where damage took the
 * run's record and Redis has lost it.
 */
async function isOfTarget(
  part: Replayed,
  { worker, damage }: { readonly worker: string; readonly damage: Damage },
  { folder, target, store }: RegistrationOptions,
): Promise<boolean> {
  if (part.kind === 'run') return part.target === target;
  if ((await store.get(part.run)) !== null) return true;
  // A process serves one target.
  for (const other of await runsIn(join(folder, worker))) {
    const served = await targetOf(folder, worker, other);
    if (served !== null && served !== target) return false;
  }
  throw unknownRun(part.run, worker, damage);
}

/** Nobody would recognise its file again, and its rows could be sent once more. */
function unknownRun(run: string, worker: string, { file, line }: Damage): UsageError {
  return new UsageError(
    `The journal of ${shownWorker(worker)} is damaged (${file}, line ${line}), and Redis has lost run ${run}, which it tells of: ` +
      'that run can not be put back. Nothing is sent, since rows that it sent could go again. Restore Redis or the journal from a copy; ' +
      `or move the folder ${dirname(file)} away, and load no file of that time without looking its rows up at the service.`,
  );
}

/** A Redis that fails over just after a run's end would send forgotten rows again. */
const KEPT_AFTER_END_MS = 600_000;

async function forgetEnded(
  { store }: Pick<RegistrationOptions, 'store'>,
  journal: Journal,
): Promise<string[]> {
  const ended: string[] = [];
  for (const run of journal.runs()) if (await hasLongEnded(run, store)) ended.push(run);
  for (const run of ended) await journal.forget(run);
  return ended;
}

/**
 * Removes journals of gone processes whose runs all ended a while ago. An empty one stays that long
 * after the deregistration too: a Redis that forgets it waits for the worker, and nobody else could
 * check in for it.
 */
async function removeEnded(options: RegistrationOptions, epoch: LedgerEpoch): Promise<void> {
  const { folder, redis, keys } = options;
  for (const worker of await listWorkers(folder)) {
    if (worker === epoch.worker || !isDeadHere(worker) || (await isNeeded(worker, options))) continue;
    const leftAt = await redis.hget(keys.epoch, `l:${worker}`);
    if (leftAt === null) await epoch.deregister(worker);
    else if (Date.now() - Number(leftAt) > KEPT_AFTER_END_MS) await removeWorkerFolder(folder, worker);
  }
}

async function isNeeded(worker: string, { folder, store, target }: RegistrationOptions): Promise<boolean> {
  for (const run of await runsIn(join(folder, worker))) {
    const served = await targetOf(folder, worker, run);
    if ((served !== null && served !== target) || !(await hasLongEnded(run, store))) return true;
  }
  return false;
}

async function hasLongEnded(id: string, store: RunStore): Promise<boolean> {
  const run = await store.get(id);
  if (run === null || !isOver(run)) return false;
  return Date.now() - Date.parse(run.finishedAt ?? run.createdAt) > KEPT_AFTER_END_MS;
}
