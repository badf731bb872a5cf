/**
 * All that a worker needs for the rows of one run: the run's definition and mapping, its rows in the ledger, the service, permits, breaker,
 * clock. Made once for each run and process (delivery.ts), so that a run's chunks share what was learnt of the service.
 */

import type { JobDefinition } from '../config/job-definition.ts';
import type { ChunkLedger } from '../ledger/chunk-ledger.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Call } from '../model/operation.ts';
import type { JsonObject, Reply, ServiceRequest, Verdict } from '../model/request.ts';
import type { Reason, Run } from '../model/run.ts';
import type { RunPermits } from './run-permits.ts';
import type { ServiceBreaker } from './service-breaker.ts';

/** The service as a row's journey needs it. */
export type ServiceEdge = {
  build(call: Call, parts: { readonly pathId: string | null; readonly body: JsonObject }): ServiceRequest;
  attempt(request: ServiceRequest, token: string): Promise<Reply>;
  judge(call: Call, reply: Reply): Verdict;
  token(): Promise<string>;
  /** A token other than the stale one, or `null` where there is none. */
  freshToken(stale: string): Promise<string | null>;
  /** Milliseconds to wait before the attempt after the `attempt`-th. */
  backoffMs(attempt: number): number;
};

export type RunContext = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly ledger: ChunkLedger;
  readonly service: ServiceEdge;
  /** Requests in flight: `send.concurrency` at most, and no more than the service bears. */
  readonly permits: RunPermits;
  /** The job has a `send.rate`: each of its requests waits for its time. */
  readonly hasRate: boolean;
  readonly breaker: ServiceBreaker;
  /** Counts what the run does, for who watches the process. */
  readonly meter: Pick<Meter, 'attempted' | 'recorded'>;
  readonly now: () => number;
  /** Fires when the process is to end, or the run is halted or dropped in this process: nothing new is sent. */
  readonly stopping: AbortSignal;
  /** False outside the job's window, and once the run is known not to be running: about a second after it was paused or cancelled elsewhere. */
  stillRuns(): boolean;
  /** Whether the job's window is open, or it has none: outside of it no row is begun. */
  isOpen(): boolean;
  /** Pauses the run for a reason that is not a row's fault. */
  pause(reason: Reason): Promise<void>;
  /** Closes the connections to the service; an attempt still in flight is broken off. */
  close(): Promise<void>;
  /** Trouble with Redis, the journal or the connections, for the log. */
  onTrouble(what: string, error: Error): void;
};
