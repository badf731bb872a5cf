import type { Issue } from '../model/issue.ts';
import type { ChunkLease } from '../queue/chunk-worker.ts';
import type { RowPlan } from './row-plan.ts';
import type { RowEnd, RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';

/** A request's rows with what is to be done about them: as a rule one row, else a group. */
export type Planned = {
  readonly lead: RowTask;
  /** The other rows of the group, which end as the first one does. */
  readonly mates: readonly RowTask[];
  readonly plan: RowPlan;
  /** The end of a row where it is not the plan's. */
  readonly ends?: ReadonlyMap<number, RowEnd>;
  readonly warnings?: ReadonlyMap<number, readonly Issue[]>;
};

/** The rows of a request that is to be sent. */
export type PlannedSend = Planned & { readonly plan: Extract<RowPlan, { kind: 'send' }> };

/** What a chunk's rows are carried out with; `taker` is unique per take. */
export type Hands = { readonly context: RunContext; readonly taker: string; readonly lease: ChunkLease };

/** What became of a request's rows; `unsent`: they are as before. */
export type Ended = 'settled' | 'unsent';

/** Told once of each request. */
export type RowsEnd = {
  ended(how: Ended): void;
  /** Their fate could not be recorded, or the program stumbled. */
  failed(error: unknown): void;
};
