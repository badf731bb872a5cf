/**
 * What a process counts while it works: attempts by call, status and time taken, outcomes by job, files, and the disk's and Redis' times. It
 * is counted always, in plain numbers, so that counting costs a row next to nothing; who wants to know reads it (registry.ts). Nothing here
 * names a run, a row, a key or a file.
 */
import type { Call } from '../model/operation.ts';
import { noOutcomes, type Outcome, type OutcomeCounts } from '../model/outcome.ts';
import type { Reply } from '../model/request.ts';

/** Upper bounds in seconds; an attempt that takes longer is in the last place, behind them. */
export const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Of the disk and of Redis. */
export const SYNC_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

/** How an attempt ended. `refused`: it is proven that nothing was sent; `lost`: no whole answer came. */
export const STATUSES = [
  '200',
  '401',
  '403',
  '418',
  '429',
  '4xx',
  '5xx',
  'timeout',
  'lost',
  'refused',
  'other',
] as const;
export type Status = (typeof STATUSES)[number];

/** How often something took how long: a count for each bound and one behind them, and the sum. */
export type Times = { readonly bounds: readonly number[]; readonly counts: Float64Array; seconds: number };

/** What was counted of one call. */
export type CallCounts = { readonly byStatus: Readonly<Record<Status, Times>>; retries: number };

/** How a file's way ended, as the inbox tells it. */
export type FileResult = 'done' | 'failed' | 'paused';

type Recorded = { readonly settlement: { readonly outcome: Outcome } };

export type Meter = {
  /** An attempt ended; `made`: the request's attempts so far, this one included. */
  attempted(call: Call, reply: Reply, made: number): void;
  /** Outcomes were recorded by this process. */
  recorded(job: string, rows: readonly Recorded[]): void;
  file(job: string | null, result: FileResult): void;
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
  readonly files: ReadonlyMap<string, number>;
  readonly notifications: ReadonlyMap<string, number>;
  readonly violations: number;
  readonly journalSync: Times;
  readonly redisRoundTrip: Times;
  /** The latest group of the journal's lines is on the disk. */
  readonly isJournalWritten: boolean;
};

/** Between the two parts of a name under which something is counted. */
export const PART_SEPARATOR = '\n';

export function createMeter(): Meter {
  const calls = new Map<Call, CallCounts>();
  const rows = new Map<string, OutcomeCounts>();
  const files = new Map<string, number>();
  const notifications = new Map<string, number>();
  const journalSync = emptyTimes(SYNC_SECONDS);
  const redisRoundTrip = emptyTimes(SYNC_SECONDS);
  let violations = 0;
  let isJournalWritten = true;
  const count = (counts: Map<string, number>, ...parts: readonly string[]) => {
    const name = parts.join(PART_SEPARATOR);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  return {
    attempted(call, reply, made) {
      let counts = calls.get(call);
      if (counts === undefined) {
        counts = { byStatus: timesByStatus(), retries: 0 };
        calls.set(call, counts);
      }
      if (made > 1) counts.retries += 1;
      took(counts.byStatus[statusOf(reply)], reply.ms);
    },
    recorded(job, settled) {
      let counts = rows.get(job);
      if (counts === undefined) {
        counts = noOutcomes();
        rows.set(job, counts);
      }
      for (const { settlement } of settled) counts[settlement.outcome] += 1;
    },
    file: (job, result) => count(files, job ?? '', result),
    notified: (channel, result) => count(notifications, channel, result),
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

function timesByStatus(): CallCounts['byStatus'] {
  const times = () => emptyTimes(REQUEST_SECONDS);
  return {
    200: times(),
    401: times(),
    403: times(),
    418: times(),
    429: times(),
    '4xx': times(),
    '5xx': times(),
    timeout: times(),
    lost: times(),
    refused: times(),
    other: times(),
  };
}

/** What service/attempt-handler.ts calls an attempt whose time was over. */
const TIMEOUT = /TIMEOUT/;

export function statusOf(reply: Reply): Status {
  if (reply.kind === 'no-response' && !reply.sent) return 'refused';
  if (reply.kind !== 'response') return TIMEOUT.test(reply.code) ? 'timeout' : 'lost';
  switch (reply.status) {
    case 200:
      return '200';
    case 401:
      return '401';
    case 403:
      return '403';
    case 418:
      return '418';
    case 429:
      return '429';
    default:
      return classOf(reply.status);
  }
}

function classOf(status: number): Status {
  if (status >= 500 && status < 600) return '5xx';
  return status >= 400 && status < 500 ? '4xx' : 'other';
}
