/**
 * The sender of a run takes rows through their first attempt, many at a time: what ended and the intents of what is next travel in one
 * exchange with the ledger, and no row waits on promises of its own. Nothing is sent without a granted intent, a permit, and a last look at
 * the chunk's lease before the first byte. What is not simply accepted leaves the batches (`finishRow`).
 */

import type { Granted } from '../ledger/intent.ts';
import { passStage } from '../lib/stage.ts';
import { createWaitingLine } from '../lib/waiting-line.ts';
import type { Reply } from '../model/request.ts';
import type { RowOrder } from './row-order.ts';
import type { RunContext } from './run-context.ts';
import { createSenderPace, type SenderLoad } from './sender-pace.ts';
import {
  createSenderSettling,
  endSender,
  endWaiting,
  finishRow,
  intentsOf,
  type SenderAnswer,
  type SenderRow,
  type SenderState,
  takeFrom,
  takenBack,
  unsent,
  withdraw,
} from './sender-row.ts';
import { intentOf, maySend } from './sending.ts';
import { waitForService } from './still-runs.ts';

type Sender = { send(row: SenderRow): void };

const senders = new WeakMap<RunContext, Sender>();

/** The sender of a run in this process. */
export function senderOf(context: RunContext): Sender {
  const known = senders.get(context);
  if (known !== undefined) return known;
  const sender = createSender(context);
  senders.set(context, sender);
  return sender;
}

function createSender(context: RunContext): Sender {
  const { now, stopping } = context;
  const state: SenderState = {
    context,
    waiting: createWaitingLine(),
    ready: createWaitingLine(),
    pace: createSenderPace(now),
    settling: createSenderSettling(context),
    permitted: (isTaken) => permitted(state, isTaken),
    pump: () => pump(state),
    isAsking: false,
    isBarred: false,
    troubles: 0,
    alarms: 0,
    expected: 0,
    inFlight: 0,
    look: null,
  };
  stopping.addEventListener('abort', () => endSender(state), { once: true });
  return {
    send(row) {
      state.waiting.push(row);
      if (stopping.aborted) endSender(state);
      else pump(state);
    },
  };
}

/** While rows wait, what they wait for is looked at this often: it may come about unannounced. */
const LOOK_MS = 500;

/** Sends what can go, and sees that more can. */
function pump(state: SenderState): void {
  const { waiting, ready, context, pace } = state;
  const { permits } = context;
  while (ready.length() > 0 && permits.tryTake()) launch(state, ready.shift());
  for (; state.expected < ready.length(); state.expected += 1) permits.wait(state.permitted);
  if (waiting.length() === 0) return;
  state.look ??= setTimeout(() => {
    state.look = null;
    pump(state);
  }, LOOK_MS);
  if (state.isAsking || state.isBarred || state.troubles > 0 || pace.wanted(loadOf(state)) === 0) return;
  state.isAsking = true;
  setImmediate(() => void ask(state));
}

function permitted(state: SenderState, isTaken: boolean): void {
  state.expected -= 1;
  // Without a permit the run or the process ends: `endSender` sees to the rows.
  if (!isTaken) return;
  launch(state, state.ready.shift());
  pump(state);
}

/** What the sender's pace is reckoned from. */
function loadOf({ waiting, ready, context, inFlight }: SenderState): SenderLoad {
  const { permits } = context;
  const free = permits.free();
  // Retries of the same run take permits too, and don't look for the rows of the batches.
  const isContested = permits.isContested() || (free === 0 && inFlight === 0);
  return { waiting: waiting.length(), ready: ready.length(), free, isContested };
}

