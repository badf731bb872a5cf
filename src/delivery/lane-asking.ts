import type { Granted } from '../ledger/intend-rows.ts';
import type { LaneLine } from './lane-pace.ts';
import { goOnAlone, type LaneRow } from './lane-row.ts';
import {
  endWaiting,
  intentsOf,
  type LaneState,
  takeFrom,
  takenBack,
  unsent,
  withdraw,
} from './lane-state.ts';
import { intentOf, maySend } from './sending.ts';
import { waitWhileRunning } from './still-runs.ts';

/** How the lane stands, for its pace. */
export function lineOf({ waiting, ready, context, inFlight }: LaneState): LaneLine {
  const { places } = context;
  const free = places.free();
  // Rows of the same run that go alone have places too, and don't look for those on the lane.
  const isContested = places.isContested() || (free === 0 && inFlight === 0);
  return { waiting: waiting.length(), ready: ready.length(), free, isContested };
}

/** Asks for the intents of the next rows, and sends what can go by that. */
export async function ask(state: LaneState): Promise<void> {
  const { waiting, context, pace } = state;
  const wanted = pace.wanted(lineOf(state));
  pace.asked();
  const rows: LaneRow[] = [];
  for (const row of takeFrom(waiting, wanted)) {
    if (maySend(row.sending, context)) rows.push(row);
    else unsent(row);
  }
  try {
    if (rows.length > 0) await intend(state, rows);
  } catch (error) {
    for (const row of rows) row.end.failed(error);
  }
  state.isAsking = false;
  state.pump();
}

async function intend(state: LaneState, rows: readonly LaneRow[]): Promise<void> {
  const { context } = state;
  const token = await context.service.token();
  const intents = rows.map(({ sending }) => intentOf(sending, context));
  for (const [i, row] of rows.entries()) row.intent = intents[i] ?? null;
  const answers = await context.ledger.intendAll(intents);
  const barred: LaneRow[] = [];
  let waitMs = 0;
  for (const [i, row] of rows.entries()) {
    row.token = token;
    const answer = answers[i];
    if (answer?.kind !== 'wait') enter(state, row, answer);
    else {
      barred.push(row);
      waitMs = Math.max(waitMs, answer.ms);
    }
  }
  for (const row of barred.reverse()) state.waiting.pushFirst(row);
  if (barred.length > 0) void bar(state, waitMs);
}

/**
 * Asks again for a row that has waited for its place since its intent was granted: meanwhile the run may have been paused, the service
 * have asked to be left alone, or another take have ended the row. Where it may not go any more it is seen to, and the answer is false.
 */
export async function mayStillGo(state: LaneState, row: LaneRow): Promise<boolean> {
  const { context, waiting } = state;
  try {
    const [answer] = await context.ledger.intendAll(intentsOf(row));
    if (answer?.kind === 'granted') {
      row.grantedAt = context.now();
      return true;
    }
    if (answer?.kind === 'wait' || answer?.kind === 'halted') takenBack(row);
    if (answer?.kind !== 'wait') enter(state, row, answer);
    else {
      waiting.pushFirst(row);
      void bar(state, answer.ms);
    }
  } catch (error) {
    row.end.failed(error);
  }
  return false;
}

/** A run that is halted is so for all its rows; whatever else keeps a row is its own matter. */
function enter(state: LaneState, row: LaneRow, answer: Exclude<Granted, { kind: 'wait' }> | undefined): void {
  switch (answer?.kind) {
    case 'granted':
      row.sending.expected = row.intent?.mark ?? '';
      row.grantedAt = state.context.now();
      // Ended while it was being asked for.
      if (state.context.stopping.aborted) void withdraw([row], state.context, unsent);
      else state.ready.push(row);
      break;
    case 'halted':
      unsent(row);
      endWaiting(state);
      break;
    case 'unwritten':
      void pauseUnwritten(state, row, answer.problem);
      break;
    default:
      void goOnAlone(row, null);
  }
}

async function pauseUnwritten(state: LaneState, row: LaneRow, problem: string): Promise<void> {
  const { context } = state;
  try {
    context.onTrouble('the journal could not be written', new Error(problem));
    await context.pause('journal');
    unsent(row);
  } catch (error) {
    row.end.failed(error);
  }
  endWaiting(state);
}

async function bar(state: LaneState, ms: number): Promise<void> {
  state.isBarred = true;
  const goesOn = await waitWhileRunning(ms, state.context);
  state.isBarred = false;
  if (!goesOn) endWaiting(state);
  state.pump();
}
