/**
 * A request in the hands of the sender (sender.ts): its intent and token, what the sender keeps of a run, and the ways out of it. An
 * accepted row is recorded together with those accepted within the same few milliseconds; any other leaves the batches and is
 * finished by itself (`finishRow`): tried again, settled as refused, or put back. Each request's end is told exactly once.
 */

import type { Intent } from '../ledger/intent.ts';
import type { SettledRow } from '../ledger/settle-entry.ts';
import type { WaitingLine } from '../lib/waiting-line.ts';
import type { Reply, Verdict } from '../model/request.ts';
import type { PlannedSend } from './decide.ts';
import type { RowOrder } from './row-order.ts';
import { acceptedEnd } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { goOnSending } from './send-row.ts';
import type { SenderPace } from './sender-pace.ts';
import type { Sending, Tried } from './sending.ts';
import { type Ended, recordAtOnce, sentRows, settleSent, withdrawIntents } from './settle-rows.ts';
import { tryRow, weigh } from './try-row.ts';

/** Told once of each request. */
export type EndListener = {
  ended(how: Ended): void;
  /** Their fate could not be recorded, or the program failed. */
  failed(error: unknown): void;
};

/** A request in the sender's hands. */
export type SenderRow = {
  readonly planned: PlannedSend;
  readonly sending: Sending;
  readonly end: EndListener;
  readonly context: RunContext;
  /** The order of its chunk; `null`: there is none. */
  readonly order: RowOrder | null;
  /** The intent that was asked for last; each time has its own. `null`: not yet. */
  intent: Intent | null;
  /** The token of the time when its intent was granted. */
  token: string;
  /** When its intent was granted, by the context's clock. */
  grantedAt: number;
};

export function createSenderRow(parts: Omit<SenderRow, 'intent' | 'token' | 'grantedAt'>): SenderRow {
  const { planned, sending, end, context, order } = parts;
  return { planned, sending, end, context, order, intent: null, token: '', grantedAt: 0 };
}

/** What a request got that was not simply accepted; `null`: nothing was sent. */
export type SenderAnswer = { readonly verdict: Verdict; readonly reply: Reply } | null;

/**
 * Takes a row that leaves the sender's batches to its end: it waits, tries again, or is settled as what it was answered.
 * Resolves as soon as it is known what its answer means for others: the breaker is told, or the run is paused (but for 403, which is
 * weighed with those before it). Never rejects.
 */
export async function finishRow(row: SenderRow, answer: SenderAnswer): Promise<void> {
  const { sending, context, end } = row;
  try {
    const startedAt = context.now() - (answer?.reply.ms ?? 0);
    const tried = answer === null ? tryRow(sending, context) : weighed(row, answer);
    if (answer !== null) await tried;
    settled(row, tried, startedAt).then(end.ended, end.failed);
  } catch (error) {
    end.failed(error);
  }
}

async function settled(row: SenderRow, tried: Promise<Tried>, startedAt: number): Promise<Ended> {
  const { planned, sending, context } = row;
  const sent = await goOnSending(await tried, sending, { context, startedAt });
  if (sent.kind === 'unsent') return 'unsent';
  return settleSent(sentRows(planned, sent.end, { expected: sent.mark, taker: sending.taker }), context);
}

async function weighed(
  { sending, context, intent, token }: SenderRow,
  { verdict, reply }: NonNullable<SenderAnswer>,
): Promise<Tried> {
  if (intent === null) throw new Error('a row was answered that had no intent');
  return weigh(sending, context, { verdict, reply, intent, token });
}

/** What a run's sender has in hand. */
export type SenderState = {
  readonly context: RunContext;
  readonly waiting: WaitingLine<SenderRow>;
  /** Rows whose intent is granted, until a permit is free: a request that ends waits for no answer of Redis before the next goes out. */
  readonly ready: WaitingLine<SenderRow>;
  readonly pace: SenderPace;
  readonly settling: SenderSettling;
  readonly permitted: (isTaken: boolean) => void;
  /** Sends what can go, and sees that more can. */
  readonly pump: () => void;
  isAsking: boolean;
  /** The breaker is open, or the service has asked for a hold. */
  isBarred: boolean;
  /** Answers that may mean trouble for all rows, until that is known: no other row asks to go meanwhile. */
  troubles: number;
  /** How often there was such an answer: what was asked for before it and granted after it may not go by that. */
  alarms: number;
  /** Permits that were asked for and have not come yet. */
  expected: number;
  /** Requests of the batches: each that ends looks for the next. */
  inFlight: number;
  look: NodeJS.Timeout | null;
};

