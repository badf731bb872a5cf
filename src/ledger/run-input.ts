import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Row, rowSchema } from '../model/row.ts';
import { type Chunking, chunksOf } from '../model/run.ts';
import type { LedgerKeys } from './keys.ts';
import { unpackRowNumbers } from './row-numbers.ts';

/** The rows of a rerun, frozen when it was registered: any reading gives the same chunks. Personal data. */
export type RunInput = {
  /** Before the run is registered; what never is goes by itself. */
  write(chunk: number, rows: readonly Row[]): Promise<void>;
  /** Every chunk in order; a UsageError where one is gone. */
  read(run: Chunking): AsyncGenerator<{ n: number; rows: Row[] }, void, undefined>;
  /** Whether every chunk is there. */
  isWhole(run: Chunking): Promise<boolean>;
  /** The numbers of its rows in row order, from the run's record, which the journals put back; `null`: it has none. */
  numbers(): Promise<readonly number[] | null>;
  /** For a run that is over. */
  drop(): Promise<void>;
};

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);
const rowsSchema = z.array(rowSchema);

/** Longer than any run is gone on with. */
export const INPUT_TTL_SECONDS = 90 * 24 * 3600;

/** Longer than between two chunks that are written. */
const UNREGISTERED_TTL_SECONDS = 3600;

export function createRunInput(redis: RedisConnection, keys: LedgerKeys, id: string): RunInput {
  const { input, record } = keys.run(id);
  const readChunk = async (n: number) => {
    const block = await redis.hgetBuffer(input, String(n));
    if (block === null) throw new UsageError(`The rows of run ${id} are lost from Redis.`);
    return rowsSchema.parse(JSON.parse((await inflated(block)).toString('utf8')));
  };
  return {
    async write(chunk, rows) {
      const block = await deflated(JSON.stringify(rows));
      await redis.multi().hset(input, chunk, block).expire(input, UNREGISTERED_TTL_SECONDS).exec();
    },
    async *read(run) {
      for (let n = 1; n <= chunksOf(run); n += 1) yield { n, rows: await readChunk(n) };
    },
    isWhole: async (run) => (await redis.hlen(input)) === chunksOf(run),
    async numbers() {
      const packed = await redis.hget(record, 'rowNumbers');
      return packed === null ? null : unpackRowNumbers(packed);
    },
    async drop() {
      await redis.unlink(input);
    },
  };
}
