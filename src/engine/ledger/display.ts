/**
 * What a target's ledger keeps for people who look: what happened to a run (its story, with its
 * part of the audit), notes on causes, and what each worker is doing. Nothing is decided or counted
 * by it, no loss is put back, and an unreadable entry counts as none. Which workers hold back the
 * opening of the epoch is verification's to say.
 */

import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { countOf, shownTime } from '../../lib/terminal.ts';
import { type AuditEntry, parseEntry } from '../../model/audit.ts';
import { type Note, type Notes, noteSchema } from '../../model/note.ts';
import { type Happening, happeningSchema, isAct } from '../../model/story.ts';
import type { LedgerKeys } from './keys.ts';

function readAs<T>(schema: z.ZodType<T>, text: string | null | undefined): T | null {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}

/** Oldest first; unknown events are left out. */
export async function readStory(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: string,
): Promise<readonly Happening[]> {
  const story = await redis.lrange(keys.run(run).story, 0, -1);
  return story.flatMap((text) => {
    const entry = parseEntry(text);
    return (entry && happeningSchema.safeParse(happeningOf(entry, run)).data) ?? [];
  });
}

const rows = z.array(z.number()).catch([]);
const toldSchema = z.object({
  reason: z.string().catch('requested'),
  why: z.string().catch(''),
  count: z.number().catch(0),
  created: rows,
  notCreated: rows,
});

/** What happens by itself is nobody's act. */
function happeningOf({ at, run, actor, what, of }: AuditEntry, own: string) {
  const { reason, why, count, created, notCreated } = toldSchema.parse(of);
  const isAsked = reason === 'requested' && isAct(what);
  const told = { at: Date.parse(at), by: isAsked ? actor : '' };
  if (run !== own) return { ...told, what: 'taken-up', why: run };
  // The counts of an end are outcomes.
  const settled = what === 'ended' ? 0 : count + created.length + notCreated.length;
  const said = reason === 'requested' ? why : reason;
  const words = [settled === 0 ? '' : countOf(settled, 'row'), detailsOf(of), said];
  return { ...told, what, why: words.filter((text) => text !== '').join(': ') };
}

/** What an entry has besides, by its name: the words before it. */
const DETAILS = { who: '', heard: 'last heard of ', after: 'after ', foundBy: 'found by ' };
const TIMES = { from: 'from ', until: 'until ' };

function detailsOf(of: AuditEntry['of']): string {
  const words = Object.entries({ ...DETAILS, ...TIMES }).flatMap(([name, before]) => {
    const { [name]: value } = of;
    if (typeof value !== 'string' || value === '') return [];
    return [before + (name === 'heard' || Object.hasOwn(TIMES, name) ? timeOf(value) : value)];
  });
  return words.join(', ');
}

function timeOf(iso: string): string {
  return shownTime(new Date(iso), 'UTC', { seconds: true });
}

/** An empty text removes the note. */
export async function keepNote(
  redis: RedisConnection,
  keys: LedgerKeys,
  cause: string,
  note: Note,
): Promise<void> {
  if (note.text === '') await redis.hdel(keys.notes, cause);
  else await redis.hset(keys.notes, cause, JSON.stringify(note));
}

export async function readNotes(
  redis: RedisConnection,
  keys: LedgerKeys,
  causes: readonly string[],
): Promise<Notes> {
  const notes = new Map<string, Note>();
  const texts = causes.length === 0 ? [] : await redis.hmget(keys.notes, ...causes);
  for (const [i, cause] of causes.entries()) {
    const note = readAs(noteSchema, texts[i]);
    if (note !== null) notes.set(cause, note);
  }
  return notes;
}

const doingSchema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  inFlight: z.number(),
  /** The most requests that it may have in flight. */
  limit: z.number(),
  /** Attempts per second. */
  rate: z.number(),
  runs: z.array(z.string()),
});
type Doing = z.infer<typeof doingSchema>;

/** A worker that has not written for so long is dead. */
const DEAD_AFTER_MS = 60_000;

/** Each worker writes its own entry every few seconds, and removes those of who is dead. */
export async function keepDoing(
  redis: RedisConnection,
  keys: LedgerKeys,
  worker: string,
  doing: Doing,
): Promise<void> {
  await redis.hset(keys.doing, worker, JSON.stringify(doing));
  const all = await redis.hgetall(keys.doing);
  const living = new Set(livingIn(all, doing.at).map((one) => one.worker));
  const dead = Object.keys(all).filter((name) => !living.has(name));
  if (dead.length > 0) await redis.hdel(keys.doing, ...dead);
}

export async function forgetDoing(redis: RedisConnection, keys: LedgerKeys, worker: string): Promise<void> {
  await redis.hdel(keys.doing, worker);
}

/** The living workers, by name. */
export async function readDoing(redis: RedisConnection, keys: LedgerKeys, now: number) {
  return livingIn(await redis.hgetall(keys.doing), now);
}

function livingIn(all: Readonly<Record<string, string>>, now: number) {
  const byName = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return byName.flatMap(([worker, text]) => {
    const doing = readAs(doingSchema, text);
    return doing !== null && doing.at > now - DEAD_AFTER_MS ? [{ ...doing, worker }] : [];
  });
}
