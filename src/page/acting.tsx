/**
 * What an operator does with a run: asked for by a form, confirmed where it can't be taken back, and answered by a page that says what was
 * done. Nothing is done here: each is an ask of the process that can.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Ask, AskAnswer } from '../model/ask.ts';
import { countSettled, OUTCOMES, type Outcome, type OutcomeCounts } from '../model/outcome.ts';
import { runStateSchema } from '../model/run.ts';
import type { Reply, Route, Visit } from '../web/visit.ts';
import { decisionsIn } from './decisions.ts';
import type { Desk } from './desk.ts';
import { answerDoubts } from './doubts.tsx';
import { rowNumber } from './run-rows.ts';

export type ActingPart = {
  /** What a person is told before a run is given up or its rows are sent again; `null`: there is no such run. */
  standingOf(run: string): Promise<RunStanding | null>;
};

export type RunStanding = {
  readonly run: string;
  readonly job: string;
  readonly state: string;
  readonly rows: number;
  readonly outcomes: OutcomeCounts;
};

/** The outcomes whose rows may be sent again. */
const AGAIN: readonly Outcome[] = ['rejected', 'failed', 'denied', 'invalid', 'cancelled'];

export const actingRoutes: readonly Route<ActingPart & Desk>[] = [
  { method: 'GET', path: '/runs/:id/cancel', role: 'operator', answer: confirmCancel },
  { method: 'GET', path: '/runs/:id/rerun', role: 'operator', answer: confirmRerun },
  { method: 'POST', path: '/runs/:id/pause', role: 'operator', answer: control('pause') },
  { method: 'POST', path: '/runs/:id/resume', role: 'operator', answer: control('resume') },
  { method: 'POST', path: '/runs/:id/cancel', role: 'operator', answer: control('cancel') },
  { method: 'POST', path: '/runs/:id/rerun', role: 'operator', answer: rerun },
  { method: 'POST', path: '/runs/:id/resolve', role: 'operator', answer: resolve },
  { method: 'POST', path: '/runs/:id/look-up', role: 'operator', answer: lookUp },
];

const NO_RUN = { kind: 'missing', words: 'There is no such run.' } as const;

export const STANDS_ALONE = 'This page stands alone, and can do nothing: the page of `onboard start` can.';

function seenIn(form: URLSearchParams) {
  const seen = runStateSchema.safeParse(form.get('seen'));
  return seen.success ? seen.data : null;
}

function control(kind: 'pause' | 'resume' | 'cancel') {
  return async (visit: Visit<ActingPart>): Promise<Reply> => {
    const { params, form } = visit;
    const run = params.id ?? '';
    const seen = seenIn(form);
    if (seen === null)
      return refused(run, ['The form does not say which state the page showed: load it again.']);
    const why = (form.get('why') ?? '').trim();
    return carriedOut(visit, kind === 'resume' ? { kind, run, seen } : { kind, run, seen, why });
  };
}

async function rerun(visit: Visit<ActingPart>): Promise<Reply> {
  const { params, form } = visit;
  const only = AGAIN.filter((outcome) => form.getAll('only').includes(outcome));
  const cause = form.get('cause');
  return carriedOut(visit, {
    kind: 'rerun',
    run: params.id ?? '',
    only,
    cause: cause === '' ? null : cause,
    isCorrected: form.get('as') === 'now',
  });
}

/** One row is settled in the flow of rows in doubt, and the next one comes up; many come from a file, and are told by a page. */
async function resolve(visit: Visit<ActingPart & Desk>): Promise<Reply> {
  const { params, form, page, visitor } = visit;
  const run = params.id ?? '';
  const doubts = `/runs/${encodeURIComponent(run)}/doubts`;
  const decided = decisionsIn(form);
  if (form.get('row') === null)
    return decided.kind === 'problems'
      ? refused(run, decided.problems)
      : carriedOut(visit, { kind: 'resolve', run, decisions: [...decided.decisions] }, doubts);
  const again = (problems: readonly string[]) =>
    answerDoubts(visit, { problems, id: (form.get('id') ?? '').trim() });
  if (decided.kind === 'problems') return again(decided.problems);
  if (page.ask === null) return refused(run, [STANDS_ALONE]);
  const answer = await page.ask({ kind: 'resolve', run, decisions: [...decided.decisions] }, visitor);
  if (answer.kind === 'refused') return again(answer.problems);
  if (answer.kind === 'moved-on') return told(run, answer, undefined);
  const next = rowNumber(form.get('next') ?? '');
  return { kind: 'redirect', to: next === null ? doubts : `${doubts}?row=${next}` };
}

async function lookUp(visit: Visit<ActingPart>): Promise<Reply> {
  const run = visit.params.id ?? '';
  return carriedOut(visit, { kind: 'look-up', run }, `/runs/${run}/doubts`);
}

