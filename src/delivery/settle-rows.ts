/**
 * Records what became of a request, for all of its rows at once, before anything else happens to
 * them; the ledger keeps each row's first definite outcome. Requests that end within a few
 * milliseconds are recorded together, with the sender's next exchange if there is one. A Redis that
 * refuses to record is asked again for about ten minutes; after that the rows may be in doubt.
 */

import pRetry from 'p-retry';
import type { MarkedRow } from '../ledger/intent.ts';
import {
  areFieldsKnown,
  type FieldsChange,
  fieldsUnderWay,
  type SettledRow,
} from '../ledger/settle-entry.ts';
import { errorOf } from '../lib/errors.ts';
import { leavesAsItWas, wasAccepted } from '../model/outcome.ts';
import type { Planned, PlannedSend } from './decide.ts';
import { type RowEnd, settledRow } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { endSending, failSending, type Sending } from './sending.ts';

type Batch = { readonly requests: readonly Sending[]; readonly settled: readonly SettledRow[] };

export type Settling = {
  settle(sending: Sending, end: RowEnd): void;
  /** The waiting batch, for an exchange that takes it along; then call `record`. */
  take(): Batch;
  /** Ends the batch's requests once the command that is under way has recorded them. */
  record(batch: Batch, sent: Promise<unknown>): void;
  /** Before trouble is reported: answers from before must not count as part of it. */
  flush(): void;
};

/**
 * The longest that an outcome waits: until it is journaled, a kill leaves its row in doubt. As long
 * as the sender takes between exchanges, so that no outcome needs a command of its own.
 */
const AT_MOST_MS = 20;
const ENOUGH = 100;

export function createSettling(context: RunContext): Settling {
  let requests: Sending[] = [];
  let settled: SettledRow[] = [];
  let timer: NodeJS.Timeout | null = null;

  const take = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const batch = { requests, settled };
    requests = [];
    settled = [];
    return batch;
  };
  const record: Settling['record'] = (batch, sent) => void recordBatch(batch, context, sent);
  const flush = () => {
    const batch = take();
    if (batch.requests.length > 0) record(batch, context.ledger.settleAll(batch.settled));
  };
  return {
    take,
    record,
    flush,
    settle(sending, end) {
      sending.state = 'settling';
      requests.push(sending);
      for (const row of sentRows(sending, end)) settled.push(row);
      if (requests.length >= ENOUGH) flush();
      else timer ??= setTimeout(flush, AT_MOST_MS);
    },
  };
}

async function recordBatch(
  { requests, settled }: Batch,
  context: RunContext,
  sent: Promise<unknown>,
): Promise<void> {
  try {
    await recordAtOnce(settled, context, sent);
    for (const sending of requests) endSending(sending, 'settled');
  } catch (error) {
    for (const sending of requests) failSending(sending, error);
  }
}

function sentRows(sending: Sending, end: RowEnd): readonly SettledRow[] {
  const { plan, mark, take } = sending;
  const whole = plan.warnings === undefined ? end : { ...end, warnings: plan.warnings };
  const fields = fieldsAfter(plan, end, take.taker);
  return rowsEnding(sending, fields === null ? whole : { ...whole, fields }, mark);
}

/** The first row with its own mark and key, the others with the same mark: recorded together. */
export function rowsEnding(
  { lead, mates, ends, warnings }: Planned,
  end: RowEnd,
  mark?: string,
): SettledRow[] {
  // Most requests have one row.
  if (mates.length === 0 && ends === undefined && warnings === undefined)
    return [settledRow(lead, end, mark ?? lead.foundMark)];
  return [lead, ...mates].map((task) => {
    const { row } = task.row;
    const own = ends?.get(row) ?? end;
    const seen = warnings?.get(row);
    const whole = seen === undefined || mark === undefined ? own : { ...own, warnings: seen };
    const kept = settledRow(task, task === lead ? whole : withoutFields(whole), mark ?? lead.foundMark);
    return task === lead ? kept : { ...kept, lead: lead.row.row };
  });
}

/** The record's fields are recorded once. */
function withoutFields({ fields, ...end }: RowEnd): RowEnd {
  return end;
}

/** What is known of the record's fields afterwards; `null`: nothing. */
function fieldsAfter(
  { fields }: PlannedSend['plan'],
  { outcome, attempts = 0 }: RowEnd,
  taker: string,
): FieldsChange | null {
  if (fields === undefined) return null;
  const { space, key, form, before, after } = fields;
  const change = { space, key, form, before: fieldsUnderWay(taker) };
  if (wasAccepted(outcome)) return { ...change, after };
  // Before a refusal, an earlier attempt may have been carried out.
  const isUntouched = leavesAsItWas(outcome) && attempts === 1;
  return isUntouched ? { ...change, after: areFieldsKnown(before) ? before : '' } : null;
}

/** About ten minutes; after that the BullMQ job fails and is tried again. */
const RECORD_ATTEMPTS = 120;
const RECORD_PAUSE_MAX_MS = 5_000;

/** A single row travels with others of the same turn of the event loop. */
export async function recordRows(rows: readonly SettledRow[], context: RunContext): Promise<void> {
  const [first, ...others] = rows;
  if (first === undefined || others.length > 0) return recordAtOnce(rows, context);
  context.meter.recorded(context.run.job, rows);
  await context.ledger.settle(first).catch((error: unknown) => recordLater(first, context, error));
}

/** In a command of their own, before anything asked for later; `sent`: in one under way. */
async function recordAtOnce(
  rows: readonly SettledRow[],
  context: RunContext,
  sent: Promise<unknown> = context.ledger.settleAll(rows),
): Promise<void> {
  context.meter.recorded(context.run.job, rows);
  try {
    await sent;
  } catch (error) {
    // One by one, and all of them: a row that Redis refuses must not hold the others back.
    const tries = await Promise.allSettled(rows.map((row) => recordLater(row, context, error)));
    for (const tried of tries) if (tried.status === 'rejected') throw tried.reason;
  }
}

/** With the same patience: an intent that stays puts a row in doubt that was never received. */
export async function withdrawIntents(intents: readonly MarkedRow[], context: RunContext): Promise<void> {
  const withdraw = () => Promise.all(intents.map(context.ledger.withdraw));
  await withdraw().catch((error: unknown) =>
    untilRecorded('an intent could not be taken back yet', withdraw, { context, first: error }),
  );
}

function recordLater(row: SettledRow, context: RunContext, first: unknown): Promise<void> {
  return untilRecorded('an outcome could not be recorded yet', () => context.ledger.settle(row), {
    context,
    first,
  });
}

async function untilRecorded(
  what: string,
  record: () => Promise<unknown>,
  { context, first }: { readonly context: RunContext; readonly first: unknown },
): Promise<void> {
  const tell = (error: unknown) => context.onTrouble(what, errorOf(error));
  tell(first);
  await pRetry(record, {
    retries: RECORD_ATTEMPTS,
    maxTimeout: RECORD_PAUSE_MAX_MS,
    minTimeout: 250,
    // Spread, so that a row that Redis refuses doesn't take the same others with it every time.
    randomize: true,
    onFailedAttempt: ({ error }) => tell(error),
  });
}
