/**
 * A ledger that recovery has verified: no worker, and nothing that Redis forgot, can make a row go
 * twice. Scripts that move rows run on such a one alone, and wait until it is one again.
 */
import type { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { type Script, type SentArguments, script } from './script.ts';

export type VerifiedLedger = {
  readonly worker: string;
  readonly redis: RedisConnection;
  /** Runs a script of `whenVerified`, and repeats it until the ledger is verified. */
  call<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /** For a script that changes nothing: without a sequence number Redis writes nothing. */
  read<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /**
   * Whether another worker, of that process, may be about to take back what it has of a chunk: it
   * lives as far as this one has heard, and Redis may just have lost its lock.
   */
  isElsewhere(process: string): boolean;
  /** Keeps intents out of a replay until they are released. */
  keepOutOfReplay(asked: () => ReadonlyArray<{ readonly mark: string }>): () => void;
  /** Whether the home is still this machine's; asked before what was recorded is acted upon. */
  isOurs(): Promise<boolean>;
  /** How often this process found the ledger unverified and replayed its journal. */
  recoveries(): number;
};

/** `lua` begins with parts/in-epoch, which says what is added to KEYS and ARGV. */
export function whenVerified<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  if (!lua.includes('protocol.unverified'))
    throw new Error('expected a script that begins with parts/in-epoch');
  return script(lua, answer);
}
