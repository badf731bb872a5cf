import { createWaitingLine } from '../lib/waiting-line.ts';
import { ask, lineOf } from './lane-asking.ts';
import { createLanePace } from './lane-pace.ts';
import type { LaneRow } from './lane-row.ts';
import { launch } from './lane-sending.ts';
import { createLaneSettling } from './lane-settling.ts';
import { endLane, type LaneState } from './lane-state.ts';
import type { RunContext } from './run-context.ts';

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
