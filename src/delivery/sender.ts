/**
 * The sender of a run: all requests of its chunks go to the service here and nowhere else. Outcomes
 * and the next intents travel in one exchange with the ledger. Nothing is sent without a granted
 * intent, a permit, and a last look at the chunk's lease when it is handed to the HTTP client.
 * transitions.ts decides, p-retry owns later attempts (retry.ts).
 */

import { errorOf } from '../lib/errors.ts';
import { passRow } from '../lib/stage.ts';
import type { Refusal, Reply } from '../model/request.ts';
import type { End } from './decide.ts';
import { endOver } from './idempotency.ts';
import { acceptedInRun, tryAgain } from './retry.ts';
import type { RowOrder } from './row-order.ts';
import type { Retry, RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { createSenderPace, type SenderPace } from './sender-pace.ts';
import {
  type ChunkTake,
  type Ending,
  endIfForgotten,
  endSending,
  failSending,
  intended,
  intentOf,
  isFreeWithout,
  maySend,
  notSent,
  type Sending,
  turnedAway,
} from './sending.ts';
import { createSettling, fieldsAfter, type Settling, warnedEnds, withdrawIntents } from './settle-rows.ts';
import { waitForService } from './still-runs.ts';
import {
  type Answered,
  afterGrant,
  afterReply,
  afterToken,
  type Effect,
  givenUp,
  type InARow,
  inARow,
  isAnswer,
  NONE_IN_A_ROW,
  streakOf,
  UNSENT,
  type Wait,
} from './transitions.ts';

type Sender = {
  readonly context: RunContext;
  readonly waiting: Sending[];
  /** With a granted intent. */
  readonly ready: Sending[];
  readonly settling: Settling;
  /** Requests that were not granted: they wait until the ledger's whole answer is read. */
  readonly later: NotGranted[];
  /** Requests whose answer, in work, may mean trouble for all rows. */
  readonly alarming: Set<Sending>;
  readonly pace: SenderPace;
  readonly wake: (goesOn: boolean) => void;
  turn: Turn;
  goingOn: NodeJS.Immediate | null;
  look: NodeJS.Timeout | null;
  inARow: InARow;
};

/** `wait`: before it asks again; `null`: it asks outside its chunk's order. */
type NotGranted = { readonly sending: Sending; readonly wait: Wait | null };

/** How far the sender is with asking: in this order, `barred` only where the exchange says so. */
type Turn =
  | { readonly kind: 'idle' }
  | Exchange
  /** The breaker is open, or the service asked for a hold. */
  | { readonly kind: 'barred' };

type Exchange = {
  readonly kind: 'exchange';
  readonly asked: number;
  /** Since it began an answer has raised an alarm: what it grants is void. */
  isVoid: boolean;
};

/** What the sender is to do about requests without an intent. */
type Gate =
  /** They may ask for one. */
  | 'open'
  /** Others ask right now. */
  | 'asking'
  /** An answer in work may mean trouble for all rows. */
  | 'alarmed'
  /** The service is waited for. */
  | 'barred'
  /** The run or the process ends: they are unsent. */
  | 'ending';

function gateOf({ context, turn, alarming }: Sender): Gate {
  if (context.stopping.aborted) return 'ending';
  if (turn.kind === 'barred') return 'barred';
  if (alarming.size > 0) return 'alarmed';
  return turn.kind === 'idle' ? 'open' : 'asking';
}

const senders = new WeakMap<RunContext, Sender>();

/** Hands a request to its run's sender in this process. */
export function send(sending: Sending): void {
  const sender = senderOf(sending.take.context);
  sender.waiting.push(sending);
  pump(sender);
}

/** Records the end of rows of which nothing is sent, with what ends meanwhile. */
export function settle(task: RowTask, { end, ends }: End, take: ChunkTake): void {
  const ending: Ending = { task, take, state: 'settling', mark: task.foundMark, again: null };
  senderOf(take.context).settling.settle(ending, end, { ends });
}

function senderOf(context: RunContext): Sender {
  return senders.get(context) ?? createSender(context);
}

function createSender(context: RunContext): Sender {
  const sender: Sender = {
    context,
    waiting: [],
    ready: [],
    settling: createSettling(context),
    later: [],
    alarming: new Set(),
    pace: createSenderPace(context.now),
    wake(goesOn) {
      if (!goesOn) endWaiting(sender);
      pump(sender);
    },
    turn: { kind: 'idle' },
    goingOn: null,
    look: null,
    inARow: NONE_IN_A_ROW,
  };
  context.stopping.addEventListener('abort', () => pump(sender), { once: true });
  senders.set(context, sender);
  return sender;
}

/** How often requests look again: what they wait for may come unannounced. */
const LOOK_MS = 500;

/**
 * Sends what can go at once. That more can is seen to once for all that comes in the same moment:
 * for each row by itself it would cost several times as much.
 */
function pump(sender: Sender): void {
  while (launch(sender));
  sender.goingOn ??= setImmediate(goOn, sender);
}

function goOn(sender: Sender): void {
  const { waiting, ready, context } = sender;
  sender.goingOn = null;
  if (gateOf(sender) === 'ending') endWaiting(sender);
  while (launch(sender));
  context.permits.want(permitsOfUse(sender), sender.wake);
  if (waiting.length + ready.length === 0) return;

  sender.look ??= setTimeout(lookAgain, LOOK_MS, sender);
  if (gateOf(sender) === 'open' && wanted(sender) > 0) void ask(sender);
}

function lookAgain(sender: Sender): void {
  const { ready, context } = sender;
  sender.look = null;
  const isOld = ({ grantedAt }: Sending) => context.now() - grantedAt > LOOK_MS;
  // Before a permit comes for a grant that is too old by then.
  if (ready.some(isOld)) void recall(sender);
  pump(sender);
}

/**
 * Under a rate each request has its time before its intent. While the breaker is open, keep no
 * permit for those that wait: the probing row may need it.
 */
function permitsOfUse(sender: Sender): number {
  const { waiting, ready, turn, context } = sender;
  const gate = gateOf(sender);
  const mayGo = gate === 'open' || gate === 'asking';
  if (!hasRate(context) || !mayGo) return ready.length;
  const asked = turn.kind === 'exchange' ? turn.asked : 0;
  return ready.length + asked + waiting.length;
}

function hasRate({ definition }: RunContext): boolean {
  return definition.send.rate !== undefined;
}

function wanted({ waiting, ready, context, pace }: Sender): number {
  const { permits } = context;
  return pace.wanted({
    waiting: waiting.length,
    ready: ready.length,
    free: permits.free(),
    isContested: permits.isContested(),
    hasRate: hasRate(context),
  });
}

async function ask(sender: Sender): Promise<void> {
  const { pace } = sender;
  const sendings = takeWanted(sender);
  const exchange: Exchange = { kind: 'exchange', asked: sendings.length, isVoid: false };
  sender.turn = exchange;
  pace.asked();
  try {
    if (sendings.length > 0) await intend(sender, sendings, exchange);
  } catch (error) {
    for (const sending of sendings) failSending(sending, error);
  }
  pace.answered();
  sender.turn = { kind: 'idle' };

  const wait = putBack(sender);
  if (wait !== null) void bar(sender, wait);
  pump(sender);
}

/** Out of the waiting requests: those that may go, as many as are wanted. */
function takeWanted(sender: Sender): readonly Sending[] {
  const sendings: Sending[] = [];
  for (const sending of sender.waiting.splice(0, wanted(sender))) {
    const end = endIfForgotten(sending);
    if (!maySend(sending)) endSending(sending, 'unsent');
    else if (end === null) sendings.push(sending);
    else void apply(sender, sending, [{ kind: 'settle', end }]);
  }
  return sendings;
}

async function intend(sender: Sender, sendings: readonly Sending[], exchange: Exchange): Promise<void> {
  const { context, settling } = sender;
  const token = await context.service.token();
  const { ranges, singles } = parted(sendings);
  const ended = settling.take();
  const exchanged = context.ledger.exchange({
    ended: ended.settled,
    ranges: [...ranges].map(([order, rows]) => order.rangeOf(rows)),
    next: singles.map(intentOf),
  });
  settling.record(ended, exchanged);

  const { granted } = await exchanged;
  for (const [order, rows] of ranges)
    for (const { row } of rows) if (granted.get(row)?.kind === 'granted') order.passed(row);
  for (const sending of sendings) {
    const answer = granted.get(sending.row);
    if (answer?.kind === 'granted') intended(sending, token, context.now());
    void apply(sender, sending, afterGrant(answer, sending));
  }
  if (exchange.isVoid) await recall(sender);
}

/** Those in the order of their chunk, and those that go by themselves. */
function parted(sendings: readonly Sending[]) {
  const ranges = new Map<RowOrder, Sending[]>();
  const singles: Sending[] = [];
  for (const sending of sendings) {
    const order = orderOf(sending);
    sending.isInOrder = order !== null;
    if (order === null) {
      singles.push(sending);
      continue;
    }
    const range = ranges.get(order) ?? [];
    ranges.set(order, range);
    range.push(sending);
  }
  return { ranges, singles };
}

/** `null`: it goes by itself, or its order is past its row. */
function orderOf({ isInOrder, row, take: { order } }: Sending): RowOrder | null {
  return isInOrder && order?.isBefore(row) === true ? order : null;
}

/** Requests that were not granted come first again, in their order; answers the longest wait. */
function putBack({ later, waiting }: Sender): Wait | null {
  const notGranted = later.splice(0);
  waiting.unshift(...notGranted.map(({ sending }) => sending));
  let longest: Wait | null = null;
  for (const { wait } of notGranted)
    if (wait !== null && (longest === null || wait.ms > longest.ms)) longest = wait;
  return longest;
}

async function bar(sender: Sender, wait: Wait): Promise<void> {
  sender.turn = { kind: 'barred' };
  const goesOn = await waitForService(wait, sender.context);
  sender.turn = { kind: 'idle' };
  if (!goesOn) endWaiting(sender);
  pump(sender);
}

/**
 * No row goes by an older grant: meanwhile the run may be paused, the service may have asked for a
 * hold, or another take may have ended the row.
 */
const FRESH_MS = 1_000;

/** Sends the first request that is ready; false: there is none, or no permit for it. */
function launch(sender: Sender): boolean {
  const { ready, context, pace } = sender;
  const sending = ready.shift();
  if (sending === undefined) return false;
  // The last look: the chunk's lease may have been lost since the intent was granted.
  const mayGo = maySend(sending) && endIfForgotten(sending) === null;
  if (sending.state !== 'intended' || !mayGo) {
    void apply(sender, sending, givenUp(sending));
    return true;
  }
  const now = context.now();
  if (now - sending.grantedAt > FRESH_MS) {
    ready.unshift(sending);
    void recall(sender);
    return false;
  }
  if (!context.permits.tryTake()) {
    ready.unshift(sending);
    return false;
  }
  pace.launched();
  sending.state = 'onWire';
  sending.sentAt = now;
  if (sending.made === 0) sending.since = context.breaker.passage();
  sending.made += 1;
  passRow('sending', sending.row);
  context.service.attempt(sending.plan.request, sending.token).then(
    (reply) => landed(sender, sending, reply),
    (error) => broke(sender, sending, error),
  );
  return true;
}

function landed(sender: Sender, sending: Sending, reply: Reply): void {
  const { context } = sender;
  const failed = (error: unknown) => failSending(sending, error);
  passRow('answered', sending.row);
  try {
    const { call } = sending.plan.request;
    context.meter.attempted(call, reply, sending.made);
    const verdict = context.service.judge(call, reply);
    const answered = { verdict, reply, call, at: Date.now() };
    const otherwise = verdict.kind === 'retry' ? verdict.otherwise : undefined;
    if (otherwise === undefined) conclude(sender, sending, answered);
    else weigh(sender, sending, answered, otherwise).catch(failed);
  } catch (error) {
    failed(error);
  }
  context.permits.release(reply);
  pump(sender);
}

function conclude(sender: Sender, sending: Sending, answered: Answered): void {
  const { breaker } = sender.context;
  const { verdict, reply } = answered;
  if (isAnswer(verdict)) breaker.succeeded(reply.ms);
  if (verdict.kind === 'accepted') breaker.accepted(sending.alone > 0);
  sender.inARow = inARow(sender.inARow, verdict);
  void apply(sender, sending, afterReply(answered, sending, sender.inARow));
}

/** A limit lets some row through by the time that it named; else the permission is missing. */
async function weigh(
  sender: Sender,
  sending: Sending,
  answered: Answered,
  otherwise: Refusal,
): Promise<void> {
  const { context } = sender;
  const here = context.breaker.passage().accepted;
  let isLimit = here > sending.acceptedHere;
  if (!isLimit) {
    // Meanwhile no other row asks to go.
    sender.alarming.add(sending);
    const inRun = await acceptedInRun(context);
    sender.alarming.delete(sending);
    isLimit = inRun === null || inRun > sending.acceptedInRun;
  }
  sending.acceptedHere = here;
  conclude(sender, sending, isLimit ? answered : { ...answered, verdict: otherwise });
  pump(sender);
}

function broke(sender: Sender, sending: Sending, error: unknown): void {
  sender.context.permits.release(null);
  failSending(sending, error);
  pump(sender);
}

/** Carries effects out in order, at once while none takes time. Never rejects. */
async function apply(sender: Sender, sending: Sending, effects: readonly Effect[]): Promise<void> {
  let recalled: Promise<void> | null = null;
  try {
    for (const effect of effects) {
      if (effect.kind === 'recall') recalled = alarm(sender, sending);
      else {
        const work = carryOut(sender, sending, effect);
        if (work !== null) await work;
      }
    }
  } catch (error) {
    failSending(sending, error);
  }
  if (recalled === null) return;
  await recalled;
  sender.alarming.delete(sending);
  pump(sender);
}

/**
 * The answer may mean a hold, an open breaker or a paused run: requests that have not gone ask
 * again once that is known.
 */
function alarm(sender: Sender, sending: Sending): Promise<void> {
  const { turn } = sender;
  sender.alarming.add(sending);
  if (turn.kind === 'exchange') turn.isVoid = true;
  sender.settling.flush();
  return recall(sender);
}

/** `null`: done. */
function carryOut(
  sender: Sender,
  sending: Sending,
  effect: Exclude<Effect, { kind: 'recall' }>,
): Promise<unknown> | null {
  const { context, ready, later, settling } = sender;
  switch (effect.kind) {
    case 'settle': {
      const end = endOver(sending.doubt, effect.end);
      const streak = streakOf(end, sending.plan.request.call, context.definition);
      settling.settle(sending, end, {
        ends: warnedEnds(sending, end),
        content: sending.plan.content,
        fields: fieldsAfter(sending, end),
        streak,
      });
      return null;
    }
    case 'unsent':
      endSending(sending, 'unsent');
      return null;
    case 'ready':
      if (effect.isFirst) ready.unshift(sending);
      else ready.push(sending);
      return null;
    case 'wait':
      later.push({ sending, wait: effect.wait });
      return null;
    case 'alone':
      sending.isInOrder = false;
      later.push({ sending, wait: null });
      return null;
    case 'halt':
      endWaiting(sender);
      return null;
    case 'again':
      again(sender, sending, effect);
      return null;
    case 'tell':
      return tell(sending, effect.failure, context);
    case 'withdraw':
      return withdraw(sending, context);
    case 'pause':
      return context.pause(effect.reason, effect.problem);
    case 'pause-if-away':
      return isAway(context) ? context.pause('service-away') : null;
    case 'refresh':
      return refresh(sender, sending);
    default:
      return effect satisfies never;
  }
}

function isAway({ breaker }: RunContext): boolean {
  return breaker.awayFor() >= breaker.patienceMs();
}

type Of<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>;

const UNTOLD = 'the breaker could not be told of a failure';

/** A breaker that could not be told is no reason to leave the row's intent where it is. */
async function tell(
  { mark }: Sending,
  failure: Of<'tell'>['failure'],
  { breaker, onTrouble }: RunContext,
): Promise<void> {
  const untold = (cause: unknown) => onTrouble(UNTOLD, errorOf(cause));
  await breaker.failed({ ...failure, mark }).catch(untold);
}

async function withdraw(sending: Sending, context: RunContext): Promise<void> {
  await withdrawIntents([sending], context);
  sending.mark = '';
}

async function refresh(sender: Sender, sending: Sending): Promise<void> {
  const { service, stopping } = sender.context;
  const fresh = sending.refreshed ? null : await service.freshToken(sending.token);
  const isEnding = fresh === null && stopping.aborted;
  const effects = isEnding ? UNSENT : afterToken(fresh !== null);
  await apply(sender, sending, effects);
}

/** Another attempt is safe; p-retry decides whether it is made. */
function again(sender: Sender, sending: Sending, { verdict, because, doubt }: Of<'again'>): void {
  const tell = sending.again;
  sending.again = null;
  sending.state = 'waiting';
  sending.doubt ??= doubt ?? null;
  if (because === 'refreshed') sending.refreshed = true;
  if (because === 'throttled') turnedAway(sending);
  if (because === 'refreshed' || because === 'throttled') sending.throttled += 1;
  if (tell === null) void tryLater(sender, sending, verdict);
  else tell(verdict);
}

async function tryLater(sender: Sender, sending: Sending, verdict: Retry): Promise<void> {
  // Ahead of the run's other requests.
  const attempt = () =>
    new Promise<Retry | null>((resolve) => {
      sending.again = resolve;
      sender.waiting.unshift(sending);
      pump(sender);
    });
  try {
    const last = await tryAgain(sending, verdict, attempt);
    if (last !== null) await apply(sender, sending, last);
  } catch (error) {
    failSending(sending, error);
  }
}

/** Requests that have not gone ask again, and come first. */
async function recall(sender: Sender): Promise<void> {
  const { ready, waiting, context } = sender;
  const sendings = ready.splice(0);
  const free = sendings.filter(isFreeWithout);
  try {
    await withdrawIntents(free, context);
  } catch (error) {
    for (const sending of free) failSending(sending, error);
  }
  const unsent = sendings.filter(({ state }) => state === 'intended');
  for (const sending of unsent) {
    const mark = isFreeWithout(sending) ? '' : sending.mark;
    notSent(sending, mark);
  }
  waiting.unshift(...unsent);
  pump(sender);
}

function endWaiting(sender: Sender): void {
  for (const sending of sender.waiting.splice(0)) endSending(sending, 'unsent');
}
