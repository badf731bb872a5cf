/** The runs that there are for the page, newest first: a bounded number of them is looked through for those that are asked for. */
import type { RunsFound, RunsPart } from '../web/runs.tsx';
import type { Desk } from './desk.ts';
import { briefsOf, lineOf } from './run-lines.ts';

const RUNS_A_PAGE = 50;
/** Looked through for runs of a state or job; who wants more goes on from there. */
const LOOKED_THROUGH = 1_000;
const AT_ONCE = 100;

export function createRunsPart({ ledger }: Pick<Desk, 'ledger'>): RunsPart {
  return {
    async runs({ state, job, skipped }): Promise<RunsFound> {
      const found: RunsFound['runs'][number][] = [];
      let at = skipped;
      while (at < skipped + LOOKED_THROUGH) {
        const newest = await ledger.index.latest(AT_ONCE, at);
        const briefs = await briefsOf(ledger, newest);
        for (const run of briefs) {
          const isAsked = (state === null || run.state === state) && (job === '' || run.job === job);
          if (!isAsked) continue;
          if (found.length === RUNS_A_PAGE) {
            const last = newest.findIndex(({ run: id }) => id === run.id);
            return { runs: found, next: at + last };
          }
          found.push(lineOf(run, Date.now()));
        }
        at += newest.length;
        if (newest.length < AT_ONCE) return { runs: found, next: null };
      }
      return { runs: found, next: at };
    },
  };
}
