/**
 * Digests of runs for the page: from the report of a run that is over, else counted from closed
 * chunks, each once and a few at a time, so that the page goes on serving. Where an outcome in a
 * closed chunk was replaced, all is counted anew. A few runs are remembered.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { knownFields, publicColumns } from '../../delivery/service/operations.ts';
import { createRunView, readChunks } from '../../engine/ledger/run-view.ts';
import { batchesOf } from '../../lib/batches.ts';
import { createRecentMap } from '../../lib/recent.ts';
import { isOver, type Run } from '../../model/run.ts';
import type { LedgerView, SettledChunk } from '../../model/settlement.ts';
import { isTable } from '../../model/source.ts';
import { createDigestTally, type Digest, type DigestTally } from '../../runs/report/digest.ts';
import { unsuccessfulIn } from '../../runs/report/remainder.ts';
import { readDigest } from '../../runs/report/report.ts';
import { reportDirectory, type Session } from '../../session.ts';

/** Answers at once with what is counted so far; counting goes on. */
type Digests = (run: Run) => Promise<Digest>;

type Means = Pick<Session, 'env' | 'ledger' | 'clock' | 'log'>;

const CHUNKS_AT_ONCE = 16;
const REMEMBERED = 8;
const EVERY_MS = 1_000;

type Counting = {
  readonly tally: DigestTally;
  readonly seen: Set<number>;
  /** Replaced outcomes in closed chunks before the count began. */
  readonly replaced: number;
};

type Known = { counting: Counting; at: number; isCounted: boolean };

export function createDigests(means: Means): Digests {
  const wholes = createRecentMap<string, Digest>(REMEMBERED);
  const countings = createRecentMap<string, Known>(REMEMBERED);
  /** One run at a time: counting is this process' heaviest work. */
  let queue: Promise<void> = Promise.resolve();
  return async (run) => {
    const known = wholes.get(run.id);
    if (known !== undefined && isOf(known, run)) return known;
    const whole = isOver(run) ? await digestAtHand(means, run) : null;
    if (whole !== null) {
      wholes.set(run.id, whole);
      return whole;
    }
    const key = `${run.id} ${run.purged?.at}`;
    const one = countings.get(key) ?? {
      counting: await begin(means, run),
      at: -EVERY_MS,
      isCounted: true,
    };
    countings.set(key, one);
    if (one.isCounted && means.clock.now() - one.at >= EVERY_MS) {
      one.isCounted = false;
      queue = queue.then(() => count(means, run, one));
    }
    return one.counting.tally.digest();
  };
}

/** Whether no row got another outcome since, and none was purged. */
export function isOf({ outcomes }: Digest, run: Run): boolean {
  return run.purged === undefined && isDeepStrictEqual(outcomes, run.outcomes);
}

/** From the run's report, where it agrees with the ledger: reads no row. */
export async function digestAtHand({ env }: Pick<Session, 'env'>, run: Run): Promise<Digest | null> {
  const digest = await readDigest(reportDirectory(env, run.id));
  return digest !== null && isOf(digest, run) ? digest : null;
}

async function count(means: Means, run: Run, one: Known): Promise<void> {
  try {
    if ((await countOn(means, run, one.counting)) === 'counted') return;
    // What is known stays shown until all is counted anew.
    const anew = await begin(means, run);
    await countOn(means, run, anew);
    one.counting = anew;
  } catch (error) {
    means.log.debug('a digest can not be counted right now', { run: run.id, problem: String(error) });
  } finally {
    one.at = means.clock.now();
    one.isCounted = true;
  }
}

async function begin({ ledger }: Means, run: Run): Promise<Counting> {
  const { keys, store } = ledger.of(run.target);
  const replaced = await ledger.redis.hlen(keys.run(run.id).late);
  const definition = await store.definition(run.id);
  const tally = createDigestTally({
    run,
    fields: knownFields(run.operation),
    publicColumns: publicColumns(definition, run.source.columns),
    advising: { ...run, extension: isTable(run.source) ? 'csv' : 'ndjson' },
    definition,
  });
  return { tally, seen: new Set(), replaced };
}

/** `changed`: the ledger no longer agrees with the count. */
async function countOn({ ledger }: Means, run: Run, counting: Counting): Promise<'counted' | 'changed'> {
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
      await countChunk(one, tally, view);
      seen.add(one.chunk);
    }
    await turn();
  }
  return 'counted';
}

async function countChunk(chunk: SettledChunk, tally: DigestTally, view: LedgerView): Promise<void> {
  tally.add(chunk);
  for await (const rows of unsuccessfulIn(chunk.settlements, view))
    for (const row of rows) tally.addUnsuccessful(row);
}
