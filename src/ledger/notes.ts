/**
 * Notes on causes (model/note.ts) of all runs of a target. Nothing is decided by them; an
 * unreadable note counts as none.
 */
import type { RedisConnection } from '../lib/redis-connection.ts';
import { type Note, type Notes, noteSchema } from '../model/note.ts';
import type { LedgerKeys } from './keys.ts';

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
  if (causes.length === 0) return new Map();
  const texts = await redis.hmget(keys.notes, ...causes);
  return new Map(
    causes.flatMap((cause, i) => {
      const note = noteOf(texts[i] ?? null);
      return note === null ? [] : [[cause, note] as const];
    }),
  );
}

function noteOf(text: string | null): Note | null {
  if (text === null) return null;
  try {
    return noteSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
