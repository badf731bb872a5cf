import type { Journal } from '../journal/journal.ts';
import { isDeadHere, listMembers } from '../journal/member.ts';
import { type Damage, readJournal } from '../journal/read-journal.ts';
import type { Replayed } from '../journal/replayed.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import { createReplay, type LedgerReplay } from '../ledger/replay.ts';
import type { ReplayScope } from '../ledger/verify-ledger.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';

export type ReplayOptions = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly target: string;
  /** Where the journals of this home are. */
  readonly folder: string;
  /** Makes a run that was put back known by its id again. */
  indexRun(run: string, createdAt: Date): Promise<void>;
  /** Something that the user should know, in a sentence. */
  onNotice(text: string): void;
  onTrouble(what: string, fields: Readonly<Record<string, string | number>>): void;
};

/**
 * Puts back what the journals of processes that are gone know, and this one's own where Redis has lost something of it; answers whose
 * those were. Intents come last: one that has an end in any of the journals must not stand in that end's way.
 */
export async function replayJournals(
  options: ReplayOptions,
  journal: Journal,
  { own, intents, isHeld }: ReplayScope,
): Promise<string[]> {
  if (own) await journal.flush();
  const gone = (await listMembers(options.folder)).filter((m) => m !== journal.member && isDeadHere(m));
  const left = await leftMembers(options);
  const killed = gone.filter((member) => !left.has(member));
  if (killed.length > 0) options.onNotice('Replaying the journal of a process that has ended.');
  const replay = createReplay(options.redis, options.keys);
  const open: Intended[] = [];
  for (const member of killed) open.push(...(await replayJournal(member, replay, options)));
  if (own) {
    for (const { run, rows } of await replayJournal(journal.member, replay, options)) {
      open.push({ run, rows: rows.filter(([, , mark]) => !isHeld(mark)) });
    }
  }
  if (intents) for (const { run, rows } of open) await replay.intended(run, rows);
  return gone;
}

/** Members that ended with all they did recorded, in this very Redis: nothing of theirs is to be put back. */
async function leftMembers({ redis, keys }: ReplayOptions): Promise<ReadonlySet<string>> {
  const fields = await redis.hkeys(keys.gate);
  return new Set(fields.flatMap((field) => (field.startsWith('l:') ? [field.slice('l:'.length)] : [])));
}

type Intended = Pick<Extract<Replayed, { kind: 'intended' }>, 'run' | 'rows'>;

/** All but the open intents, which are answered: no more than were in flight in one process. */
async function replayJournal(
  member: string,
  replay: LedgerReplay,
  options: ReplayOptions,
): Promise<Intended[]> {
  const ours = new Set<string>();
  const open: Intended[] = [];
  const tellDamage = (damage: Damage) =>
    options.onTrouble('a damaged line of a journal is passed over', damage);
  for await (const part of readJournal(options.folder, member, tellDamage)) {
    if (part.kind === 'run' && part.target === options.target) {
      ours.add(part.run);
      await replay.run(part.run, part.fields);
      await options.indexRun(part.run, new Date(part.fields.createdAt ?? 0));
    }
    if (!ours.has(part.run)) continue;
    if (part.kind === 'added') await replay.added(part.run, part.chunk, member);
    if (part.kind === 'settled') await replay.settled(part.run, part.entries);
    if (part.kind === 'intended') open.push(part);
  }
  return open;
}
