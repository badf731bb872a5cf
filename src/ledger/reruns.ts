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
import type { LedgerKeys } from './keys.ts';
import { REGISTER_RERUN } from './lua/runs.ts';
import { allBriefs, type NewRun, newRecord } from './run-record.ts';
import { script } from './script.ts';
import { addToStory } from './story.ts';

/** The reruns of one run: each has rows of its parent that no earlier one took. */
export type RerunStore = {
  /** Ids, oldest first. */
  children(): Promise<readonly string[]>;
  /** The rerun registered last, `''` for none; read before rows are chosen. */
  latest(): Promise<string>;
  /** False where another rerun was registered since `latest`: it may have the same rows. */
  register(run: NewRun, chosen: Chosen): Promise<boolean>;
};

type Chosen = {
  readonly latest: string;
  /** Ascending row numbers: all that is left where Redis loses the rows themselves. */
  readonly rows: readonly number[];
};

const registerRerun = script(REGISTER_RERUN, z.number());

export function createRerunStore(redis: RedisConnection, keys: LedgerKeys, parent: string): RerunStore {
  const entry = `rerun:${parent}`;
  return {
    children: () => childrenOf(redis, keys, parent),
    latest: async () => (await redis.hget(keys.files, entry)) ?? '',
    async register(run, { latest, rows }) {
      const rowNumbers = await packRowNumbers(rows);
      const own = newRecord(run);
      const record = { ...own, parent, registry: entry, rowNumbers };
      const chunks = Number(own.chunks);
      const k = keys.run(run.id);
      const registered = await registerRerun(
        redis,
        [keys.files, keys.runs, k.record, k.input],
        [
          entry,
          run.id,
          run.createdAt.getTime(),
          latest,
          chunks,
          INPUT_TTL_SECONDS,
          ...Object.entries(record).flat(),
        ],
      );
      if (registered < 0) throw new Error(`the rows of rerun ${run.id} are not all in the ledger`);
      const at = run.createdAt.getTime();
      if (registered === 1)
        await addToStory(redis, keys.run(parent), { at, what: 'rerun', why: run.id, by: '' });
      return registered === 1;
    },
  };
}

/** From the records themselves, which also survive a Redis that was put back from the journals. */
async function childrenOf(redis: RedisConnection, keys: LedgerKeys, parent: string): Promise<string[]> {
  const children: string[] = [];
  for await (const run of allBriefs(redis, keys)) if (run.parent === parent) children.push(run.id);
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
  const cursors = choice.reruns.map((rerun) => createRowCursor(rerun));
  try {
    for await (const { settlements } of view.chunks()) {
      counts.inDoubt += settlements.filter(({ outcome }) => outcome === 'in-doubt').length;
      const wanted: number[] = [];
      for (const { row, outcome } of settlements) {
        if (!choice.outcomes.has(outcome) || choice.rows?.has(row) === false) continue;
        if (await isIn(cursors, row)) counts.takenBefore += 1;
        else wanted.push(row);
      }
      const sources = await view.sources(wanted);
      const rows = wanted.flatMap((row) => sources.get(row) ?? []);
      counts.chosen += rows.length;
      counts.withoutRecord += wanted.length - rows.length;
      if (rows.length > 0) yield rows;
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

type RowCursor = ReturnType<typeof createRowCursor>;

async function isIn(cursors: readonly RowCursor[], row: number): Promise<boolean> {
  let found = false;
  // Every cursor has to move on, even where an earlier one has the row.
  for (const cursor of cursors) found = (await cursor.has(row)) || found;
  return found;
}

/** Line 0: the rerun had lost the row. Where it was not sent, the parent's may be taken again. */
function isTaken({ line, outcome }: Settlement): boolean {
  return line > 0 || outcome === 'in-doubt' || succeeded(outcome);
}

/** Answers whether a run has a row. Ask in ascending order: the run's rows pass by once. */
function createRowCursor(view: LedgerView) {
  const batches = view.chunks()[Symbol.asyncIterator]();
  let rows: readonly number[] = [];
  let at = 0;
  const peek = async (): Promise<number | null> => {
    while (at >= rows.length) {
      const { value, done } = await batches.next();
      if (done === true) return null;
      rows = value.settlements.filter(isTaken).map(({ row }) => row);
      at = 0;
    }
    return rows[at] ?? null;
  };
  return {
    async has(row: number): Promise<boolean> {
      let next = await peek();
      while (next !== null && next < row) {
        at += 1;
        next = await peek();
      }
      return next === row;
    },
    close: async () => void (await batches.return?.()),
  };
}

/** The rows of a rerun, frozen at its registration. Personal data. */
type RunInput = {
  /** Before the run is registered; without a registration the rows expire. */
  write(chunk: number, rows: readonly Row[]): Promise<void>;
  /** Every chunk in order; a UsageError where one is gone. */
  read(run: Chunking): AsyncGenerator<{ n: number; rows: Row[] }, void, undefined>;
  isWhole(run: Chunking): Promise<boolean>;
  /** In row order, from the run's record, which the journals put back; `null`: none. */
  numbers(): Promise<readonly number[] | null>;
  /** For a run that is over. */
  drop(): Promise<void>;
};

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);
const rowsSchema = z.array(rowSchema);

/** Longer than any run lasts. */
export const INPUT_TTL_SECONDS = 90 * 24 * 3600;

/** Longer than the time between two writes of chunks. */
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
