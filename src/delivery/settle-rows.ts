/**
 * Records how rows end, those of a request at once, and together with others that end within a few
 * milliseconds: by the sender's next exchange if there is one. A Redis that refuses is asked again
 * for about ten minutes; after that the rows may be in doubt.
 */

import pRetry from 'p-retry';
import type { MarkedRow } from '../engine/ledger/intent.ts';
import {
  areFieldsKnown,
  type FieldsChange,
  fieldsUnderWay,
  type SettledRow,
  type Streak,
} from '../engine/ledger/settle-entry.ts';
import { leavesAsItWas, wasAccepted } from '../model/outcome.ts';
import { type RowEnd, type RowTask, settledRow } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { type Ending, endSending, failSending, type Sending } from './sending.ts';

type Batch = { readonly endings: readonly Ending[]; readonly settled: readonly SettledRow[] };

type Beside = {
  readonly ends?: ReadonlyMap<number, RowEnd> | undefined;
  /** Of the record, once the service has accepted it; left out: not known. */
  readonly content?: string;
  /** The record's, from now on. */
  readonly fields?: FieldsChange | null;
  readonly streak?: Streak | null;
};

export type Settling = {
  /** All rows of the request end so, but those of `ends`. */
  settle(ending: Ending, end: RowEnd, beside?: Beside): void;
  /** The waiting batch, for an exchange that takes it along; then call `record`. */
  take(): Batch;
  /** Tells the batch's ends once the command that is under way has recorded them. */
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
  let endings: Ending[] = [];
  let settled: SettledRow[] = [];
  let timer: NodeJS.Timeout | null = null;

  const take = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const batch = { endings, settled };
    endings = [];
    settled = [];
    return batch;
  };
  const record = async (batch: Batch, sent: Promise<unknown>) => {
    try {
      await recordBatch(batch.settled, sent, context);
      for (const ending of batch.endings) endSending(ending, 'settled');
    } catch (error) {
      for (const ending of batch.endings) failSending(ending, error);
    }
  };
  const flush = () => {
    const batch = take();
    if (batch.endings.length > 0) void record(batch, context.ledger.settleAll(batch.settled));
  };
  return {
    take,
    record,
    flush,
    settle(ending, end, { ends, content, fields, streak = null } = {}) {
      const { task, mark } = ending;
      const endOf = ({ row }: RowTask) => ends?.get(row.row) ?? end;
      ending.state = 'settling';
      settled.push(settledRow(task, endOf(task), { mark, content, fields, streak }));
      // The record's fields are recorded once, as its key is.
      for (const member of task.members) {
        const own = settledRow(member, endOf(member), { mark });
        settled.push({ ...own, leader: task.row.row });
      }
      endings.push(ending);
      if (endings.length >= ENOUGH) flush();
      else timer ??= setTimeout(flush, AT_MOST_MS);
    },
  };
}

/** With what looked damaged in rows that were sent. */
export function warnedEnds({ plan }: Sending, end: RowEnd): ReadonlyMap<number, RowEnd> | undefined {
  if (plan.warnings === undefined) return undefined;
  return new Map([...plan.warnings].map(([row, warnings]) => [row, { ...end, warnings }]));
}

/** What the service has of the record's fields now; `null`: they are not followed, or as before. */
export function fieldsAfter(
  { plan: { fields }, take: { fencingToken } }: Sending,
  { outcome, attempts = 0 }: RowEnd,
): FieldsChange | null {
  if (fields === undefined) return null;
  const { space, key, form, before, after, content, contentBefore } = fields;
  const change = { space, key, form, before: fieldsUnderWay(fencingToken) };
  if (wasAccepted(outcome)) return { ...change, after, content };
  // Before a refusal, an earlier attempt may have been carried out.
  const isUntouched = leavesAsItWas(outcome) && attempts === 1;
  if (!isUntouched) return null;
  return { ...change, after: areFieldsKnown(before) ? before : '', content: contentBefore };
}

async function recordBatch(
  rows: readonly SettledRow[],
  sent: Promise<unknown>,
  context: RunContext,
): Promise<void> {
  context.meter.recorded(context.run.job, rows);
  try {
    await sent;
  } catch {
    // One by one, and all of them: a row that Redis refuses must not hold the others back.
    const record = (row: SettledRow) => patiently(NOT_RECORDED, () => context.ledger.settle(row), context);
    const tries = await Promise.allSettled(rows.map(record));
    for (const tried of tries) if (tried.status === 'rejected') throw tried.reason;
  }
}

const NOT_RECORDED = 'an outcome could not be recorded yet';

/** With the same patience: an intent that stays puts a row in doubt that was never received. */
export function withdrawIntents(intents: readonly MarkedRow[], context: RunContext): Promise<unknown> {
  const withdraw = () => Promise.all(intents.map(context.ledger.withdraw));
  return patiently('an intent could not be taken back yet', withdraw, context);
}

/** About ten minutes; after that the BullMQ job fails and is tried again. */
const RECORD_ATTEMPTS = 120;
const RECORD_PAUSE_MAX_MS = 5_000;

function patiently(what: string, work: () => Promise<unknown>, context: RunContext): Promise<unknown> {
  return pRetry(work, {
    retries: RECORD_ATTEMPTS,
    maxTimeout: RECORD_PAUSE_MAX_MS,
    minTimeout: 250,
    // Spread, so that a row that Redis refuses doesn't take the same others with it every time.
    randomize: true,
    onFailedAttempt: ({ error }) => context.onTrouble(what, error),
  });
}
