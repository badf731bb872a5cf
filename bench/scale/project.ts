import { OPEN_CHUNKS_MAX } from '../../src/queue/chunk-order.ts';

/** What was measured: of a row, of a worker that waits, and of a worker's sign of life. Times are CPU, µs. */
export type Costs = {
  readonly row: {
    readonly commands: number;
    readonly scripts: number;
    readonly redisMicros: number;
    /** Where Redis is busy: what waits for it travels together. */
    readonly busyRedisMicros: number;
    readonly networkBytes: number;
    readonly workerMicros: number;
    readonly readerMicros: number;
  };
  /** Per second. */
  readonly idleWorker: {
    readonly commands: number;
    readonly redisMicros: number;
    readonly networkBytes: number;
  };
  /** Each worker gives a sign of life every second and looks at all members: what one costs among so many, fewest first. */
  readonly beats: readonly [Beat, ...Beat[]];
};

export type Beat = { readonly members: number; readonly commands: number; readonly redisMicros: number };

/** Who works on what: `workers` processes on `runs` runs, with so many requests in flight each, at a service that answers after `latencyMs`. */
export type Load = {
  readonly workers: number;
  readonly runs: number;
  readonly concurrency: number;
  readonly latencyMs: number;
};

/** `in-flight`: nothing but the requests in flight. The others name what is full before that. */
const LIMITS = ['in-flight', 'open-chunks', 'worker', 'reader', 'redis'] as const;
export type Limit = (typeof LIMITS)[number];

/** What a load comes to, per second. */
type Projection = {
  /** That so many requests in flight could be. */
  readonly wanted: number;
  /** That nothing stands in the way of. */
  readonly rows: number;
  readonly commands: number;
  readonly networkBytes: number;
  /** At most, since batches grow on the way to 1. Of the one core that carries Redis' commands out; above 1: it can't even keep the workers' signs of life. */
  readonly redisShare: number;
  /** Scripts: those that write end in an fsync, and those that come together share one. So many at most. */
  readonly scripts: number;
  readonly first: Limit;
};

const MICROS = 1_000_000;

/** The rows per second at which each part is full, and what the least of them costs. No part gets slower before it is full. */
export function project(costs: Costs, load: Load): Projection {
  const { workers } = load;
  const { row, idleWorker } = costs;
  // What a few workers see of each other is in what one that waits was measured at.
  const beat = (of: (one: Beat) => number) =>
    Math.max(0, beatAmong(costs.beats, workers, of) - of(costs.beats[0]));
  const idleMicros = workers * (idleWorker.redisMicros + beat(({ redisMicros }) => redisMicros));
  const idleCommands = workers * (idleWorker.commands + beat(({ commands }) => commands));
  const most = limitsOf(costs, load, idleMicros);
  const first = LIMITS.reduce((least, limit) => (most[limit] < most[least] ? limit : least), LIMITS[0]);
  const rows = most[first];
  return {
    wanted: most['in-flight'],
    rows,
    commands: rows * row.commands + idleCommands,
    networkBytes: rows * row.networkBytes + workers * idleWorker.networkBytes,
    redisShare: Math.max(idleMicros, Math.min(MICROS, rows * row.redisMicros + idleMicros)) / MICROS,
    scripts: rows * row.scripts,
    first,
  };
}

/** Between two measured numbers of members on the line through them, and beyond on the last one. */
function beatAmong(beats: Costs['beats'], members: number, of: (one: Beat) => number): number {
  const at = beats.findIndex((one) => one.members >= members);
  const to = beats.at(at === -1 ? -1 : Math.max(1, at)) ?? beats[0];
  const from = beats.at(beats.indexOf(to) - 1) ?? beats[0];
  if (to === from) return of(to);
  return of(from) + ((members - from.members) * (of(to) - of(from))) / (to.members - from.members);
}

function limitsOf({ row }: Costs, load: Load, idleMicros: number): Readonly<Record<Limit, number>> {
  const { workers, runs, concurrency, latencyMs } = load;
  const perWorker = (concurrency * 1000) / latencyMs;
  return {
    'in-flight': workers * perWorker,
    // A chunk is one worker's, and a run has no more of them open.
    'open-chunks': Math.min(workers, runs * OPEN_CHUNKS_MAX) * perWorker,
    worker: (workers * MICROS) / row.workerMicros,
    // One process reads the file of a run; several on one machine have cores of their own.
    reader: (runs * MICROS) / row.readerMicros,
    redis: Math.max(0, MICROS - idleMicros) / row.busyRedisMicros,
  };
}
