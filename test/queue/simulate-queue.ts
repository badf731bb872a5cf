import {
  FIRST_PRIORITY,
  isRenumberingDue,
  nextPriority,
  OPEN_CHUNKS_MAX,
  renumbered,
} from '../../src/queue/chunk-order.ts';

/** Chunks that ingest adds in one command. */
const CHUNKS_PER_ADD = 8;

/** A run of the simulation; without `chunks` it never ends. */
export type Load = {
  /** Takes after which it comes. */
  readonly from?: number;
  readonly chunks?: number;
};

export type Taken = {
  readonly run: number;
  readonly at: number;
  /** Takes of any run since it was added. */
  readonly waited: number;
  readonly priority: number;
};

export type Simulation = {
  readonly takes: number;
  readonly places: number;
  /** Between 0 and 1. */
  random(): number;
  /** What the empty queue has come to. */
  readonly begin?: number;
};

/** Runs that are read into one queue as ingest does it, and taken from it in BullMQ's order; any of those in hand may end first. */
export function simulateQueue(loads: readonly Load[], simulation: Simulation): Taken[] {
  const queue = createQueue(simulation.begin ?? FIRST_PRIORITY);
  const runs = loads.map(({ from = 0, chunks = Number.POSITIVE_INFINITY }, run) =>
    createRun({ run, from, chunks }, queue),
  );
  const inHand: number[] = [];
  const taken: Taken[] = [];
  for (let at = 0; at < simulation.takes; at += 1) {
    for (const run of runs) run.fill(at);
    const next = queue.take();
    if (next === null) break;
    taken.push({ run: next.run, at, waited: at - next.addedAt, priority: next.priority });
    inHand.push(next.run);
    if (inHand.length < simulation.places) continue;
    const [ended = 0] = inHand.splice(Math.floor(simulation.random() * inHand.length), 1);
    runs[ended]?.end();
  }
  return taken;
}

type Waiting = { readonly run: number; readonly priority: number; readonly addedAt: number };

function createQueue(begin: number) {
  let waiting: Waiting[] = [];
  return {
    add: (chunk: Waiting) => void waiting.push(chunk),
    /** As the program asks Redis. */
    virtualTime(): number {
      const priorities = waiting.map(({ priority }) => priority);
      if (priorities.length === 0) return begin;
      const reach = { first: Math.min(...priorities), last: Math.max(...priorities) };
      if (!isRenumberingDue(reach)) return reach.first;
      waiting = waiting.map((one) => ({ ...one, priority: renumbered(one.priority, reach) }));
      return renumbered(reach.first, reach);
    },
    /** The first of those with the lowest priority. */
    take(): Waiting | null {
      const lowest = Math.min(...waiting.map(({ priority }) => priority));
      const place = waiting.findIndex(({ priority }) => priority === lowest);
      return place < 0 ? null : (waiting.splice(place, 1)[0] ?? null);
    },
  };
}

type RunOfLoad = Required<Load> & { readonly run: number };

function createRun({ run, from, chunks }: RunOfLoad, queue: ReturnType<typeof createQueue>) {
  let left = chunks;
  let open = 0;
  let last: number | null = null;
  const addSome = (at: number) => {
    const virtualTime = queue.virtualTime();
    for (let i = 0; i < CHUNKS_PER_ADD && left > 0; i += 1) {
      last = nextPriority({ virtualTime, last, open });
      queue.add({ run, priority: last, addedAt: at });
      open += 1;
      left -= 1;
    }
  };
  return {
    fill(at: number) {
      while (at >= from && left > 0 && open <= OPEN_CHUNKS_MAX - CHUNKS_PER_ADD) addSome(at);
    },
    end() {
      open -= 1;
    },
  };
}
