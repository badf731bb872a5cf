import { type Journal, openJournal } from '../journal/journal.ts';
import { isDeadHere, newMember } from '../journal/member.ts';
import { becomeKnown } from '../ledger/become-known.ts';
import { type LedgerGate, openGate } from '../ledger/gate.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import { runsWithOpenRows } from '../ledger/open-runs.ts';
import { createReplay, restorableFields } from '../ledger/replay.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { withDeadline } from '../lib/waiting.ts';
import { connectionNames, nameConnections } from '../redis/connection.ts';
import { type ReplayOptions, replayJournals } from './replay-journals.ts';
import { forgetEnded, removeEnded, type TidyOptions } from './tidy-journals.ts';

/** A process that moves rows: what it does is in the ledger and, for a Redis that forgets, in its journal. */
export type Membership = {
  readonly gate: LedgerGate;
  readonly journal: Journal;
  /** Keeps what it takes to put the run's record back; before its first row is claimed. */
  remember(run: string): Promise<void>;
  /** The ingest is about to hand out chunks up to this number. */
  noteAdded(run: string, chunk: number): Promise<void>;
  close(): Promise<void>;
};

export type MembershipOptions = ReplayOptions & TidyOptions;

const TIDY_MS = 5_000;
const CLOSE_MS = 3_000;

/** Opens this process' journal and checks in at the ledger's gate. */
export async function openMembership(options: MembershipOptions): Promise<Membership> {
  const { redis, keys, store, folder, onTrouble } = options;
  const member = newMember();
  const journal = await openJournal({
    folder,
    member,
    onTrouble: (what, error) => onTrouble(what, { problem: error.message }),
  });
  const stopNaming = nameConnections(redis, `${connectionPrefix(keys)}${member}`);
  const gate = await openGate({
    redis,
    key: keys.gate,
    member,
    replay: (scope) => replayJournals(options, journal, scope),
    isGone: isDeadHere,
    connected: () => connectedMembers(redis, keys),
    unfinished: async () => (await runsWithOpenRows(redis, keys, store)).map((id) => keys.run(id).record),
    onNotice: options.onNotice,
    onTrouble,
  });
  await becomeKnown(redis, keys.gate, { member, isGone: isDeadHere });
  const remembered = new Map<string, Promise<void>>();
  const tidy = async () => {
    for (const run of await forgetEnded(options, journal)) remembered.delete(run);
  };
  const tidying = setInterval(() => void tidy().catch(() => undefined), TIDY_MS);
  tidying.unref();
  void removeEnded(options, gate).catch(() => undefined);

  return {
    gate,
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
      await createReplay(redis, keys).added(run, chunk, member);
    },
    async close() {
      clearInterval(tidying);
      stopNaming();
      // With Redis away nothing is tidied: the next process on this home does it.
      await withDeadline(
        tidy()
          .then(() => removeEnded(options, gate))
          .catch(() => undefined),
        CLOSE_MS,
      );
      await journal.close();
      await withDeadline(gate.close(), CLOSE_MS);
    },
  };
}

async function rememberRun(
  run: string,
  { redis, keys, target }: MembershipOptions,
  journal: Journal,
): Promise<void> {
  const record = await redis.hgetall(keys.run(run).record);
  // A journal that restores half a run would keep the ledger closed for ever.
  if (record.id === undefined) throw new Error(`run ${run} is gone from the ledger`);
  await journal.write({ kind: 'run', run, target, fields: restorableFields(record) });
}

function connectionPrefix(keys: LedgerKeys): string {
  return `${keys.gate}:`;
}

async function connectedMembers(redis: RedisConnection, keys: LedgerKeys): Promise<string[]> {
  const prefix = connectionPrefix(keys);
  // Not every user may ask that; then a ledger that was emptied looks like a new one.
  const names = await connectionNames(redis);
  return names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
