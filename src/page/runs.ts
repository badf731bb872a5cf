/** The runs that there are for the page, newest first: a bounded number of them is looked through for those that are asked for. */
import { UsageError } from '../lib/usage-error.ts';
import { findRun } from '../runs/status.ts';
import type { RunLine, RunsAsked, RunsFound, RunsPart } from '../web/runs.tsx';
import type { Desk } from './desk.ts';
import { briefsOf, lineOf } from './run-lines.ts';
import { keyState, knownKey } from './run-rows.ts';

const RUNS_A_PAGE = 50;
/** Looked through for runs of a state or job; who wants more goes on from there. */
const LOOKED_THROUGH = 1_000;
const AT_ONCE = 100;

export function createRunsPart({ ledger, target }: Pick<Desk, 'ledger' | 'target'>): RunsPart {
  /** Those that are as asked for among the ones at these places of the list, each with its place. */
  async function lookAt(
    places: { readonly from: number; readonly count: number },
    { state, job }: RunsAsked,
  ) {
    const newest = await ledger.index.latest(places.count, places.from);
    const found = (await briefsOf(ledger, newest)).filter(
      (run) => (state === null || run.state === state) && (job === '' || run.job === job),
    );
    const placeOf = (id: string) => places.from + newest.findIndex(({ run }) => run === id);
    return { found: found.map((run) => ({ run, place: placeOf(run.id) })), looked: newest.length };
  }

  return {
    async named(text, { role }) {
      const { redis } = ledger;
      const { keys } = ledger.of(target);
      for (const space of role === 'operator' ? (['subclient', 'counterparty'] as const) : []) {
        const [known] = knownKey(space, await keyState({ redis, keys }, space, text));
        if (known !== undefined) return { run: known.run, key: text };
      }
      const run = await findRun(ledger, text).catch((error: unknown) => {
        if (error instanceof UsageError) return null;
        throw error;
      });
      return run === null ? null : { run: run.id, key: null };
    },
    async runs(asked): Promise<RunsFound> {
      const now = Date.now();
      const runs: RunLine[] = [];
      let from = asked.skipped;
      for (
        let looked = AT_ONCE;
        looked === AT_ONCE && from < asked.skipped + LOOKED_THROUGH;
        from += looked
      ) {
        const part = await lookAt({ from, count: AT_ONCE }, asked);
        looked = part.looked;
        const room = RUNS_A_PAGE - runs.length;
        runs.push(...part.found.slice(0, room).map(({ run }) => lineOf(run, now)));
        const further = part.found[room];
        if (further !== undefined) return { runs, next: further.place };
        if (looked < AT_ONCE) return { runs, next: null };
      }
      return { runs, next: from };
    },
  };
}
