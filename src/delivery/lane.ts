import type { Granted } from '../ledger/intents.ts';
import { passStage } from '../lib/stage.ts';
import { createWaitingLine } from '../lib/waiting-line.ts';
import type { Reply } from '../model/request.ts';
import { createLanePace, type LaneLine } from './lane-pace.ts';
import {
  createLaneSettling,
  endLane,
  endWaiting,
  goOnAlone,
  intentsOf,
  type LaneAnswer,
  type LaneRow,
  type LaneState,
  takeFrom,
  takenBack,
  unsent,
  withdraw,
} from './lane-row.ts';
import type { RunContext } from './run-context.ts';
import { intentOf, maySend } from './sending.ts';
import { waitWhileRunning } from './still-runs.ts';

/**
 * Takes rows through their first attempt many at a time: intents and outcomes of rows that start or end together travel in one command,
 * and no row waits on promises of its own. What is not simply accepted goes on alone.
 */
type Lane = { send(row: LaneRow): void };

const lanes = new WeakMap<RunContext, Lane>();

/** The lane of a run in this process. */
export function laneOf(context: RunContext): Lane {
  const known = lanes.get(context);
  if (known !== undefined) return known;
  const lane = createLane(context);
  lanes.set(context, lane);
  return lane;
}

function createLane(context: RunContext): Lane {
  const { now, definition, stopping } = context;
  const state: LaneState = {
    context,
    waiting: createWaitingLine(),
    ready: createWaitingLine(),
    pace: createLanePace(now, definition.send.concurrency),
    settling: createLaneSettling(context),
    placed: (isTaken) => placed(state, isTaken),
    pump: () => pump(state),
    isAsking: false,
    isBarred: false,
    troubles: 0,
    expected: 0,
    inFlight: 0,
    look: null,
  };
  stopping.addEventListener('abort', () => endLane(state), { once: true });
  return {
    send(row) {
      state.waiting.push(row);
      if (stopping.aborted) endLane(state);
      else pump(state);
    },
  };
}

/** Rows that wait look for themselves so often, should whatever they wait for come about without a word. */
const LOOK_MS = 500;

/** Sends what can go, and sees that more can. */
function pump(state: LaneState): void {
  const { waiting, ready, context, pace } = state;
  const { places } = context;
  while (ready.length() > 0 && places.tryTake()) launch(state, ready.shift());
  for (; state.expected < ready.length(); state.expected += 1) places.wait(state.placed);
  if (waiting.length() === 0) return;
  state.look ??= setTimeout(() => {
    state.look = null;
    pump(state);
  }, LOOK_MS);
  if (state.isAsking || state.isBarred || state.troubles > 0 || pace.wanted(lineOf(state)) === 0) return;
  state.isAsking = true;
  setImmediate(() => void ask(state));
}

function placed(state: LaneState, isTaken: boolean): void {
  state.expected -= 1;
  // Without a place the run or the process ends: `endLane` sees to the rows.
  if (!isTaken) return;
  launch(state, state.ready.shift());
  pump(state);
}

/** How the lane stands, for its pace. */
function lineOf({ waiting, ready, context, inFlight }: LaneState): LaneLine {
  const { places } = context;
  const free = places.free();
  // Rows of the same run that go alone have places too, and don't look for those on the lane.
  const isContested = places.isContested() || (free === 0 && inFlight === 0);
  return { waiting: waiting.length(), ready: ready.length(), free, isContested };
}

/** Asks for the intents of the next rows, and sends what can go by that. */
async function ask(state: LaneState): Promise<void> {
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
async function mayStillGo(state: LaneState, row: LaneRow): Promise<boolean> {
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

/** A grant is taken for what it was no longer than that. */
const FRESH_MS = 1_000;

/** Sends a row for which there is a place; without one left to send, the place is given back. */
function launch(state: LaneState, row: LaneRow | undefined): void {
  const { context } = state;
  if (row === undefined) {
    context.places.release(null);
    return;
  }
  const { sending } = row;
  // Time has passed since the last look: the chunk may be lost between the intent and the first byte.
  if (!maySend(sending, context)) {
    context.places.release(null);
    void withdraw([row], context, unsent);
    return;
  }
  if (context.now() - row.grantedAt > FRESH_MS) {
    void launchIfGranted(state, row);
    return;
  }
  state.pace.launched();
  state.inFlight += 1;
  sending.made += 1;
  passStage('sending', () => [sending.task.row.row]);
  context.service.attempt(sending.request, row.token).then(
    (reply) => landed(state, row, reply),
    (error) => broke(state, row, error),
  );
}

/** With a place in hand. */
async function launchIfGranted(state: LaneState, row: LaneRow): Promise<void> {
  if (await mayStillGo(state, row)) launch(state, row);
  else {
    state.context.places.release(null);
    state.pump();
  }
}

function landed(state: LaneState, row: LaneRow, reply: Reply): void {
  passStage('answered', () => [row.sending.task.row.row]);
  try {
    weighReply(state, row, reply);
  } catch (error) {
    broke(state, row, error);
    return;
  }
  state.inFlight -= 1;
  state.context.places.release(reply);
  state.pump();
}

function broke(state: LaneState, row: LaneRow, error: unknown): void {
  state.inFlight -= 1;
  state.context.places.release(null);
  row.end.failed(error);
  state.pump();
}

function weighReply(state: LaneState, row: LaneRow, reply: Reply): void {
  const { context, settling } = state;
  const verdict = context.service.judge(row.sending.request.call, reply);
  if (verdict.kind === 'accepted') {
    context.breaker.succeeded(reply.ms);
    context.denials.broken();
    settling.add(row, verdict, reply.ms);
  } else if (verdict.kind === 'refused' && verdict.outcome !== 'denied') {
    void goOnAlone(row, { verdict, reply });
  } else void holdBack(state, row, { verdict, reply });
}

/** The service may want to be left alone, or the run may pause: rows that have not gone yet ask again when that is known. */
async function holdBack(state: LaneState, row: LaneRow, answer: NonNullable<LaneAnswer>): Promise<void> {
  state.troubles += 1;
  state.settling.flush();
  const recalled = recall(state);
  await goOnAlone(row, answer);
  await recalled;
  state.troubles -= 1;
  state.pump();
}

/** Rows that have not gone are unsent again, and come first. */
async function recall(state: LaneState): Promise<void> {
  const { ready, waiting, context } = state;
  const rows = takeFrom(ready, ready.length()).reverse();
  await withdraw(rows, context, (row) => waiting.pushFirst(row));
  state.pump();
}