/** Withdraws the intents of rows that have not gone. */
export async function withdraw(
  rows: readonly SenderRow[],
  context: RunContext,
  then: (row: SenderRow) => void,
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

/** Notes that the row's intent is gone from the ledger: its next intent has another mark. */
export function takenBack({ sending }: SenderRow): void {
  sending.expected = '';
  sending.withdrawn += 1;
}

/** The run or the process ends: only what is on the wire goes on. */
export function endSender(state: SenderState): void {
  endWaiting(state);
  void withdraw(takeFrom(state.ready, state.ready.length()), state.context, unsent);
}

/** Rows that have no intent are as before. */
export function endWaiting({ waiting }: SenderState): void {
  for (const row of takeFrom(waiting, waiting.length())) unsent(row);
}

/** The row is as before. */
export function unsent(row: SenderRow): void {
  row.end.ended('unsent');
}

/** The intent that a row asked for last. */
export function intentsOf({ intent }: SenderRow): readonly Intent[] {
  return intent === null ? [] : [intent];
}

/** The first rows of a line, no more than `most`. */
export function takeFrom(line: WaitingLine<SenderRow>, most: number): SenderRow[] {
  const rows: SenderRow[] = [];
  while (rows.length < most) {
    const row = line.shift();
    if (row === undefined) break;
    rows.push(row);
  }
  return rows;
}

/** Accepted rows on their way to the ledger. */
type Accepted = { readonly rows: readonly SenderRow[]; readonly settled: readonly SettledRow[] };

/** Records the outcomes of accepted rows, with the next exchange, or those of some milliseconds in a command of their own. */
type SenderSettling = {
  add(row: SenderRow, verdict: Extract<Verdict, { kind: 'accepted' }>, ms: number): void;
  /** Those that wait, for an exchange that takes them along; `record` is to be told of it. */
  take(): Accepted;
  /** Tells the rows of their end when they are recorded by the command that is under way. */
  record(accepted: Accepted, sent: Promise<unknown>): void;
  /** Records now: before trouble is told of, so that answers from before it are not taken for a part of it. */
  flush(): void;
};

/** No outcome waits longer: until it is recorded and in the journal, a kill of the worker leaves its row in doubt. */
const AT_MOST_MS = 10;
const ENOUGH = 100;

export function createSenderSettling(context: RunContext): SenderSettling {
  let rows: SenderRow[] = [];
  let settled: SettledRow[] = [];
  let timer: NodeJS.Timeout | null = null;

  const take = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const accepted = { rows, settled };
    rows = [];
    settled = [];
    return accepted;
  };
  const record: SenderSettling['record'] = (accepted, sent) => void recordAll(accepted, context, sent);
  const flush = () => {
    const accepted = take();
    if (accepted.rows.length > 0) record(accepted, context.ledger.settleAll(accepted.settled));
  };
  return {
    take,
    record,
    flush,
    add(row, verdict, ms) {
      const { planned, sending } = row;
      const ends = sentRows(planned, acceptedEnd(verdict, sending.made, ms), sending);
      rows.push(row);
      for (const one of ends) settled.push(one);
      if (rows.length >= ENOUGH) flush();
      else timer ??= setTimeout(flush, AT_MOST_MS);
    },
  };
}

async function recordAll(
  { rows, settled }: Accepted,
  context: RunContext,
  sent: Promise<unknown>,
): Promise<void> {
  try {
    await recordAtOnce(settled, context, sent);
    for (const row of rows) row.end.ended('settled');
  } catch (error) {
    for (const row of rows) row.end.failed(error);
  }
}
