import { passStage } from '../lib/stage.ts';
import type { Reply } from '../model/request.ts';
import { mayStillGo } from './lane-asking.ts';
import { goOnAlone, type LaneAnswer, type LaneRow } from './lane-row.ts';
import { type LaneState, takeFrom, unsent, withdraw } from './lane-state.ts';
import { maySend } from './sending.ts';

/** A grant is taken for what it was no longer than that. */
const FRESH_MS = 1_000;

/** Sends a row for which there is a place; without one left to send, the place is given back. */
export function launch(state: LaneState, row: LaneRow | undefined): void {
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
    context.weather.answered(reply.ms);
    context.denials.broken();
    settling.add(row, verdict, reply.ms);
  } else if (verdict.kind === 'refused' && verdict.outcome !== 'denied') {
    void goOnAlone(row, { verdict, reply });
  } else void weather(state, row, { verdict, reply });
}

/** The service may want to be left alone, or the run may pause: rows that have not gone yet ask again when that is known. */
async function weather(state: LaneState, row: LaneRow, answer: NonNullable<LaneAnswer>): Promise<void> {
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
