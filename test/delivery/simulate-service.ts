import { createServicePermits, type RunPermits } from '../../src/delivery/run-permits.ts';
import type { Reply } from '../../src/model/request.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';

/** A service on a clock of its own, asked by a process that has always more rows than permits. */
export type SimulatedService = {
  /** How long a request takes at ms `now`, with `inFlight` of them there; `null`: 429, at once. */
  answerMs(now: number, inFlight: number): number | null;
};

export type SimulatedRun = {
  readonly ceiling: number;
  readonly forMs: number;
  readonly service: SimulatedService;
  /** Rows that the process has at once; default: as many as it may send. */
  readonly demand?: (now: number) => number;
  /** What the service names with a refusal: for as long nothing is sent. */
  readonly retryAfterMs?: number;
};

export type Simulated = {
  readonly carriedOut: number;
  readonly refused: number;
  /** The share of the time in which nothing might be sent. */
  readonly heldShare: number;
  /** The limit in force, every 100 ms. */
  readonly limits: readonly number[];
  /** Mean number of requests in flight from `from` (ms) on. */
  meanInFlight(from: number, to?: number): number;
};

const REFUSED_AFTER_MS = 5;
const SAMPLE_MS = 100;

/** Runs it to the end; deterministic. */
export function simulate(run: SimulatedRun): Simulated {
  const clock = { now: 0 };
  const permits = createServicePermits({ now: () => clock.now });
  const stopping = new AbortController().signal;
  const own = permits.join({ ceiling: run.ceiling, stopping, rate: null });
  const wire = createWire(run, own);
  const limits: number[] = [];
  const inFlight: number[] = [];
  for (; clock.now < run.forMs; clock.now += 1) {
    if (clock.now % SAMPLE_MS === 0) limits.push(permits.limit());
    wire.step(clock.now);
    inFlight.push(own.taken());
  }
  return {
    limits,
    ...wire.counts,
    heldShare: wire.counts.heldMs / run.forMs,
    meanInFlight(from, to = run.forMs) {
      const part = inFlight.slice(from, to);
      return part.reduce((sum, n) => sum + n, 0) / part.length;
    },
  };
}

type OnTheWay = { readonly at: number; readonly begun: number; readonly status: number };

function createWire({ service, demand, retryAfterMs = 0 }: SimulatedRun, own: RunPermits) {
  let onTheWay: OnTheWay[] = [];
  let heldUntil = 0;
  const counts = { carriedOut: 0, refused: 0, heldMs: 0 };
  return {
    counts,
    step(now: number): void {
      const answered = onTheWay.filter(({ at }) => at <= now);
      onTheWay = onTheWay.filter(({ at }) => at > now);
      for (const { begun, status } of answered) {
        if (status === 200) counts.carriedOut += 1;
        else [counts.refused, heldUntil] = [counts.refused + 1, now + retryAfterMs];
        own.release(replyOf(status, now - begun, retryAfterMs));
      }
      if (now < heldUntil) {
        counts.heldMs += 1;
        return;
      }
      while (own.taken() < (demand?.(now) ?? Number.POSITIVE_INFINITY) && own.tryTake()) {
        const served = onTheWay.filter(({ status }) => status === 200).length;
        const ms = service.answerMs(now, served);
        onTheWay.push({ at: now + (ms ?? REFUSED_AFTER_MS), begun: now, status: ms === null ? 429 : 200 });
      }
    },
  };
}

function replyOf(status: number, ms: number, afterMs: number): Reply {
  return { kind: 'response', status, retryAfterMs: status === 429 ? afterMs : null, body: '', ms };
}

/** Answers take that long, a tenth more or less. */
function about(ms: number): () => number {
  const random = seededRandom(1);
  return () => Math.round(ms * (0.9 + random() * 0.2));
}

/** Takes as many at once as it says; more are refused. */
export function refusingService(answerMs: number, atOnce: (now: number) => number): SimulatedService {
  const takes = about(answerMs);
  return { answerMs: (now, inFlight) => (inFlight < atOnce(now) ? takes() : null) };
}
