import { passStage } from '../lib/stage.ts';
import { createWaitingLine } from '../lib/waiting-line.ts';
import type { Reply } from '../model/reply.ts';
import { ask, lineOf } from './lane-asking.ts';
import { createLanePace } from './lane-pace.ts';
import { goOnAlone, type LaneAnswer, type LaneRow } from './lane-row.ts';
import { createLaneSettling } from './lane-settling.ts';
import { endLane, type LaneState, takeFrom, unsent, withdraw } from './lane-state.ts';
import type { RunContext } from './run-context.ts';
import { maySend } from './try-row.ts';

/**
 * Takes rows through their first attempt many at a time: intents and outcomes of rows that start or end together travel in one command,
 * and no row waits on promises of its own. What is not simply accepted goes on alone.
 */
export type Lane = { send(row: LaneRow): void };

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
  setImmediate(() => void ask(state, () => pump(state)));
}

function placed(state: LaneState, isTaken: boolean): void {
  state.expected -= 1;
  // Without a place the run or the process ends: `end` sees to the rows.
  if (!isTaken) return;
  launch(state, state.ready.shift());
  pump(state);
}

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
  state.pace.launched();
  state.inFlight += 1;
  sending.made += 1;
  passStage('sending', () => [sending.task.row.row]);
  context.service.attempt(sending.request, row.token).then(
    (reply) => replied(state, row, reply),
    (error) => {
      state.inFlight -= 1;
      context.places.release(null);
      row.end.failed(error);
      pump(state);
    },
  );
}

function replied(state: LaneState, row: LaneRow, reply: Reply): void {
  const { context, settling } = state;
  const { sending } = row;
  state.inFlight -= 1;
  passStage('answered', () => [sending.task.row.row]);
  const verdict = context.service.judge(sending.request.call, reply);
  if (verdict.kind === 'accepted') {
    context.weather.answered(reply.ms);
    context.denials.broken();
    settling.add(row, verdict, reply.ms);
  } else if (verdict.kind === 'refused' && verdict.outcome !== 'denied') {
    void goOnAlone(row, { verdict, reply });
  } else void weather(state, row, { verdict, reply });
  context.places.release(reply);
  pump(state);
}

/** The service may want to be left alone, or the run may pause: rows that have not gone yet ask again when that is known. */
async function weather(state: LaneState, row: LaneRow, answer: NonNullable<LaneAnswer>): Promise<void> {
  state.troubles += 1;
  state.settling.flush();
  const recalled = recall(state);
  await goOnAlone(row, answer);
  await recalled;
  state.troubles -= 1;
  pump(state);
}

/** Rows that have not gone are unsent again, and come first. */
async function recall(state: LaneState): Promise<void> {
  const { ready, waiting, context } = state;
  const rows = takeFrom(ready, ready.length()).reverse();
  await withdraw(rows, context, (row) => waiting.pushFirst(row));
  pump(state);
}
