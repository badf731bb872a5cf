/**
 * Whether the run still runs, for waiting rows: it only saves vain waiting, since whether a row may
 * go is the ledger's decision. And how long rows wait for the service before their run pauses.
 */

import { awayMsOf } from '../config/send-settings.ts';
import type { Granted } from '../engine/ledger/intent.ts';
import { messageOf } from '../lib/errors.ts';
import { sleep } from '../lib/waiting.ts';
import type { RunContext } from './run-context.ts';

const LOOK_MS = 1_000;
/** Between two looks of a waiting row: shorter than an answer lives, so every row sees it. */
const PIECE_MS = 500;

/** Never waits for the answer, and is true as long as nothing else is known. */
export function createStillRuns(readState: () => Promise<string | null>, now: () => number): () => boolean {
  let runs = true;
  let knownAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  const look = async () => {
    isLooking = true;
    // A missing record may be put back right now.
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

/** Waits `ms`; false: the run or the process ends. */
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

/** A person may have lifted the hold. */
const ASK_AGAIN_MS = 30_000;

/**
 * Waits before the ledger is asked for an intent again; false: the run or the process ends. A hold
 * beyond the run's patience pauses the run, so that a person sees it.
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
