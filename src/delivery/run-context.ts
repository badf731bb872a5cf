/**
 * What a worker needs for a run's rows: its chunks share what was learnt of the service.
 */

import type { JobDefinition } from '../config/job-definition.ts';
import type { ChunkLedger } from '../engine/ledger/chunk-ledger.ts';
import type { Meter } from '../faces/metrics/meter.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Call } from '../model/operation.ts';
import type { JsonObject, Reply, ServiceRequest, Verdict } from '../model/request.ts';
import type { Reason, Run } from '../model/run.ts';
import type { Idempotency } from './idempotency.ts';
import type { RunPermits } from './run-permits.ts';
import type { ServiceBreaker } from './service-breaker.ts';

export type ServiceEdge = {
  build(call: Call, parts: { readonly pathId: string | null; readonly body: JsonObject }): ServiceRequest;
  attempt(request: ServiceRequest, token: string): Promise<Reply>;
  judge(call: Call, reply: Reply): Verdict;
  token(): Promise<string>;
  /** A token other than the stale one; `null`: there is none. */
  freshToken(stale: string): Promise<string | null>;
  /** Ms before the attempt after the `attempt`-th. */
  backoffMs(attempt: number): number;
};

export type RunContext = {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly ledger: ChunkLedger;
  readonly service: ServiceEdge;
  /** `null`: the job has no such header. */
  readonly idempotency: Idempotency | null;
  readonly saltOf: (key: string) => string;
  /** Rows of which nothing may be sent; `null`: the run is bound to nothing. */
  readonly unsent: ReadonlySet<number> | null;
  /** In flight: at most `send.concurrency`, and no more than the service bears. */
  readonly permits: RunPermits;
  readonly breaker: ServiceBreaker;
  readonly meter: Pick<Meter, 'attempted' | 'recorded'>;
  readonly now: () => number;
  /** Fires when the process ends, or the run is halted or dropped here: nothing new is sent. */
  readonly stopping: AbortSignal;
  /** False outside the job's window, and about a second after a pause or cancellation elsewhere. */
  stillRuns(): boolean;
  /** False outside the job's window: no row is begun. */
  isOpen(): boolean;
  /** As the ledger has it now; `null`: it does not say. */
  latest(): Promise<Run | null>;
  /** `problem`: what to put right, where the reason does not say it. */
  pause(reason: Reason, problem?: string): Promise<void>;
  close(): Promise<void>;
  onTrouble(what: string, error: Error): void;
};
