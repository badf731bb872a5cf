import { REPEATABLE } from '../model/operation.ts';
import type { ChunkLease } from '../queue/chunk-worker.ts';
import type { Plan, Planned, PlannedSend } from './decide.ts';
import { laneOf } from './lane.ts';
import { createLaneRow, type RowsEnd } from './lane-row.ts';
import { recordRows } from './record-rows.ts';
import type { Answers, Questions } from './references.ts';
import type { RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { sendRow } from './send-row.ts';
import type { Sending } from './sending.ts';
import { type Ended, sentRows, settledRows, settleSent } from './settle-rows.ts';
import { waitWhileRunning } from './still-runs.ts';

/** A referenced row is asked for so often. */
const ASK_AGAIN_MS = 200;
/** The chunk is put back then: a worker whose chunks all wait could not take the one that they wait for. */
const ASK_MAX_MS = 5_000;

/** What a chunk's rows are carried out with; `taker` is unique per take. */
export type Hands = { readonly context: RunContext; readonly taker: string; readonly lease: ChunkLease };

/** Takes all rows of a chunk to their outcomes; resolves when each has come to its end, since none may be on the wire when a failure ends its chunk. */
export function carryOutAll(planned: readonly Planned[], hands: Hands): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let left = planned.length;
    let all: Ended = 'settled';
    let failure: { readonly error: unknown } | null = null;
    const done = () => {
      left -= 1;
      if (left > 0) return;
      if (failure === null) resolve(all);
      else reject(failure.error);
    };
    const end: RowsEnd = {
      ended(how) {
        if (how === 'unsent') all = 'unsent';
        done();
      },
      failed(error) {
        failure ??= { error };
        done();
      },
    };
    for (const one of planned) carryOut(one, hands, end);
    if (planned.length === 0) resolve(all);
  });
}

/** Takes a request's rows to their outcomes. */
function carryOut(planned: Planned, hands: Hands, end: RowsEnd): void {
  const { plan } = planned;
  switch (plan.kind) {
    case 'done':
      end.ended('settled');
      break;
    case 'end':
      tell(settle(planned, plan, hands.context), end);
      break;
    case 'send':
      if (isSend(planned)) send(planned, hands, end);
      break;
    case 'ask':
      tell(consult(planned, plan, hands), end);
      break;
    default:
      plan satisfies never;
  }
}

function isSend(planned: Planned): planned is PlannedSend {
  return planned.plan.kind === 'send';
}

function tell(work: Promise<Ended>, end: RowsEnd): void {
  work.then(end.ended, end.failed);
}

async function settle(
  planned: Planned,
  { end }: Extract<Plan, { kind: 'end' }>,
  context: RunContext,
): Promise<Ended> {
  await recordRows(settledRows(planned, end), context);
  return 'settled';
}

/** Rows that a dead worker may have sent, and those of a run with a rate, go one by one. */
function send(planned: PlannedSend, hands: Hands, end: RowsEnd): void {
  const { context } = hands;
  const sending = sendingOf(planned.lead, planned.plan, hands);
  const isFresh = sending.expected === '' && !sending.everUnknown;
  if (isFresh && !context.hasRate) laneOf(context).send(createLaneRow({ planned, sending, end, context }));
  else tell(sendAlone(planned, sending, context), end);
}

async function sendAlone(planned: PlannedSend, sending: Sending, context: RunContext): Promise<Ended> {
  const sent = await sendRow(sending, context);
  if (sent.kind === 'unsent') return 'unsent';
  const { taker } = sending;
  return settleSent(sentRows(planned, sent.end, { expected: sent.mark, taker }), context);
}

async function consult(
  planned: Planned,
  { questions, decide }: Extract<Plan, { kind: 'ask' }>,
  hands: Hands,
): Promise<Ended> {
  const { context, lease } = hands;
  const began = context.now();
  for (;;) {
    const waitedMs = context.now() - began;
    const plan = decide({ ...(await ask(questions, context)), waitedMs });
    if (plan.kind !== 'wait') return carryOutAll([{ ...planned, plan }], hands);
    if (waitedMs >= ASK_MAX_MS || !lease.isHeld()) return 'unsent';
    if (!(await waitWhileRunning(ASK_AGAIN_MS, context))) return 'unsent';
  }
}

async function ask(
  { references, fieldsOf }: Questions,
  { ledger }: RunContext,
): Promise<Omit<Answers, 'waitedMs'>> {
  const [states, fields] = await Promise.all([
    Promise.all(references.map(ledger.readKey)),
    fieldsOf === null ? '' : ledger.readFields(fieldsOf),
  ]);
  return { states, fields };
}

function sendingOf(task: RowTask, plan: PlannedSend['plan'], { taker, lease }: Hands): Sending {
  return {
    task,
    request: plan.request,
    taker,
    isHeld: lease.isHeld,
    expected: plan.expected,
    fields: plan.fields ?? null,
    made: 0,
    withdrawn: 0,
    throttled: 0,
    refreshed: false,
    // A create taken over from a dead worker may have been carried out by it: a refusal now proves nothing.
    everUnknown: (plan.expected !== '' || task.suspect) && !REPEATABLE[plan.request.call],
  };
}
