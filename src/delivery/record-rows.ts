import pRetry from 'p-retry';
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
    await Promise.all(rows.map((row) => recordLater(row, context, error)));
  }
}

async function recordLater(row: SettledRow, context: RunContext, first: unknown): Promise<void> {
  const tell = (error: unknown) =>
    context.onTrouble(
      'an outcome could not be recorded yet',
      error instanceof Error ? error : new Error(String(error)),
    );
  tell(first);
  await pRetry(() => context.ledger.settle(row), {
    retries: RECORD_ATTEMPTS,
    maxTimeout: RECORD_PAUSE_MAX_MS,
    minTimeout: 250,
    // Spread, so that a row that Redis refuses does not take the same others with it again and again.
    randomize: true,
    onFailedAttempt: ({ error }) => tell(error),
  });
}
