/**
 * What a process counts while it works: attempts by call, status and time taken, outcomes by job, files, and the disk's and Redis' times. It
 * is counted always, in plain numbers, so that counting costs a row next to nothing; who wants to know reads it (registry.ts). Nothing here
 * names a run, a row, a key or a file.
 */
import type { Call } from '../model/operation.ts';
import { noOutcomes, type Outcome, type OutcomeCounts } from '../model/outcome.ts';
import type { Reply } from '../model/request.ts';

/** Upper bounds in seconds; an attempt that takes longer is in the last place, behind them. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Of the disk and of Redis. */
const SYNC_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

/** Those of the service's answers that are told apart. */
const STATUSES = ['200', '401', '403', '418', '429'] as const;
/** How an attempt ended. `refused`: it is proven that nothing was sent; `lost`: no whole answer came. */
type Status = (typeof STATUSES)[number] | '4xx' | '5xx' | 'timeout' | 'lost' | 'refused' | 'other';

/** How often something took how long: a count for each bound and one behind them, and the sum. */
export type Times = { readonly bounds: readonly number[]; readonly counts: Float64Array; seconds: number };

/** What was counted of one call. */
type CallCounts = { readonly byStatus: Map<Status, Times>; retries: number };

/** What was counted under two names, such as job and outcome. */
export type CountsByTwo = ReadonlyMap<string, Readonly<Record<string, number>>>;

type Recorded = { readonly settlement: { readonly outcome: Outcome } };

export type Meter = {
  /** An attempt ended; `made`: the request's attempts so far, this one included. */
  attempted(call: Call, reply: Reply, made: number): void;
  /** Outcomes were recorded by this process. */
  recorded(job: string, rows: readonly Recorded[]): void;
  /** How a file's way ended, as the inbox tells it. */
  file(job: string | null, result: 'done' | 'failed' | 'paused'): void;
  /** A try to tell somebody of an event ended. */
  notified(channel: string, result: 'delivered' | 'failed' | 'given-up'): void;
  /** A report whose rows don't add up. */
  violated(): void;
  /** A group of the journal's lines took so long to the disk, ms; `null`: it could not be written. */
  synced(ms: number | null): void;
  /** Redis answered after so long, ms. */
  answered(ms: number): void;
  read(): MeterReading;
};

export type MeterReading = {
  readonly calls: ReadonlyMap<Call, CallCounts>;
  /** By job. */
  readonly rows: ReadonlyMap<string, OutcomeCounts>;
  readonly files: CountsByTwo;
  readonly notifications: CountsByTwo;
  readonly violations: number;
  readonly journalSync: Times;
  readonly redisRoundTrip: Times;
  /** The latest group of the journal's lines is on the disk. */
  readonly isJournalWritten: boolean;
};

export function createMeter(): Meter {
  const calls = new Map<Call, CallCounts>();
  const rows = new Map<string, OutcomeCounts>();
  const files = new Map<string, Record<string, number>>();
  const notifications = new Map<string, Record<string, number>>();
  const journalSync = emptyTimes(SYNC_SECONDS);
  const redisRoundTrip = emptyTimes(SYNC_SECONDS);
  let violations = 0;
  let isJournalWritten = true;
  return {
    attempted(call, reply, made) {
      const counts = entryOf(calls, call, () => ({ byStatus: new Map(), retries: 0 }));
      if (made > 1) counts.retries += 1;
      const times = entryOf(counts.byStatus, statusOf(reply), () => emptyTimes(REQUEST_SECONDS));
      took(times, reply.ms);
    },
    recorded(job, settled) {
      const counts = entryOf(rows, job, noOutcomes);
      for (const { settlement } of settled) counts[settlement.outcome] += 1;
    },
    file: (job, result) =>
      count(
        entryOf(files, job ?? '', () => ({})),
        result,
      ),
    notified: (channel, result) =>
      count(
        entryOf(notifications, channel, () => ({})),
        result,
      ),
    violated() {
      violations += 1;
    },
    synced(ms) {
      isJournalWritten = ms !== null;
      if (ms !== null) took(journalSync, ms);
    },
    answered: (ms) => took(redisRoundTrip, ms),
    read: () => ({
      calls,
      rows,
      files,
      notifications,
      violations,
      journalSync,
      redisRoundTrip,
      isJournalWritten,
    }),
  };
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Counts one that took so many milliseconds. */
function took(times: Times, ms: number): void {
  const seconds = ms / 1000;
  const { bounds, counts } = times;
  let place = 0;
  while (place < bounds.length && seconds > (bounds[place] ?? 0)) place += 1;
  counts[place] = (counts[place] ?? 0) + 1;
  times.seconds += seconds;
}

function emptyTimes(bounds: readonly number[]): Times {
  return { bounds, counts: new Float64Array(bounds.length + 1), seconds: 0 };
}

/** What service/attempt-handler.ts calls an attempt whose time was over. */
const TIMEOUT = /TIMEOUT/;

function statusOf(reply: Reply): Status {
  if (reply.kind === 'no-response' && !reply.sent) return 'refused';
  if (reply.kind !== 'response') return TIMEOUT.test(reply.code) ? 'timeout' : 'lost';
  const text = String(reply.status);
  return STATUSES.find((status) => status === text) ?? classOf(reply.status);
}

function classOf(status: number): Status {
  if (status >= 500 && status < 600) return '5xx';
  return status >= 400 && status < 500 ? '4xx' : 'other';
}