/** Asks, and answers with the page that says what came of it. */
async function carriedOut(
  { page, visitor, params }: Visit<ActingPart>,
  ask: Ask,
  next?: string,
): Promise<Reply> {
  const run = params.id ?? '';
  if (page.ask === null) return refused(run, [STANDS_ALONE]);
  return told(run, await page.ask(ask, visitor), next);
}

export function told(run: string, answer: AskAnswer, next: string | undefined): Reply {
  switch (answer.kind) {
    case 'done':
      return said('Done', [answer.words], next ?? `/runs/${encodeURIComponent(answer.run ?? run)}`, 200);
    case 'refused':
      return refused(run, answer.problems);
    case 'moved-on':
      return said(
        'Somebody was faster',
        [
          `The run is ${answer.state} by now: nothing was done. Look at it, and ask again if it is still wanted.`,
        ],
        `/runs/${encodeURIComponent(run)}`,
        409,
      );
    default:
      return answer satisfies never;
  }
}

export function refused(run: string, problems: readonly string[]): Reply {
  return said('Not done', problems, `/runs/${encodeURIComponent(run)}`, 409);
}

function said(title: string, words: readonly string[], to: string, status: 200 | 409): Reply {
  return {
    kind: 'page',
    title,
    status,
    body: (
      <>
        <h1>{title}</h1>
        {words.map((one) => (
          <p>
            <Text of={one} bytes={1_500} />
          </p>
        ))}
        <p>
          <a href={to} class="btn go">
            Go on
          </a>
        </p>
      </>
    ),
  };
}

async function confirmCancel({ params, page }: Visit<ActingPart>): Promise<Reply> {
  const standing = await page.standingOf(params.id ?? '');
  if (standing === null) return NO_RUN;
  const { run, job, rows, outcomes, state } = standing;
  const settled = countSettled(outcomes);
  return {
    kind: 'page',
    title: 'Cancel the run?',
    body: (
      <>
        <h1>Cancel the run?</h1>
        <p>
          {`${numberShown(settled)} of ${countOf(rows, 'row')} have their outcome and keep it. The other ${numberShown(rows - settled)} are not sent and become "cancelled"; a re-run can send them later.`}
        </p>
        <p class="dim">
          <Text of={`${job}, run ${run}`} /> This can't be taken back.
        </p>
        <form method="post" action={`/runs/${encodeURIComponent(run)}/cancel`} class="acts">
          <input type="hidden" name="seen" value={state} />
          <label>
            Why <input name="why" maxlength={200} size={40} />
          </label>{' '}
          <button type="submit" class="danger">
            Cancel the run
          </button>{' '}
          <a href={`/runs/${encodeURIComponent(run)}`}>Leave it as it is</a>
        </form>
      </>
    ),
  };
}

function rowsNamed(count: string | null): string {
  return count !== null && /^[1-9]\d{0,14}$/.test(count) ? countOf(Number(count), 'row') : 'Rows';
}

async function confirmRerun({ params, query, page }: Visit<ActingPart>): Promise<Reply> {
  const standing = await page.standingOf(params.id ?? '');
  if (standing === null) return NO_RUN;
  const { run, job, outcomes } = standing;
  const there = OUTCOMES.filter((outcome) => AGAIN.includes(outcome) && outcomes[outcome] > 0);
  const cause = query.get('cause') ?? '';
  const only = query.get('only');
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
        {there.length === 0 ? (
          <p>No row of this run can be sent again.</p>
        ) : (
          <form method="post" action={`/runs/${encodeURIComponent(run)}/rerun`}>
            <input type="hidden" name="cause" value={cause} />
            {cause === '' ? (
              there.map((outcome) => (
                <p>
                  <label>
                    <input
                      type="checkbox"
                      name="only"
                      value={outcome}
                      checked={only === null || only === outcome}
                    />{' '}
                    {`${countOf(outcomes[outcome], 'row')} ${outcome}`}
                  </label>
                </p>
              ))
            ) : (
              <p>
                <input type="hidden" name="only" value={only ?? ''} />
                {`${rowsNamed(query.get('rows'))} ${only ?? ''}: those with the cause that you came from.`}
              </p>
            )}
            <p>
              <label>
                <input type="radio" name="as" value="then" checked={only !== 'invalid'} /> through the job as
                this run had it
              </label>
              <br />
              <label>
                <input type="radio" name="as" value="now" checked={only === 'invalid'} /> through the job as
                it is now, where it was corrected since
              </label>
            </p>
            <p class="acts">
              <button type="submit" class="go">
                Send them again
              </button>
              <a href={`/runs/${encodeURIComponent(run)}`}>Leave it as it is</a>
            </p>
          </form>
        )}
        <p class="dim">
          <Text of={`${job}, run ${run}`} />
        </p>
      </>
    ),
  };
}
