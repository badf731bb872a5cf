import type { Intent } from '../ledger/intent.ts';
import type { Reply, Verdict } from '../model/request.ts';
import type { PlannedSend } from './decide.ts';
import type { RunContext } from './run-context.ts';
import { goOnSending } from './send-row.ts';
import type { Sending, Tried } from './sending.ts';
import { type Ended, sentRows, settleSent } from './settle-rows.ts';
import { tryRow } from './try-row.ts';
import { weigh } from './weigh-reply.ts';

/** Told once of each request. */
export type RowsEnd = {
  ended(how: Ended): void;
  /** Their fate could not be recorded, or the program stumbled. */
  failed(error: unknown): void;
};

/** A request on the lane. */
export type LaneRow = {
  readonly planned: PlannedSend;
  readonly sending: Sending;
  readonly end: RowsEnd;
  readonly context: RunContext;
  /** Its own for each time that it was asked for; `null`: not yet. */
  intent: Intent | null;
  /** The token of the time when its intent was granted. */
  token: string;
  /** When its intent was granted, by the context's clock. */
  grantedAt: number;
};

export function createLaneRow(parts: Omit<LaneRow, 'intent' | 'token' | 'grantedAt'>): LaneRow {
  const { planned, sending, end, context } = parts;
  return { planned, sending, end, context, intent: null, token: '', grantedAt: 0 };
}

/** What a request got that was not simply accepted; `null`: nothing was sent. */
export type LaneAnswer = { readonly verdict: Verdict; readonly reply: Reply } | null;

/**
 * Takes a row that leaves the lane to its end: it waits, tries again, or is settled as what it was answered.
 * Resolves as soon as it is known what its answer means for others: the weather is told, or the run is paused (but for 403, which is
 * weighed with those before it). Never rejects.
 */
export async function goOnAlone(row: LaneRow, answer: LaneAnswer): Promise<void> {
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

async function settled(row: LaneRow, tried: Promise<Tried>, startedAt: number): Promise<Ended> {
  const { planned, sending, context } = row;
  const sent = await goOnSending(await tried, sending, { context, startedAt });
  if (sent.kind === 'unsent') return 'unsent';
  return settleSent(sentRows(planned, sent.end, { expected: sent.mark, taker: sending.taker }), context);
}

async function weighed(
  { sending, context, intent, token }: LaneRow,
  { verdict, reply }: NonNullable<LaneAnswer>,
): Promise<Tried> {
  if (intent === null) throw new Error('a row was answered that had no intent');
  return weigh(sending, context, { verdict, reply, intent, token });
}
