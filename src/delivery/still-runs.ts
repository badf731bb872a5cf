/**
 * Whether the run still runs, for rows that wait: asked of Redis once a second at most for all of them. It saves vain waiting; whether a row
 * may go is decided by the ledger alone, when it grants the intent. And how long rows wait for the service before their run pauses.
 */

import { awayMsOf } from '../config/send-settings.ts';
import type { Granted } from '../ledger/intent.ts';
import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/waiting.ts';
import type { RunContext } from './run-context.ts';

/** How old the answer to a look at the run may be, whoever asked for it. */
const LOOK_MS = 1_000;
/** Between two questions of a row that waits: shorter than an answer lives, so that every row hears of it. */
const PIECE_MS = 500;

/**
 * Tells whether the run still runs, without waiting for the answer: at most one look a second, shared by all rows.
 * True as long as nobody knows better; whether a row may go is the ledger's to say.
 */
export function createStillRuns(readState: () => Promise<string | null>, now: () => number): () => boolean {
  let runs = true;
  let knownAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  const look = async () => {
    isLooking = true;
    // A record that is missing may be put back right now.
    const state = await readState().catch(() => null);
    runs = state === null || state === 'running';
    knownAt = now();
    isLooking = false;
  };
  return () => {
    if (!isLooking && now() - knownAt >= LOOK_MS) {
      // The run may have been resumed since.
      runs = true;
      void look();
    }
    return runs;
  };
}

/** Waits `ms` as long as the run runs and the process goes on; false: one of them does not. */
export async function waitWhileRunning(
  ms: number,
  { stillRuns, stopping, now }: Pick<RunContext, 'stillRuns' | 'stopping' | 'now'>,
): Promise<boolean> {
  const due = now() + ms;
  for (;;) {
    if (stopping.aborted || !stillRuns()) return false;
    const left = due - now();
    if (left <= 0) return true;
    await sleep(Math.min(left, PIECE_MS), stopping);
  }
}

/** A person may have lifted the hold that rows wait for. */
const ASK_AGAIN_MS = 30_000;

/**
 * Waits before the ledger is asked for an intent again; false: the run or the process ends. A hold that the service has asked for and that
 * is longer than the run has patience for is not waited for: it pauses the run, so that a person hears of it.
 */
export async function waitForService(
  { ms, isHold }: Omit<Extract<Granted, { kind: 'wait' }>, 'kind'>,
  context: RunContext,
): Promise<boolean> {
  if (isHold && ms > awayMsOf(context.definition)) {
    try {
      await context.pause('service-hold');
      return false;
    } catch (error) {
      context.onTrouble('the run could not be paused', new Error(messageOf(error)));
    }
  }
  return waitWhileRunning(Math.min(ms, ASK_AGAIN_MS), context);
}
