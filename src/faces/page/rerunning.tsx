/**
 * Before rows are sent again: how many would be invalid again, by the job as the run had it and as
 * it is now. Keys and references are looked up when they go: of those nothing is foretold.
 */
import { type JobDefinition, operationOf } from '../../config/job-definition.ts';
import { listJobs, loadJob } from '../../config/load-job.ts';
import { definitionProblems, mappingOfRun } from '../../delivery/run-mapping.ts';
import { createRunView } from '../../engine/ledger/run-view.ts';
import { batchesOf } from '../../lib/batches.ts';
import { Text } from '../../lib/html-text.tsx';
import { countOf } from '../../lib/terminal.ts';
import type { RightCell } from '../../model/issue.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import { isAdoption } from '../../operations/operations.ts';
import type { OpenRow } from '../../runs/account.ts';
import { RERUN_OUTCOMES } from '../../runs/rerun.ts';
import { definitionOf } from '../../runs/status.ts';
import type { Reply } from '../web/visit.ts';
import { Choice, Confirm } from './acting.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { rowsOfCause } from './row-search.ts';
import { ofRun } from './rows.tsx';
import { runPath } from './runs.tsx';

export const rerunningRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/rerun', role: 'operator', answer: ofRun(confirmRerun) },
];

/** As long as a person waits for an answer. */
const LONGEST_MS = 2_000;

async function confirmRerun(run: Run, { query, page }: PageVisit): Promise<Reply> {
  const open = (await page.openRowsOf(run)).filter(({ last }) => last.run === run.id);
  const countOfThose = (outcome: string) => open.filter(({ last }) => last.outcome === outcome).length;
  const there = RERUN_OUTCOMES.filter((outcome) => countOfThose(outcome) > 0);
  const cause = query.get('cause') ?? '';
  const only = query.get('only');
  const outcomes = new Set<Outcome>(there.filter((outcome) => only === null || outcome === only));
  const rows = cause === '' ? null : await rowsOfCause(page, run, cause, page.digests);
  const jobs = await listJobs(page.env.jobsDirectory);
  const chosen = chosenOf(open, { outcomes, rows });
  const { own, current } = await foresee(run, chosen, page);
  return {
    kind: 'page',
    title: 'Send rows again?',
    body: (
      <>
        <h1>Send rows again?</h1>
        <p>
          They become a run of their own. Rows that an earlier re-run has taken are left out, and rows in
          doubt too: settle those first.
        </p>
        {chosen.length === 0 ? (
          <p>
            {cause === '' ? 'No row of this run' : 'No row of this cause'} is left to be sent again: they were
            sent again, corrected or written off. <a href={runPath(run.id)}>Back to the run</a>
          </p>
        ) : (
          <Confirm run={run} action="/rerun" go="Send them again">
            <input type="hidden" name="cause" value={cause} />
            {cause === '' ? (
              there.map((outcome) => (
                <Choice
                  type="checkbox"
                  name="only"
                  value={outcome}
                  checked={outcomes.has(outcome)}
                  words={`${countOf(countOfThose(outcome), 'row')} ${outcome}`}
                />
              ))
            ) : (
              <p>
                <input type="hidden" name="only" value={only ?? ''} />
                {`${countOf(chosen.length, 'row')} ${only ?? ''}: those with the cause that you came from.`}
              </p>
            )}
            <Way as="then" only={only} words="through the job as this run had it" again={own} />
            {isAdoption(run.operation) ? null : (
              <Way
                as="now"
                only={only}
                words="through the job as it is now, where it was corrected since"
                again={current}
              />
            )}
            {jobs.includes(run.job) ? (
              <p>
                <a href={`/jobs/${encodeURIComponent(run.job)}/change?run=${run.id}`}>
                  Correct the job first
                </a>
              </p>
            ) : null}
          </Confirm>
        )}
      </>
    ),
  };
}

type Chosen = { readonly outcomes: ReadonlySet<string>; readonly rows: ReadonlySet<number> | null };

/** The numbers of open rows that stand in this run. */
function chosenOf(own: readonly OpenRow[], { outcomes, rows }: Chosen): readonly number[] {
  const meant = own.filter(({ row, last }) => outcomes.has(last.outcome) && rows?.has(row) !== false);
  return meant.map(({ row }) => row);
}

const ROWS_AT_ONCE = 100;

/** Where rows go in groups, or a job can't be used, nothing is foretold: `null`. */
async function foresee(run: Run, rows: readonly number[], page: PageContext) {
  const { clock, env, ledger } = page;
  const { keys, store } = ledger.of(run.target);
  const said = { run, right: (await store.termsOf(run.id)).right, digest: keys.sealing.digest };
  const loaded = loadJob(run.job, env.jobsDirectory, definitionProblems);
  const current = await loaded.then(({ definition }) => counterOf(definition, said)).catch(() => null);
  const own = counterOf(await definitionOf(run, ledger), said);
  const view = createRunView(ledger.redis, keys, run);
  const until = clock.now() + LONGEST_MS;
  let looked = 0;
  for (const batch of batchesOf(rows, ROWS_AT_ONCE)) {
    const sources = await view.sources(batch);
    looked += sources.size;
    for (const row of sources.values()) for (const counter of [own, current]) counter?.see(row);
    if (clock.now() > until) break;
  }
  return { looked, own: own?.told(looked) ?? null, current: current?.told(looked) ?? null };
}

type Foretold = { readonly isBad: boolean; readonly words: string };

type Said = {
  readonly run: Run;
  readonly right: readonly RightCell[];
  readonly digest: Parameters<typeof mappingOfRun>[2];
};

function counterOf(definition: JobDefinition, { run, right, digest }: Said) {
  if (definition.group !== undefined || operationOf(definition) !== run.operation) return null;
  const { map } = mappingOfRun(definition, { ...run, right }, digest);
  const causes = new Map<string, number>();
  let invalid = 0;
  return {
    see(row: Parameters<typeof map>[0]) {
      const mapped = map(row);
      if (mapped.kind === 'mapped') return;
      invalid += 1;
      const named = mapped.issues.map(({ code, column }) =>
        column === null ? code : `${code} in “${column}”`,
      );
      for (const cause of named) causes.set(cause, (causes.get(cause) ?? 0) + 1);
    },
    told(looked: number): Foretold {
      const of = `of the ${countOf(looked, 'row')} looked at`;
      if (invalid === 0) return { isBad: false, words: `None ${of} would be invalid by its cells.` };
      const commonest = [...causes].toSorted(([, a], [, b]) => b - a).slice(0, CAUSES_TOLD);
      const named = commonest.map(([cause, n]) => `${n} × ${cause}`).join(', ');
      return { isBad: true, words: `✗ ${invalid} ${of} would be invalid again: ${named}` };
    },
  };
}

const CAUSES_TOLD = 3;

type WayProps = {
  readonly as: 'then' | 'now';
  readonly only: string | null;
  readonly words: string;
  /** `null`: nothing is foretold. */
  readonly again: Foretold | null;
};

function Way({ as, only, words, again }: WayProps) {
  return (
    <>
      <Choice
        type="radio"
        name="as"
        value={as}
        checked={(as === 'now') === (only === 'invalid')}
        words={words}
      />
      {again === null ? null : (
        <p class={again.isBad ? 'bad' : 'dim'}>
          <Text of={again.words} bytes={600} />
        </p>
      )}
    </>
  );
}
