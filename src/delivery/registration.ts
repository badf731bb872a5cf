/**
 * A worker's registration: its id, its journal and its way to the ledger of one target (the epoch). What it does is in the ledger and, for a
 * Redis that forgets, in its journal: where Redis has gone back in time, the journals of this home are replayed into it before anything
 * more is sent. Journals are removed when all their runs have ended a while ago.
 */

import { removeWorkerFolder } from '../journal/folder.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { type Damage, type Replayed, readJournal } from '../journal/read-journal.ts';
import { isDeadHere, isOfAnotherMachine, listWorkers, newWorkerId } from '../journal/worker-registry.ts';
import { type LedgerEpoch, openEpoch, type ReplayScope, registerWorker } from '../ledger/epoch.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import { createReplay, type LedgerReplay, restorableFields } from '../ledger/replay.ts';
import type { RunIndex } from '../ledger/run-index.ts';
import { type RunStore, runsWithOpenRows } from '../ledger/run-store.ts';
import type { Log } from '../lib/log.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { withDeadline } from '../lib/waiting.ts';
import { isOver } from '../model/run.ts';
import { connectionNames, nameConnections } from '../redis/connection.ts';

export type Registration = {
  readonly epoch: LedgerEpoch;
  readonly journal: Journal;
  /** Keeps what it takes to put the run's record back; before its first row is claimed. */
  remember(run: string): Promise<void>;
  /** The ingest is about to hand out chunks up to this number. */
  noteAdded(run: string, chunk: number): Promise<void>;
  close(): Promise<void>;
};

export type RegistrationOptions = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly target: string;
  /** Where the journals of this home are. */
  readonly folder: string;
  /** Where a run that was put back is known by its id again. */
  readonly index: RunIndex;
  readonly graceMs?: number;
  /** Where one machine at a time has the ledger: whether that is still this one. */
  isOurs?(): Promise<boolean>;
  readonly log: Log;
  /** Tells the user something, in a sentence. */
  notify(text: string): void;
};

const TIDY_MS = 5_000;
const CLOSE_MS = 3_000;

