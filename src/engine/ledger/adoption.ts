/**
 * Keys that were adopted: their ids were told by a file, not by the service. A wrong one would
 * update another record, so the first few go before a person has seen what came of them; and what
 * no run has updated since can be taken back.
 */
import { z } from 'zod';
import { batchesIn, batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { type Kind, wasSent } from '../../model/outcome.ts';
import { isUnderWay, type Run, type StateRequest } from '../../model/run.ts';
import { type Settlement, UNDONE } from '../../model/settlement.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import { bucketsOfKeys, fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import KNOWN_IDS from './lua/known-ids.lua';
import TAKE_BACK from './lua/take-back.lua';
import TRY_ADOPTED from './lua/try-adopted.lua';
import { settledMark } from './mark.ts';
import { protocol } from './protocol.ts';
import { readRun } from './run-record.ts';
import { chunksAround, readAll } from './run-view.ts';
import { script } from './script.ts';

/** A row that is about to update a record; `madeBy`: the run that made its key known. */
export type FirstUpdate = {
  readonly madeBy: string;
  readonly row: number;
  readonly id: string;
};

const tryAdopted = script(TRY_ADOPTED, z.string());
const triedSchema = z.array(
  z.object({
    run: z.string(),
    row: z.coerce.number(),
    id: z.string(),
  }),
);

/** A row that went first; `open`: nothing came of it yet. */
type Tried = z.infer<typeof triedSchema>[number] & { readonly outcome: Kind };

/**
 * Where the row has to wait for a person: the rows that went before it, with what came of them;
 * `null`: it may go. Who was to go and was not sent counts for nothing.
 */
export async function triedBefore(
  redis: RedisConnection,
  keys: LedgerKeys,
  { run, madeBy, row, id }: FirstUpdate & { readonly run: string },
): Promise<readonly Tried[] | null> {
  let inVain: readonly string[] = [];
  for (;;) {
    const said = [run, row, id, ...inVain];
    const answer = await tryAdopted(redis, [keys.run(madeBy).record], said);
    if (answer === '') return null;
    const tried = await withOutcomes(redis, keys, triedSchema.parse(JSON.parse(answer)));
    const unsent = tried.filter(({ outcome }) => outcome !== 'pending' && !wasSent(outcome));
    if (unsent.length === 0) return tried;
    inVain = unsent.map((one) => one.id);
  }
}

async function withOutcomes(
  redis: RedisConnection,
  keys: LedgerKeys,
  rows: z.infer<typeof triedSchema>,
): Promise<readonly Tried[]> {
  const ends = new Map<string, Kind>();
  for (const id of new Set(rows.map(({ run }) => run))) {
    const run = await readRun(redis, keys, id);
    const own = rows.filter((one) => one.run === id).map(({ row }) => row);
    // Of a run that stands still nobody waits for anything.
    const isMoving = run !== null && isUnderWay(run);
    for (const row of own) ends.set(`${id} ${row}`, isMoving ? 'pending' : 'cancelled');
    if (run === null) continue;
    for await (const { settlements } of chunksAround(redis, keys, run, new Set(own)))
      for (const { row, outcome } of settlements) ends.set(`${id} ${row}`, outcome);
  }
  return rows.map((one) => {
    const end = ends.get(`${one.run} ${one.row}`);
    return { ...one, outcome: end ?? 'pending' };
  });
}

type Shown = {
  readonly run: string;
  readonly madeBy: string;
  readonly words: string;
};

/** What a person is to see of an adoption, and of which: at once. */
export async function showTried(
  redis: RedisConnection,
  keys: LedgerKeys,
  { run, madeBy, words }: Shown,
): Promise<void> {
  await redis.hset(keys.run(run).record, 'problem', words, protocol.untrusted, madeBy);
}

/** That person has seen it: all others may be updated, by any run. */
export async function trustAdopted(
  redis: RedisConnection,
  keys: LedgerKeys,
  { run, by, at }: { readonly run: string; readonly by: string; readonly at: string },
): Promise<void> {
  const madeBy = await redis.hget(keys.run(run).record, protocol.untrusted);
  if (madeBy === null) return;
  await redis.hset(keys.run(madeBy).record, protocol.trusted, JSON.stringify({ by, at }));
}

const knownIn = script(KNOWN_IDS, z.array(z.string()));
/** Of a million records they have some four thousand. */
const BUCKETS_AT_ONCE = 64;

/** The ids of all records of a space, with the rows that made them known. */
export async function* knownIds(redis: RedisConnection, keys: LedgerKeys, space: string) {
  for (const buckets of batchesOf(bucketsOfKeys(keys, space), BUCKETS_AT_ONCE)) {
    const found = await knownIn(redis, buckets, []);
    for (let at = 0; at < found.length; at += 3) {
      const [run = '', row, id = ''] = found.slice(at, at + 3);
      yield { run, row: Number(row), id };
    }
  }
}

const takeBack = script(TAKE_BACK, z.array(z.string()));
/** Of a chain of acts each call is one. */
const ROWS_PER_CALL = 1_000;

type TakeBack = {
  readonly run: Run;
  readonly placeOf: (key: string) => KeyPlace;
  readonly request: StateRequest;
  /** Whatever runs made of them; `null`: all rows, of which those that were used stay. */
  readonly rows: ReadonlySet<number> | null;
  /** A run that had the key in its file has used it. */
  readonly metCounts: boolean;
};

/** Answers of how many keys, and how many stay known. */
export async function takeBackAdopted(redis: RedisConnection, keys: LedgerKeys, asked: TakeBack) {
  const { run, request, rows, metCounts } = asked;
  const k = keys.run(run.id);
  const names = [k.record, k.chunk, k.blocks, k.late, keys.audit];
  const said = [run.id, stubOf(keys, run.id, request.at), JSON.stringify(request.why)];
  let [back, kept] = [0, 0];
  for await (const entries of batchesIn(entriesOf(redis, keys, asked), ROWS_PER_CALL)) {
    const of = JSON.stringify({
      areNamed: rows !== null,
      metCounts,
      entries,
    });
    const stay = await appending(redis, [keys.audit], ([link = '']) =>
      takeBack(redis, names, [link, ...said, of]),
    );
    back += entries.length - stay.length;
    kept += stay.length;
  }
  return { back, kept };
}

async function* entriesOf(redis: RedisConnection, keys: LedgerKeys, asked: TakeBack) {
  const { run, placeOf, request, rows } = asked;
  const k = keys.run(run.id);
  const seal = await k.seal();
  for await (const { chunk, settlements } of readAll(redis, k, run.chunks)) {
    for (const settled of settlements) {
      const isMeant = rows === null || rows.has(settled.row);
      if (settled.outcome !== 'adopted' || !isMeant) continue;
      const place = placeOf(settled.key);
      yield {
        row: settled.row,
        chunk,
        settled: settledMark(undone(settled, request), seal),
        key: identityPlace(keys, place),
        fields: fieldsPlace(keys, place),
      };
    }
  }
}

function undone(settled: Settlement, { by, at }: StateRequest): Settlement {
  const message = 'its key was taken back by {by} at {at}';
  return {
    ...settled,
    outcome: 'cancelled',
    code: UNDONE,
    message,
    values: { by, at },
  };
}
