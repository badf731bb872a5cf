import type { RunStore } from '../ledger/run-store.ts';
import { settledRows } from '../model/outcome.ts';

/** Tells a watcher that sends nothing itself, once a minute, that nothing moves. */
export type StallNotice = {
  /** Looks at most once a minute. */
  look(): Promise<void>;
};

const EVERY_MS = 60_000;
/** Until a file that was just claimed has its run. */
const BEGIN_MS = 5_000;
const RUNS_MAX = 200;

type StallEdges = {
  /** Where the runs that are under way stand; empty: there is none. */
  standing(): Promise<string>;
  tell(text: string): void;
  now(): number;
};

export function createStallNotice({ standing, tell, now }: StallEdges): StallNotice {
  let dueAt = Number.NEGATIVE_INFINITY;
  let before = '';
  return {
    async look() {
      if (now() < dueAt) return;
      const current = await standing();
      dueAt = now() + (current === '' ? BEGIN_MS : EVERY_MS);
      if (current !== '' && current === before) tell(STALLED);
      before = current;
    },
  };
}

const STALLED =
  'Nothing has moved for a minute: rows wait for a worker. Start one with `onboard work`; `onboard status` says where things stand.';

/** How many rows of each run that is under way have their outcomes. */
export async function standingOf(store: RunStore): Promise<string> {
  const runs = await store.list(RUNS_MAX);
  const under = runs.filter(({ state }) => state === 'queued' || state === 'running');
  return under.map(({ id, rows, outcomes }) => `${id} ${settledRows(outcomes)}/${rows}`).join('\n');
}
