/**
 * Keys that were adopted: their ids were told by a file, not by the service. A wrong one would
 * update another record, so the first few go before a person has seen what came of them; and what
 * no run has updated since can be taken back.
 */
import { z } from 'zod';
import { batchesIn, batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Run, StateRequest } from '../../model/run.ts';
import { type Settlement, UNDONE } from '../../model/settlement.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import { bucketsOfKeys, fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import TAKE_BACK from './lua/take-back.lua';
import TRY_ADOPTED from './lua/try-adopted.lua';
import { settledMark } from './mark.ts';
import { protocol } from './protocol.ts';
import { readAll } from './run-view.ts';
import { script } from './script.ts';

/** A row that is about to update a record; `madeBy`: the run that made its key known. */
export type FirstUpdate = { readonly madeBy: string; readonly row: number; readonly id: string };

const tryAdopted = script(TRY_ADOPTED, z.string());

const triedSchema = z.array(z.object({ run: z.string(), row: z.string(), id: z.string() }));
export type Tried = z.infer<typeof triedSchema>;

/** Where it has to wait for a person: the rows that went before; `null`: it may go. */
export async function triedBefore(
  redis: RedisConnection,
  keys: LedgerKeys,
  { run, madeBy, row, id }: FirstUpdate & { readonly run: string },
): Promise<Tried | null> {
  const names = [keys.run(madeBy).record, keys.run(run).record];
  const tried = await tryAdopted(redis, names, [madeBy, run, row, id]);
  return tried === '' ? null : triedSchema.parse(JSON.parse(tried));
}

/** A person has seen what came of those: all others may be updated, by any run. */
export async function trustAdopted(
  redis: RedisConnection,
  keys: LedgerKeys,
  { run, request }: { readonly run: string; readonly request: StateRequest },
): Promise<void> {
  const madeBy = await redis.hget(keys.run(run).record, protocol.untrusted);
  if (madeBy === null) return;
  await redis.hset(keys.run(madeBy).record, protocol.trusted, JSON.stringify(request));
}

/** Of an entry of a key that is known: run, row and id. */
const KNOWN = new RegExp(`^${protocol.known}\\S* (\\S+) (\\d+) (.+)$`, 's');
const BUCKETS_AT_ONCE = 256;

/** The ids of all records of a space, with the rows that made them known. */
export async function* knownIds(redis: RedisConnection, keys: LedgerKeys, space: string) {
  for (const buckets of batchesOf(bucketsOfKeys(keys, space), BUCKETS_AT_ONCE)) {
    const entries = await Promise.all(buckets.map((bucket) => redis.hvals(bucket)));
    for (const entry of entries.flat()) {
      const [, run, row, id] = KNOWN.exec(entry) ?? [];
      if (run !== undefined && id !== undefined) yield { run, row: Number(row), id };
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
};

/** Answers how many keys stay known, since a run has updated their records, or is about to. */
export async function takeBackAdopted(redis: RedisConnection, keys: LedgerKeys, asked: TakeBack) {
  const { run, request } = asked;
  const k = keys.run(run.id);
  const names = [k.record, k.chunk, k.blocks, k.late, keys.audit];
  const said = [run.id, stubOf(keys, run.id, request.at), JSON.stringify(request.why)];
  let [back, kept] = [0, 0];
  for await (const batch of batchesIn(entriesOf(redis, keys, asked), ROWS_PER_CALL)) {
    const entries = JSON.stringify(batch);
    const stay = await appending(redis, [keys.audit], ([link = '']) =>
      takeBack(redis, names, [link, ...said, entries]),
    );
    back += batch.length - stay.length;
    kept += stay.length;
  }
  return { back, kept };
}

async function* entriesOf(redis: RedisConnection, keys: LedgerKeys, { run, placeOf, request }: TakeBack) {
  const k = keys.run(run.id);
  const seal = await k.seal();
  for await (const { chunk, settlements } of readAll(redis, k, run.chunks)) {
    for (const settled of settlements) {
      if (settled.outcome !== 'adopted') continue;
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
  return { ...settled, outcome: 'cancelled', code: UNDONE, message, values: { by, at } };
}
