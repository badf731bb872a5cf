import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { ownKeys } from '../../support/runs.ts';
import { commandsFor, type Tally } from './commands.ts';
import { drain } from './drain.ts';
import { openWorkers } from './workers.ts';
import { type Bench, type Bend, claimAll, createWorld } from './world.ts';

export type SequencesOptions = {
  /** Connections to share among the lanes. */
  readonly redis: readonly Redis[];
  readonly seed: number;
  readonly runs: number;
  readonly bend?: Bend;
  /** Whether a sequence that goes wrong is made as short as can be; yes by default. */
  readonly shrink?: boolean;
};

/** Sequences side by side: a ledger that waits for somebody must not keep the others waiting. */
const LANES = 50;
/** Lanes of one seed share none with those of the next. */
const SEED_STEP = 1_000;
/** A sequence that goes wrong is made shorter for so long. */
const SHRINK_MS = 60_000;

/** Random sequences of events on the real scripts; throws with the shortest one found that goes wrong, and its seed. */
export async function runSequences(options: SequencesOptions): Promise<Tally> {
  const tally: Tally = { sequences: 0, failedIn: null, events: new Map() };
  const lanes = Array.from({ length: Math.min(LANES, options.runs) }, (_, lane) => lane);
  await Promise.all(lanes.map((lane) => runLane(options, { lane, lanes: lanes.length, tally })));
  return tally;
}

type Lane = { readonly lane: number; readonly lanes: number; readonly tally: Tally };

async function runLane(options: SequencesOptions, { lane, lanes, tally }: Lane): Promise<void> {
  const redis = pickRedis(options.redis, lane);
  const isOver = () => tally.failedIn !== null && tally.failedIn !== lane;
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 3 }),
    fc.constantFrom<1 | 2>(1, 2, 2),
    fc.boolean(),
    commandsFor({ tally, isOver }),
    async (rows, processes, goesOn, commands) => {
      // One that fails is enough; it is made shorter while the others rest.
      if (isOver()) return;
      if (performance.now() > shrinkUntil) return;
      try {
        await runSequence({ redis, rows, processes, goesOn, bend: options.bend ?? {} }, commands);
        tally.sequences += 1;
      } catch (error) {
        tally.failedIn ??= lane;
        if (shrinkUntil === Number.POSITIVE_INFINITY) shrinkUntil = performance.now() + SHRINK_MS;
        throw error;
      }
    },
  );
  const details = await fc.check(property, {
    seed: options.seed * SEED_STEP + lane,
    numRuns: Math.ceil((options.runs - lane) / lanes),
    unbiased: true,
    endOnFailure: options.shrink === false,
  });
  if (!details.failed) return;
  throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
}

async function runSequence(
  opening: Opening,
  commands: Iterable<fc.AsyncCommand<Bench, Bench>>,
): Promise<void> {
  const bench = await openBench(opening);
  try {
    await fc.asyncModelRun(() => ({ model: bench, real: bench }), commands);
    await drain(bench);
  } catch (error) {
    const { processes, rows, goesOn } = opening;
    throw new Error(
      `${processes} processes, ${rows} rows${goesOn ? ' and more' : ''}:\n${bench.trail.join('\n')}`,
      { cause: error },
    );
  } finally {
    await bench.workers.close();
    await bench.keyspace.empty();
  }
}

function pickRedis(connections: readonly Redis[], lane: number): Redis {
  const redis = connections[lane % connections.length];
  if (redis === undefined) throw new Error('no connection was given');
  return redis;
}

type Opening = {
  readonly redis: Redis;
  readonly rows: number;
  readonly processes: 1 | 2;
  readonly goesOn: boolean;
  readonly bend: Bend;
};

async function openBench(opening: Opening): Promise<Bench> {
  const world = await createWorld({ ...opening, keys: ownKeys(), epoch: true });
  const bench = Object.assign(world, { workers: await openWorkers(world), claimed: '' });
  await claimAll(bench);
  bench.history.push((await bench.keyspace.dump()).snapshot);
  return bench;
}
