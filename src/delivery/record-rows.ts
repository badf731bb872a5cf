import pRetry from 'p-retry';
import type { Intent } from '../ledger/intent.ts';
import type { SettledRow } from '../ledger/settle-entry.ts';
import type { RunContext } from './run-context.ts';

/** About ten minutes: a Redis that refuses to record (out of memory) for longer fails the BullMQ job, which is tried again. */
const RECORD_ATTEMPTS = 120;
const RECORD_PAUSE_MAX_MS = 5_000;

/** Outcomes are recorded before anything else happens to their rows; the ledger keeps the first definite one of each. */
export async function recordRows(rows: readonly SettledRow[], context: RunContext): Promise<void> {
  const [first, ...others] = rows;
  if (first === undefined || others.length > 0) return recordAtOnce(rows, context);
  // One alone goes with the others of its turn.
  await context.ledger.settle(first).catch((error: unknown) => recordLater(first, context, error));
}

/** The same in a command of their own, before anything that is asked for afterwards. */
export async function recordAtOnce(rows: readonly SettledRow[], context: RunContext): Promise<void> {
  try {
    await context.ledger.settleAll(rows);
  } catch (error) {
    // Each for itself, and all of them: one that Redis refuses must not leave the others while they are under way.
    const tries = await Promise.allSettled(rows.map((row) => recordLater(row, context, error)));
    for (const tried of tries) if (tried.status === 'rejected') throw tried.reason;
  }
}

/** With the same patience: the intent of a row that was never received would make it in doubt. */
export async function withdrawIntents(intents: readonly Intent[], context: RunContext): Promise<void> {
  const { ledger } = context;
  const [first, ...others] = intents;
  if (first === undefined) return;
  // One alone goes with the others of its turn.
  const withdraw = () => (others.length === 0 ? ledger.withdraw(first) : ledger.withdrawAll(intents));
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
  const tell = (error: unknown) =>
    context.onTrouble(what, error instanceof Error ? error : new Error(String(error)));
  tell(first);
  await pRetry(record, {
    retries: RECORD_ATTEMPTS,
    maxTimeout: RECORD_PAUSE_MAX_MS,
    minTimeout: 250,
    // Spread at first, so that a row that Redis refuses does not take the same others with it again and again.
    randomize: true,
    onFailedAttempt: ({ error }) => tell(error),
  });
}
