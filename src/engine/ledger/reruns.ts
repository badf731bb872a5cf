/**
 * Reruns: the rows of a run that did not succeed, chosen, frozen and registered as a run of their
 * own. The rows are in the ledger before the rerun is registered, so that every reading gives the
 * same chunks. Of two reruns that choose at the same time one is refused, so no row is in both.
 */

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Outcome } from '../../model/outcome.ts';
import { type Row, rowSchema } from '../../model/row.ts';
import { type Chunking, chunksOf } from '../../model/run.ts';
import type { LedgerView } from '../../model/settlement.ts';
import { appending } from './audit-chain.ts';
import type { LedgerKeys } from './keys.ts';
import REGISTER from './lua/register.lua';
import { packRowNumbers, unpackRowNumbers } from './row-numbers.ts';
import { type NewRun, newRecord, registeredSchema, registration, unsentField } from './run-record.ts';
import { script } from './script.ts';

const registerRerun = script(REGISTER, registeredSchema);

type Chosen = {
  readonly latest: string;
  /** Ascending row numbers: all that is left where Redis loses the rows themselves. */
  readonly rows: readonly number[];
};

export type RerunStore = ReturnType<typeof createRerunStore>;

/** The reruns of one run: each has rows of its parent that no earlier run took. */
export function createRerunStore(redis: RedisConnection, keys: LedgerKeys, parent: string) {
  const entry = `rerun:${parent}`;
  return {
    /** False where another run took rows since `latest`: it may have the same ones. */
    async register(run: NewRun, { latest, rows }: Chosen): Promise<boolean> {
      const rowNumbers = await packRowNumbers(rows);
      const own = { ...newRecord(run, keys), ...(await unsentField(run)) };
      const record = { ...own, parent, registry: entry, rowNumbers };
      const rerun = { chunks: own.chunks, ttl: INPUT_TTL_SECONDS };
      const asked = { entry, rerun, taken: latest, from: [parent] };
      const [names, args] = registration(keys, record, asked, run.right);
      const [kind] = await appending(redis, [keys.audit], ([link = '']) =>
        registerRerun(redis, names, [link, ...args]),
      );
      return kind === 'new';
    },
  };
}

export type RowChoice = {
  readonly outcomes: ReadonlySet<Outcome>;
  readonly rows: ReadonlySet<number> | null;
};

export type ChoiceCounts = {
  chosen: number;
  /** Rows with a chosen outcome but no source record. */
  withoutRecord: number;
  inDoubt: number;
};

/** In row order; `seenTo`: rows that somebody has taken up or written off. */
export async function* unsuccessfulRows(
  view: LedgerView,
  choice: RowChoice & { readonly seenTo: ReadonlySet<number>; readonly isGrouped: boolean },
  counts: ChoiceCounts,
): AsyncGenerator<readonly Row[], void, undefined> {
  for await (const { settlements } of view.chunks()) {
    counts.inDoubt += settlements.filter(({ outcome }) => outcome === 'in-doubt').length;
    const seen = settlements.filter(({ row }) => choice.seenTo.has(row));
    // A group goes whole, or not at all.
    const keys = new Set(choice.isGrouped ? seen.map(({ key }) => key) : []);
    const wanted = settlements
      .filter(
        ({ row, key, outcome }) => choice.outcomes.has(outcome) && !choice.seenTo.has(row) && !keys.has(key),
      )
      .map(({ row }) => row)
      .filter((row) => choice.rows?.has(row) !== false);
    const sources = await view.sources(wanted);
    const rows = wanted.flatMap((row) => sources.get(row) ?? []);
    counts.chosen += rows.length;
    counts.withoutRecord += wanted.length - rows.length;
    if (rows.length > 0) yield rows;
  }
}

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);
const rowsSchema = z.array(rowSchema);

function inputPlace(chunk: number): string {
  return `input ${chunk}`;
}

/** Longer than any run lasts. */
export const INPUT_TTL_SECONDS = 90 * 24 * 3600;

/** Longer than the time between two writes of chunks. */
const UNREGISTERED_TTL_SECONDS = 3600;

/**
 * The rows of a rerun, frozen at its registration. Personal data, under the data key that the
 * rerun gets when the first of them are written.
 */
export function createRunInput(redis: RedisConnection, keys: LedgerKeys, id: string) {
  const { input, record, seal } = keys.run(id);
  const readChunk = async (n: number) => {
    const block = await redis.hgetBuffer(input, String(n));
    if (block === null) throw new UsageError(`The rows of run ${id} are lost from Redis.`);
    const rows = await inflated((await seal()).openBytes(inputPlace(n), block));
    return rowsSchema.parse(JSON.parse(rows.toString('utf8')));
  };
  return {
    /** Before the run is registered; without a registration the rows expire. */
    async write(chunk: number, rows: readonly Row[]) {
      // The rerun has no record yet.
      keys.sealing.begin(id);
      const block = (await seal()).bytes(inputPlace(chunk), await deflated(JSON.stringify(rows)));
      await redis.multi().hset(input, chunk, block).expire(input, UNREGISTERED_TTL_SECONDS).exec();
    },
    /** Every chunk in order; a UsageError where one is gone. */
    async *read(run: Chunking) {
      for (let n = 1; n <= chunksOf(run); n += 1) yield { n, rows: await readChunk(n) };
    },
    isWhole: async (run: Chunking) => (await redis.hlen(input)) === chunksOf(run),
    /** In row order, from the run's record, which the journals put back; `null`: none. */
    async numbers(): Promise<readonly number[] | null> {
      const packed = await redis.hget(record, 'rowNumbers');
      return packed === null ? null : unpackRowNumbers(packed);
    },
    /** For a run that is over. */
    async drop() {
      await redis.unlink(input);
    },
  };
}
