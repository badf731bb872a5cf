/**
 * Digests of runs for the page: of a run that is over as its report left it, of any other counted
 * from the chunks that are closed, each once and a few at a time, so that the page goes on serving.
 * Where an outcome was replaced after its chunk was closed, all is counted anew. A few runs are
 * remembered.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { createRunView, readChunks } from '../ledger/run-view.ts';
import { batchesOf } from '../lib/batches.ts';
import { isOver, type Run } from '../model/run.ts';
import type { LedgerView, SettledChunk } from '../model/settlement.ts';
import { isTable } from '../model/source.ts';
import { createDigestTally, type Digest, type DigestTally } from '../report/digest.ts';
import { unsuccessfulIn } from '../report/remainder.ts';
import { knownFields } from '../service/operations.ts';
import type { Desk } from './desk.ts';
import { digestAtHand } from './digest-at-hand.ts';

export type Digests = {
  /** As far as it is counted, at once; it is counted on meanwhile. */
  of(run: Run): Promise<Digest>;
};

const CHUNKS_AT_ONCE = 16;
const REMEMBERED = 8;
const EVERY_MS = 1_000;

type Counting = {
  readonly tally: DigestTally;
  readonly seen: Set<number>;
  /** How many outcomes had been replaced in closed chunks before any was counted. */
  readonly replaced: number;
};

type Known = { counting: Counting | null; whole: Digest | null; at: number; working: Promise<void> | null };

export function createDigests(desk: Pick<Desk, 'env' | 'ledger' | 'clock' | 'log'>): Digests {
  const known = new Map<string, Known>();
  /** One run at a time: counting is all the work that this process has. */
  let queue: Promise<void> = Promise.resolve();
  const remember = (id: string): Known => {
    const one = known.get(id) ?? { counting: null, whole: null, at: Number.NEGATIVE_INFINITY, working: null };
    known.delete(id);
    known.set(id, one);
    for (const old of [...known.keys()].slice(0, -REMEMBERED)) known.delete(old);
    return one;
  };
  const work = async (one: Known, run: Run) => {
    one.counting ??= await begin(desk, run);
    if ((await countOn(desk, run, one.counting)) === 'counted') return;
    // What is known stays shown until all is counted anew.
    const anew = await begin(desk, run);
    await countOn(desk, run, anew);
    one.counting = anew;
  };
  return {
    async of(run) {
      const one = remember(run.id);
      if (isOver(run)) one.whole = (await wholeOf(desk, run, one.whole)) ?? null;
      if (one.whole !== null && isOver(run)) return one.whole;
      one.counting ??= await begin(desk, run);
      if (one.working === null && desk.clock.now() - one.at >= EVERY_MS) {
        one.working = queue
          .then(() => work(one, run))
          .finally(() => {
            one.at = desk.clock.now();
            one.working = null;
          });
        queue = one.working.catch((error: unknown) => {
          desk.log.debug('a digest can not be counted right now', { run: run.id, problem: String(error) });
        });
      }
      return one.counting.tally.digest();
    },
  };
}

async function wholeOf(desk: Pick<Desk, 'env'>, run: Run, before: Digest | null): Promise<Digest | null> {
  const isTrue = before !== null && JSON.stringify(before.outcomes) === JSON.stringify(run.outcomes);
  return isTrue ? before : digestAtHand(desk, run);
}

async function begin({ ledger }: Pick<Desk, 'ledger'>, run: Run): Promise<Counting> {
  const { keys, store } = ledger.of(run.target);
  const replaced = await ledger.redis.hlen(keys.run(run.id).late);
  // One of an earlier version may be refused: the rows are counted all the same.
  const definition = await store.definition(run.id).catch(() => null);
  const tally = createDigestTally({
    run,
    fields: knownFields(run.operation),
    advising: { operation: run.operation, extension: isTable(run.source) ? 'csv' : 'ndjson' },
    definition,
  });
  return { tally, seen: new Set(), replaced };
}

/** `changed`: what was counted is not what the ledger says any more. */
async function countOn(
  { ledger }: Pick<Desk, 'ledger'>,
  run: Run,
  counting: Counting,
): Promise<'counted' | 'changed'> {
  const { redis } = ledger;
  const { keys, store } = ledger.of(run.target);
  const k = keys.run(run.id);
  const { tally, seen } = counting;
  if ((await redis.hlen(k.late)) !== counting.replaced) return 'changed';
  if ((await store.countClosed(run.id)) === seen.size) return 'counted';
  const view = createRunView(redis, keys, run);
  const closed = [...(await store.closedChunks(run.id))].filter((n) => !seen.has(n)).sort((a, b) => a - b);
  for (const numbers of batchesOf(closed, CHUNKS_AT_ONCE)) {
    for (const one of await readChunks(redis, k, numbers)) {
      await countChunk(one, { tally, view });
      seen.add(one.chunk);
    }
    await turn();
  }
  return 'counted';
}

type Counted = { readonly tally: DigestTally; readonly view: LedgerView };

async function countChunk(chunk: SettledChunk, { tally, view }: Counted): Promise<void> {
  tally.add(chunk);
  for await (const rows of unsuccessfulIn(chunk.settlements, view))
    for (const row of rows) tally.addUnsuccessful(row, chunk.chunk);
}
