import type { Entity } from './entity-list.ts';
import type { EntityKind } from './records.ts';
import type { RecordedRequest } from './request-log.ts';
import type { SandboxStats } from './sandbox-stats.ts';

/** What tests and people ask of a running sandbox, over HTTP (no token) or in the same process. */
export type SandboxControl = {
  stats(): SandboxStats;
  /** What was made, in order, from a number on. */
  entities(kind: EntityKind, from?: number): Iterable<Entity>;
  /** The last requests to the operations, oldest first; none unless `recordRequests` is set. */
  requests(last?: number): RecordedRequest[];
  /** Replaces all faults; throws a UsageError where a spec can't be read. */
  setFaults(specs: readonly string[]): void;
  /** Makes a token known and as good as new, or no longer valid. */
  setToken(token: string, valid: boolean): void;
  /** Down: every request to an operation is answered with a TCP reset, and nothing is done. */
  setDown(down: boolean): void;
};
