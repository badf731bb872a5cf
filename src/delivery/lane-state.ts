import type { Intent } from '../ledger/intent.ts';
import type { WaitingLine } from '../lib/waiting-line.ts';
import type { LanePace } from './lane-pace.ts';
import type { LaneRow } from './lane-row.ts';
import type { LaneSettling } from './lane-settling.ts';
import { withdrawIntents } from './record-rows.ts';
import type { RunContext } from './run-context.ts';

/** The rows of a run that are on its lane. */
export type LaneState = {
  readonly context: RunContext;
  readonly waiting: WaitingLine<LaneRow>;
  /** Rows whose intent is granted, until a place is free: a request that ends waits for no answer of Redis before the next goes out. */
  readonly ready: WaitingLine<LaneRow>;
  readonly pace: LanePace;
  readonly settling: LaneSettling;
  readonly placed: (isTaken: boolean) => void;
  /** Sends what can go, and sees that more can. */
  readonly pump: () => void;
  isAsking: boolean;
  /** The service is to be left alone. */
  isBarred: boolean;
  /** Answers that may mean trouble for all rows, until that is known: no other row asks to go meanwhile. */
  troubles: number;
  /** Places that were asked for and have not come yet. */
  expected: number;
  /** Requests of the lane itself: each that ends looks for the next. */
  inFlight: number;
  look: NodeJS.Timeout | null;
};

/** Takes the intents of rows back that have not gone. */
export async function withdraw(
  rows: readonly LaneRow[],
  context: RunContext,
  then: (row: LaneRow) => void,
): Promise<void> {
  if (rows.length === 0) return;
  try {
    await withdrawIntents(rows.flatMap(intentsOf), context);
  } catch (error) {
    for (const row of rows) row.end.failed(error);
    return;
  }
  for (const row of rows) {
    takenBack(row);
    then(row);
  }
}

/** Its intent is gone from the ledger: the next one is another. */
export function takenBack({ sending }: LaneRow): void {
  sending.expected = '';
  sending.withdrawn += 1;
}

/** The run or the process ends: only what is on the wire goes on. */
export function endLane(state: LaneState): void {
  endWaiting(state);
  void withdraw(takeFrom(state.ready, state.ready.length()), state.context, unsent);
}

/** Rows that have no intent are as before. */
export function endWaiting({ waiting }: LaneState): void {
  for (const row of takeFrom(waiting, waiting.length())) unsent(row);
}

/** The row is as before. */
export function unsent(row: LaneRow): void {
  row.end.ended('unsent');
}

/** The intent that a row asked for last. */
export function intentsOf({ intent }: LaneRow): readonly Intent[] {
  return intent === null ? [] : [intent];
}

/** The first rows of a line, no more than `most`. */
export function takeFrom(line: WaitingLine<LaneRow>, most: number): LaneRow[] {
  const rows: LaneRow[] = [];
  while (rows.length < most) {
    const row = line.shift();
    if (row === undefined) break;
    rows.push(row);
  }
  return rows;
}