/** Asks for the intents of the next rows, and sends what can go by that. */
async function ask(state: SenderState): Promise<void> {
  const { waiting, context, pace } = state;
  const wanted = pace.wanted(loadOf(state));
  pace.asked();
  const rows: SenderRow[] = [];
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

async function intend(state: SenderState, rows: readonly SenderRow[]): Promise<void> {
  const { context } = state;
  const token = await context.service.token();
  for (const row of rows) row.intent = intentOf(row.sending, context);
  const { alarms } = state;
  const ended = state.settling.take();
  const { inOrder, single } = parted(rows);
  const exchanged = context.ledger.exchange({
    ended: ended.settled,
    ranges: [...inOrder].map(([order, of]) => order.rangeOf(of.flatMap(intentsOf))),
    next: single.flatMap(intentsOf),
  });
  state.settling.record(ended, exchanged);
  const { granted, ranged } = await exchanged;
  const barred: SenderRow[] = [];
  let wait: Wait | null = null;
  const asked = [...[...inOrder.values()].flat(), ...single];
  const answers = [...ranged, ...granted];
  for (const [i, row] of asked.entries()) {
    row.token = token;
    const answer = answers[i];
    if (i < ranged.length && answer?.kind === 'granted') row.order?.passed(row.sending.task.row.row);
    if (answer?.kind !== 'wait') enter(state, row, answer);
    else {
      barred.push(row);
      if (wait === null || answer.ms > wait.ms) wait = answer;
    }
  }
  if (alarms !== state.alarms) await recall(state);
  for (const row of barred.reverse()) state.waiting.pushFirst(row);
  if (wait !== null) void bar(state, wait);
}

/** Rows by the order in which they go, and those that go by themselves. */
function parted(rows: readonly SenderRow[]): {
  readonly inOrder: ReadonlyMap<RowOrder, readonly SenderRow[]>;
  readonly single: readonly SenderRow[];
} {
  const inOrder = new Map<RowOrder, SenderRow[]>();
  const single: SenderRow[] = [];
  for (const row of rows) {
    const { order, sending } = row;
    const isFirst = sending.made + sending.withdrawn === 0;
    if (order === null || !isFirst || !order.has(sending.task.row.row)) single.push(row);
    else {
      const known = inOrder.get(order);
      if (known === undefined) inOrder.set(order, [row]);
      else known.push(row);
    }
  }
  return { inOrder, single };
}

/**
 * Asks again for a row that has waited for its permit since its intent was granted: meanwhile the run may have been paused, the service
 * have asked for a hold, or another take have ended the row. False: it may not go any more; it is put back or ended here.
 */
async function mayStillGo(state: SenderState, row: SenderRow): Promise<boolean> {
  const { context, waiting } = state;
  try {
    const { granted } = await context.ledger.exchange({ ended: [], next: intentsOf(row) });
    const [answer] = granted;
    if (answer?.kind === 'granted') {
      row.grantedAt = context.now();
      return true;
    }
    if (answer?.kind === 'wait' || answer?.kind === 'halted') takenBack(row);
    if (answer?.kind !== 'wait') enter(state, row, answer);
    else {
      waiting.pushFirst(row);
      void bar(state, answer);
    }
  } catch (error) {
    row.end.failed(error);
  }
  return false;
}

/** A halted run is halted for all its rows; any other refusal concerns this row alone. */
function enter(state: SenderState, row: SenderRow, answer: Exclude<Granted, Wait> | undefined): void {
  switch (answer?.kind) {
    case 'granted':
      row.sending.expected = row.intent?.mark ?? '';
      row.grantedAt = state.context.now();
      // The run ended while the intent was being asked for.
      if (state.context.stopping.aborted) void withdraw([row], state.context, unsent);
      else state.ready.push(row);
      break;
    case 'unclaimed':
      row.order?.end();
      state.waiting.pushFirst(row);
      break;
    case 'halted':
      unsent(row);
      endWaiting(state);
      break;
    case 'unwritten':
      void pauseUnwritten(state, row, answer.problem);
      break;
    default:
      void finishRow(row, null);
  }
}

async function pauseUnwritten(state: SenderState, row: SenderRow, problem: string): Promise<void> {
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

type Wait = Extract<Granted, { kind: 'wait' }>;

async function bar(state: SenderState, wait: Wait): Promise<void> {
  state.isBarred = true;
  const goesOn = await waitForService(wait, state.context);
  state.isBarred = false;
  if (!goesOn) endWaiting(state);
  state.pump();
}

/** A grant that is older is asked for again before the row goes: the run or the breaker may have changed since. */
const FRESH_MS = 1_000;

/** Sends a row for which there is a permit; without one left to send, the permit is given back. */
function launch(state: SenderState, row: SenderRow | undefined): void {
  const { context } = state;
  if (row === undefined) {
    context.permits.release(null);
    return;
  }
  const { sending } = row;
  // Time has passed since the last look: the chunk may be lost between the intent and the first byte.
  if (!maySend(sending, context)) {
    context.permits.release(null);
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

/** The row already has its permit; where it may not go, the permit is given back. */
async function launchIfGranted(state: SenderState, row: SenderRow): Promise<void> {
  if (await mayStillGo(state, row)) launch(state, row);
  else {
    state.context.permits.release(null);
    state.pump();
  }
}

function landed(state: SenderState, row: SenderRow, reply: Reply): void {
  passStage('answered', () => [row.sending.task.row.row]);
  try {
    weighReply(state, row, reply);
  } catch (error) {
    broke(state, row, error);
    return;
  }
  state.inFlight -= 1;
  state.context.permits.release(reply);
  state.pump();
}

function broke(state: SenderState, row: SenderRow, error: unknown): void {
  state.inFlight -= 1;
  state.context.permits.release(null);
  row.end.failed(error);
  state.pump();
}

function weighReply(state: SenderState, row: SenderRow, reply: Reply): void {
  const { context, settling } = state;
  const verdict = context.service.judge(row.sending.request.call, reply);
  if (verdict.kind === 'accepted') {
    context.breaker.succeeded(reply.ms);
    context.denials.broken();
    settling.add(row, verdict, reply.ms);
  } else if (verdict.kind === 'refused' && verdict.outcome !== 'denied') {
    void finishRow(row, { verdict, reply });
  } else void holdBack(state, row, { verdict, reply });
}

/** The answer may mean a hold, an open breaker or a paused run: rows that have not gone yet ask again when that is known. */
async function holdBack(
  state: SenderState,
  row: SenderRow,
  answer: NonNullable<SenderAnswer>,
): Promise<void> {
  state.troubles += 1;
  state.alarms += 1;
  state.settling.flush();
  const recalled = recall(state);
  await finishRow(row, answer);
  await recalled;
  state.troubles -= 1;
  state.pump();
}

/** Rows that have not gone are unsent again, and come first. */
async function recall(state: SenderState): Promise<void> {
  const { ready, waiting, context } = state;
  const rows = takeFrom(ready, ready.length()).reverse();
  await withdraw(rows, context, (row) => waiting.pushFirst(row));
  state.pump();
}
