import type { RunStore } from '../ledger/run-store.ts';
import { sleep } from '../lib/waiting.ts';
import type { Run } from '../model/run.ts';

const POLL_MS = 100;

/**
 * The process that reads the run's rows, once it has shown that it still does by renewing its lease; `null` where nobody does.
 * To be asked after the run was set running: one that was about to leave a paused run doesn't renew any more.
 */
export async function ownerOf(
  { id }: Pick<Run, 'id'>,
  store: Pick<RunStore, 'leaseOf'>,
  interrupted: AbortSignal,
): Promise<string | null> {
  let last = await store.leaseOf(id);
  while (last !== null && !interrupted.aborted) {
    await sleep(POLL_MS, interrupted);
    const lease = await store.leaseOf(id);
    if (lease !== null && lease.ms > last.ms) return lease.holder;
    last = lease;
  }
  return last?.holder ?? null;
}
