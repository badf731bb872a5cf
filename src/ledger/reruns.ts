/**
 * Reruns: the rows of a run that did not succeed, chosen, frozen and registered as a run of their
 * own. The rows are in the ledger before the rerun is registered, so that every reading gives the
 * same chunks. Of two reruns that choose at the same time one is refused, so no row is in both.
 */

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Outcome, succeeded } from '../model/outcome.ts';
import { type Row, rowSchema } from '../model/row.ts';
import { type Chunking, chunksOf } from '../model/run.ts';
import type { LedgerView, Settlement } from '../model/settlement.ts';
import { addToStory } from './display.ts';
import type { LedgerKeys } from './keys.ts';
import { REGISTER } from './lua/runs.ts';
import { allBriefs, type NewRun, newRecord, registeredSchema, registration } from './run-record.ts';
import { script } from './script.ts';

const registerRerun = script(REGISTER, registeredSchema);

type Chosen = {
  readonly latest: string;
  /** Ascending row numbers: all that is left where Redis loses the rows themselves. */
  readonly rows: readonly number[];
};

export type RerunStore = ReturnType<typeof createRerunStore>;

/** The reruns of one run: each has rows of its parent that no earlier one took. */
export function createRerunStore(redis: RedisConnection, keys: LedgerKeys, parent: string) {
  const entry = `rerun:${parent}`;
  return {
    /** Ids, oldest first. */
    children: () => childrenOf(redis, keys, parent),
    /** The rerun registered last, `''` for none; read before rows are chosen. */
    latest: async () => (await redis.hget(keys.files, entry)) ?? '',
    /** False where another rerun was registered since `latest`: it may have the same rows. */
    async register(run: NewRun, { latest, rows }: Chosen): Promise<boolean> {
      const rowNumbers = await packRowNumbers(rows);
      const own = newRecord(run);
      const record = { ...own, parent, registry: entry, rowNumbers };
      const rerun = { latest, chunks: own.chunks, ttl: INPUT_TTL_SECONDS };
      const [kind] = await registerRerun(redis, ...registration(keys, record, { entry, rerun }));
      const at = run.createdAt.getTime();
      if (kind === 'new')
        await addToStory(redis, keys.run(parent), { at, what: 'rerun', why: run.id, by: '' });
      return kind === 'new';
    },
  };
}

/** From the records themselves, which also survive a Redis that was put back from the journals. */
async function childrenOf(redis: RedisConnection, keys: LedgerKeys, parent: string): Promise<string[]> {
  const children: string[] = [];
  for await (const run of allBriefs(redis, keys)) {
    if (run.parent === parent) children.push(run.id);
  }
  return children;
}

export type RowChoice = {
  readonly outcomes: ReadonlySet<Outcome>;
  readonly rows: ReadonlySet<number> | null;
};

export type ChoiceCounts = {
  chosen: number;
  /** Rows with a chosen outcome that an earlier rerun has. */
  takenBefore: number;
  /** Rows with a chosen outcome but no source record. */
  withoutRecord: number;
  inDoubt: number;
};

/** In row order, without rows that an earlier rerun took. */
export async function* unsuccessfulRows(
  view: LedgerView,
  choice: RowChoice & { readonly reruns: readonly LedgerView[] },
  counts: ChoiceCounts,
): AsyncGenerator<readonly Row[], void, undefined> {
  const taken = await rowsTaken(choice.reruns);
  for await (const { settlements } of view.chunks()) {
    counts.inDoubt += settlements.filter(({ outcome }) => outcome === 'in-doubt').length;
    const asked = settlements
      .filter(({ outcome }) => choice.outcomes.has(outcome))
      .map(({ row }) => row)
      .filter((row) => choice.rows?.has(row) !== false);
    const wanted = asked.filter((row) => !taken.has(row));
    const sources = await view.sources(wanted);
    const rows = wanted.flatMap((row) => sources.get(row) ?? []);
    counts.takenBefore += asked.length - wanted.length;
    counts.chosen += rows.length;
    counts.withoutRecord += wanted.length - rows.length;
    if (rows.length > 0) yield rows;
  }
}

async function rowsTaken(reruns: readonly LedgerView[]): Promise<ReadonlySet<number>> {
  const taken = new Set<number>();
  for (const rerun of reruns)
    for await (const { settlements } of rerun.chunks())
      for (const settlement of settlements) if (isTaken(settlement)) taken.add(settlement.row);
  return taken;
}

/** Line 0: the rerun had lost the row. Where it was not sent, the parent's may be taken again. */
function isTaken({ line, outcome }: Settlement): boolean {
  return line > 0 || outcome === 'in-doubt' || succeeded(outcome);
}

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);
const rowsSchema = z.array(rowSchema);

/** Longer than any run lasts. */
export const INPUT_TTL_SECONDS = 90 * 24 * 3600;

/** Longer than the time between two writes of chunks. */
const UNREGISTERED_TTL_SECONDS = 3600;

/** The rows of a rerun, frozen at its registration. Personal data. */
export function createRunInput(redis: RedisConnection, keys: LedgerKeys, id: string) {
  const { input, record } = keys.run(id);
  const readChunk = async (n: number) => {
    const block = await redis.hgetBuffer(input, String(n));
    if (block === null) throw new UsageError(`The rows of run ${id} are lost from Redis.`);
    return rowsSchema.parse(JSON.parse((await inflated(block)).toString('utf8')));
  };
  return {
    /** Before the run is registered; without a registration the rows expire. */
    async write(chunk: number, rows: readonly Row[]) {
      const block = await deflated(JSON.stringify(rows));
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

/** The step from each row number to the next, deflated, base64: neighbours cost almost nothing. */
export async function packRowNumbers(rows: readonly number[]): Promise<string> {
  const steps = rows.map((row, i) => row - (rows[i - 1] ?? 0));
  return (await deflated(steps.join(' '))).toString('base64');
}

async function unpackRowNumbers(text: string): Promise<number[]> {
  const steps = (await inflated(Buffer.from(text, 'base64'))).toString('utf8');
  let row = 0;
  return steps.split(' ').map((step) => {
    row += Number(step);
    return row;
  });
}