/** Opens this process' journal and registers it with the ledger. */
export async function openRegistration(options: RegistrationOptions): Promise<Registration> {
  const { redis, keys, store, folder, log } = options;
  const worker = newWorkerId();
  const journal = await openJournal({
    folder,
    worker,
    onTrouble: (what, error) => log.warn(what, { problem: error.message }),
  });
  const stopNaming = nameConnections(redis, `${connectionPrefix(keys)}${worker}`);
  const epoch = await openEpoch({
    redis,
    key: keys.epoch,
    worker,
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
    remember(run) {
      const known = remembered.get(run);
      if (known !== undefined) return known;
      const remembering = rememberRun(run, options, journal).catch((error: unknown) => {
        // A disk that is full, or a Redis that is away, may be well again when the run is asked for next.
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
      // With Redis away nothing is tidied: the next process on this home does it.
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

function tellOf({ log, notify }: RegistrationOptions, text: string): void {
  log.info(text);
  notify(text);
}

async function rememberRun(
  run: string,
  { redis, keys, target }: RegistrationOptions,
  journal: Journal,
): Promise<void> {
  const record = await redis.hgetall(keys.run(run).record);
  // A journal that restores half a run would keep the ledger closed for ever.
  if (record.id === undefined) throw new Error(`run ${run} is gone from the ledger`);
  await journal.write({ kind: 'run', run, target, fields: restorableFields(record) });
}

function connectionPrefix(keys: LedgerKeys): string {
  return `${keys.epoch}:`;
}

async function connectedWorkers(redis: RedisConnection, keys: LedgerKeys): Promise<string[]> {
  const prefix = connectionPrefix(keys);
  // Not every user may ask that; then a ledger that was emptied looks like a new one.
  const names = await connectionNames(redis);
  return names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

/**
 * Puts back what the journals of processes that are gone know, and this one's own where Redis has lost something of it; answers whose
 * those were. Intents come last: one that has an end in any of the journals must not stand in that end's way.
 */
async function replayJournals(
  options: RegistrationOptions,
  journal: Journal,
  { own, intents, isHeld }: ReplayScope,
): Promise<string[]> {
  if (own) await journal.flush();
  const [left, registered] = await Promise.all([workersWith('l:', options), workersWith('m:', options)]);
  // A worker of another machine may serve another ledger, and live.
  const isGone = (m: string) => isDeadHere(m) || (registered.has(m) && isGoneFor(m, options));
  const gone = (await listWorkers(options.folder)).filter((m) => m !== journal.worker && isGone(m));
  const killed = gone.filter((worker) => !left.has(worker));
  if (killed.length > 0) tellOf(options, 'Replaying the journal of a process that has ended.');
  const replay = createReplay(options.redis, options.keys);
  const open: Intended[] = [];
  for (const worker of killed) open.push(...(await replayJournal(worker, replay, options)));
  if (own) {
    for (const { run, rows } of await replayJournal(journal.worker, replay, options)) {
      open.push({ run, rows: rows.filter(([, , mark]) => !isHeld(mark)) });
    }
  }
  if (intents) for (const { run, rows } of open) await replay.intended(run, rows);
  return gone;
}

/**
 * `m:`: workers that are registered. `l:`: workers that ended with all they did recorded, in this very Redis: nothing of theirs is to be
 * put back.
 */
async function workersWith(
  prefix: 'm:' | 'l:',
  { redis, keys }: RegistrationOptions,
): Promise<ReadonlySet<string>> {
  const fields = await redis.hkeys(keys.epoch);
  return new Set(fields.flatMap((field) => (field.startsWith(prefix) ? [field.slice(prefix.length)] : [])));
}

/** Whoever has the home may send, and nobody else: a worker of another machine sends nothing more, whether it lives or not. */
function isGoneFor(worker: string, { isOurs }: RegistrationOptions): boolean {
  return isDeadHere(worker) || (isOurs !== undefined && isOfAnotherMachine(worker));
}

type Intended = Pick<Extract<Replayed, { kind: 'intended' }>, 'run' | 'rows'>;

/** All but the open intents, which are answered: no more than were in flight in one process. */
async function replayJournal(
  worker: string,
  replay: LedgerReplay,
  options: RegistrationOptions,
): Promise<Intended[]> {
  const ours = new Set<string>();
  const open: Intended[] = [];
  const tellDamage = (damage: Damage) =>
    options.log.warn('a damaged line of a journal is passed over', damage);
  for await (const part of readJournal(options.folder, worker, tellDamage)) {
    if (part.kind === 'run' && part.target === options.target) {
      ours.add(part.run);
      await replay.run(part.run, part.fields);
      await options.index.add(part.run, options.target, new Date(part.fields.createdAt ?? 0));
    }
    if (!ours.has(part.run)) continue;
    if (part.kind === 'added') await replay.added(part.run, part.chunk, worker);
    if (part.kind === 'settled') await replay.settled(part.run, part.entries);
    if (part.kind === 'intended') open.push(part);
  }
  return open;
}

/** A Redis that fails over just after a run has ended would send its last rows again, were they forgotten by then. */
const KEPT_AFTER_END_MS = 600_000;

/** Forgets runs that ended a while ago, and answers them. */
async function forgetEnded(
  { store }: Pick<RegistrationOptions, 'store'>,
  journal: Journal,
): Promise<string[]> {
  const ended: string[] = [];
  for (const run of journal.runs()) if (await hasLongEnded(run, store)) ended.push(run);
  for (const run of ended) await journal.forget(run);
  return ended;
}

/** Journals of processes that are gone, of which every run has ended a while ago. */
async function removeEnded(options: RegistrationOptions, epoch: LedgerEpoch): Promise<void> {
  const { folder } = options;
  for (const worker of await listWorkers(folder)) {
    if (worker === epoch.worker || !isDeadHere(worker) || (await isNeeded(worker, options))) continue;
    // Without its journal nobody could check in for it when Redis comes back.
    await epoch.deregister(worker);
    await removeWorkerFolder(folder, worker);
  }
}

async function isNeeded(worker: string, { folder, store, target }: RegistrationOptions): Promise<boolean> {
  for await (const part of readJournal(folder, worker)) {
    // The runs come first.
    if (part.kind !== 'run') break;
    if (part.target !== target || !(await hasLongEnded(part.run, store))) return true;
  }
  return false;
}

async function hasLongEnded(id: string, store: RunStore): Promise<boolean> {
  const run = await store.get(id);
  if (run === null || !isOver(run)) return false;
  return Date.now() - Date.parse(run.finishedAt ?? run.createdAt) > KEPT_AFTER_END_MS;
}
