/**
 * What a process counts while it works. No run, row, key or file is a label: the number of series
 * must not grow with the work.
 */
import type { Registry } from 'prom-client';
import type { Call } from '../../model/operation.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Reply } from '../../model/request.ts';

type Recorded = { readonly outcome: Outcome };

export type Counters = {
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
  /** Of a group of the journal's lines, ms; `null`: it was not written. */
  synced(ms: number | null): void;
  /** Redis answered after so long, ms. */
  answered(ms: number): void;
};

export type Meter = Counters & {
  /** Of the process so far, whatever the call. */
  attempts(): number;
  /** The latest group of the journal's lines is on the disk. */
  isJournalWritten(): boolean;
  /** `null`: nobody asked. */
  readonly registry: Registry | null;
};

const UNCOUNTED: Counters & Pick<Meter, 'registry'> = {
  attempted: () => undefined,
  recorded: () => undefined,
  file: () => undefined,
  notified: () => undefined,
  violated: () => undefined,
  synced: () => undefined,
  answered: () => undefined,
  registry: null,
};

export function createMeter(counters: Counters & Pick<Meter, 'registry'> = UNCOUNTED): Meter {
  let attempts = 0;
  let isJournalWritten = true;
  return {
    ...counters,
    attempted(call, reply, made) {
      attempts += 1;
      counters.attempted(call, reply, made);
    },
    synced(ms) {
      isJournalWritten = ms !== null;
      counters.synced(ms);
    },
    attempts: () => attempts,
    isJournalWritten: () => isJournalWritten,
  };
}
