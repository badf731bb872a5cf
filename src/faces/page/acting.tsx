/**
 * What an operator does with a run: a form asks for it, a page confirms what can't be taken back or
 * asks why, and the run's page says on top what was done. The process that sends does the work.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from 'hono/jsx';
import { Lines, Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import type { Ask, AskAnswer } from '../../model/ask.ts';
import { countSettled } from '../../model/outcome.ts';
import { type Run, runStateSchema } from '../../model/run.ts';
import type { OpenRow } from '../../runs/account.ts';
import { REPLY_FILE } from '../../runs/reply.ts';
import { Facts, kindWords, Table } from '../../runs/report/html/parts.tsx';
import { approvalFacts } from '../../runs/report/words.ts';
import { RERUN_OUTCOMES } from '../../runs/rerun.ts';
import { reportDirectory } from '../../session.ts';
import type { Reply } from '../web/visit.ts';
import { decisionsIn } from './decisions.ts';
import { answerDoubts, unconfirmed } from './doubts.tsx';
import type { PageRoute, PageVisit } from './page-context.ts';
import { rowsOfCause } from './row-search.ts';
import { namesShown, ofRun } from './rows.tsx';
import { namesOf, openRunRows, rowNumber } from './run-rows.ts';
import { runPath } from './runs.tsx';

export const actingRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id/pause', role: 'operator', answer: ofRun(confirmPause) },
  { method: 'GET', path: '/runs/:id/cancel', role: 'operator', answer: ofRun(confirmCancel) },
  { method: 'GET', path: '/runs/:id/approve', role: 'operator', answer: ofRun(confirmApprove) },
  { method: 'GET', path: '/runs/:id/write-off', role: 'operator', answer: ofRun(confirmWriteOff) },
  { method: 'POST', path: '/runs/:id/write-off', role: 'operator', answer: writeOff },
  { method: 'POST', path: '/runs/:id/pause', role: 'operator', answer: control('pause') },
  { method: 'POST', path: '/runs/:id/resume', role: 'operator', answer: control('resume') },
  { method: 'POST', path: '/runs/:id/approve', role: 'operator', answer: control('approve') },
  { method: 'POST', path: '/runs/:id/cancel', role: 'operator', answer: control('cancel') },
  { method: 'POST', path: '/runs/:id/rerun', role: 'operator', answer: rerun },
  { method: 'POST', path: '/runs/:id/reply', role: 'operator', answer: reply },
  { method: 'POST', path: '/runs/:id/resolve', role: 'operator', answer: resolve },
  { method: 'POST', path: '/runs/:id/look-up', role: 'operator', answer: lookUp },
];

/** As their fields take: Redis computes the digest of what the audit says. */
export const WHY_CHARACTERS = 200;

function control(kind: 'pause' | 'resume' | 'approve' | 'cancel') {
  return async (visit: PageVisit): Promise<Reply> => {
    const { params, form } = visit;
    const run = params.id ?? '';
    const seen = runStateSchema.safeParse(form.get('seen')).data;
    if (seen === undefined)
      return told(
        refusedFor(['The form does not say which state the page showed: load it again.']),
        runPath(run),
      );
    const why = (form.get('why') ?? '').trim().slice(0, WHY_CHARACTERS);
    const plan = form.get('plan') ?? '';
    return carriedOut(visit, { kind, run, seen, why, plan });
  };
}

async function rerun(visit: PageVisit): Promise<Reply> {
  const { params, form } = visit;
  const only = RERUN_OUTCOMES.filter((outcome) => form.getAll('only').includes(outcome));
  const cause = form.get('cause');
  return carriedOut(visit, {
    kind: 'rerun',
    run: params.id ?? '',
    only,
    cause: cause === '' ? null : cause,
    isCorrected: form.get('as') === 'now',
  });
}

async function writeOff(visit: PageVisit): Promise<Reply> {
  const { params, form } = visit;
  const run = params.id ?? '';
  const cause = form.get('cause') || null;
  const rows = form.getAll('rows').flatMap((text) => text.split(/[\s,;]+/).filter((one) => one !== ''));
  const numbers = rows.flatMap((text) => rowNumber(text) ?? []);
  if (cause === null && (numbers.length === 0 || numbers.length < rows.length))
    return told(refusedFor([ROWS_EXPECTED]), runPath(run, '/write-off'));
  const why = (form.get('why') ?? '').slice(0, WHY_CHARACTERS);
  return carriedOut(visit, { kind: 'write-off', run, cause, rows: cause === null ? numbers : [], why });
}

const ROWS_EXPECTED =
  'Expected rows to be ticked, or their numbers where there are more. Nothing was written off.';

/** A settled row is followed by the next in doubt; a page reports rows of a file. */
async function resolve(visit: PageVisit): Promise<Reply> {
  const { params, form } = visit;
  const run = params.id ?? '';
  const doubts = runPath(run, '/doubts');
  const decided = decisionsIn(form);
  if (form.get('row') === null)
    return decided.kind === 'problems'
      ? told(refusedFor(decided.problems), doubts)
      : carriedOut(visit, { kind: 'resolve', run, decisions: [...decided.decisions] }, doubts);
  const again = (refused: { readonly problems: readonly string[]; readonly toType?: string }) =>
    answerDoubts(visit, { ...refused, id: (form.get('id') ?? '').trim() });
  if (decided.kind === 'problems') return again(decided);
  for (const { row, decision } of decided.decisions) {
    const ask = decision.kind === 'created' ? null : await unconfirmed(visit, row);
    if (ask !== null) return again(ask);
  }
  const answer = await askFor(visit, { kind: 'resolve', run, decisions: [...decided.decisions] });
  if (answer.kind === 'refused') return again(answer);
  if (answer.kind === 'moved-on') return told(answer, doubts);
  const next = rowNumber(form.get('next') ?? '');
  return told(answer, doubts, next === null ? doubts : `${doubts}?row=${next}`);
}

async function reply(visit: PageVisit): Promise<Reply> {
  const run = visit.params.id ?? '';
  const answer = await askFor(visit, { kind: 'reply', run, language: visit.form.get('language') ?? '' });
  if (answer.kind !== 'done' || answer.run === null) return told(answer, runPath(run));
  const folder = reportDirectory(visit.page.env, answer.run);
  const title = 'Answer to the partner';
  const body = (
    <>
      <h1>{title}</h1>
      <pre tabindex={0} class="text whole">
        <Lines of={answer.words} bytes={MAIL_BYTES} />
      </pre>
      {existsSync(join(folder, REPLY_FILE)) ? (
        <p>
          <a href={runPath(answer.run, `/files/${REPLY_FILE}`)} class="btn go">
            {REPLY_FILE}
          </a>
        </p>
      ) : null}
      <p>
        <a href={runPath(run)}>Back to the run</a>
      </p>
    </>
  );
  return { kind: 'page', title, body };
}

const MAIL_BYTES = 5_000;

async function lookUp(visit: PageVisit): Promise<Reply> {
  const run = visit.params.id ?? '';
  return carriedOut(visit, { kind: 'look-up', run }, runPath(run, '/doubts'));
}

async function carriedOut(visit: PageVisit, ask: Ask, next?: string): Promise<Reply> {
  return told(await askFor(visit, ask), runPath(visit.params.id ?? ''), next);
}

export async function askFor(
  { page, visitor }: Pick<PageVisit, 'page' | 'visitor'>,
  ask: Ask,
): Promise<AskAnswer> {
  if (page.ask === null) return refusedFor([STANDS_ALONE]);
  const answer = await page.ask(ask, visitor);
  if (answer.kind === 'done') page.acted();
  return answer;
}

const STANDS_ALONE = 'This page stands alone, and can do nothing: the page of `onboard start` can.';

export function refusedFor(problems: readonly string[]): AskAnswer {
  return { kind: 'refused', problems: [...problems] };
}

/** Done: on to `next`, or to where it shows, which tells it on top. Else a page says why. */
export function told(answer: AskAnswer, back: string, next?: string): Reply {
  switch (answer.kind) {
    case 'done': {
      const to = next ?? (answer.run === null ? back : runPath(answer.run));
      return { kind: 'redirect', to, said: answer.words };
    }
    case 'refused':
      return notDone('Not done', answer.problems, back);
    case 'moved-on':
      return notDone('Somebody was faster', [movedOn(answer.state)], back);
    default:
      return answer satisfies never;
  }
}

function movedOn(state: string): string {
  return `The run is ${state} by now: nothing was done. Look at it, and ask again if it is still wanted.`;
}

function notDone(title: string, words: readonly string[], back: string): Reply {
  return {
    kind: 'page',
    title,
    status: 409,
    body: (
      <>
        <h1>{title}</h1>
        {words.map((one) => (
          <p>
            <Prose of={one} bytes={1_500} />
          </p>
        ))}
        <p>
          <a href={back} class="btn go">
            Back
          </a>
        </p>
      </>
    ),
  };
}

type ConfirmProps = {
  readonly run: Run;
  /** Below the run's path. */
  readonly action: string;
  readonly go: string;
  readonly tone?: 'go' | 'danger';
  readonly children?: Child;
};

export function Confirm({ run: { id, job }, action, go, tone = 'go', children }: ConfirmProps) {
  return (
    <form method="post" action={runPath(id, action)}>
      {children}
      <p class="acts">
        <button type="submit" class={tone}>
          {go}
        </button>
        <a href={runPath(id)}>Leave it as it is</a>
      </p>
      <p class="dim">
        <Text of={`${job}, run ${id}`} />
      </p>
    </form>
  );
}

async function confirmApprove(run: Run): Promise<Reply> {
  const title = `Send ${countOf(run.checked?.sendable ?? 0, 'row')} to ${run.target}?`;
  const body = (
    <Confirm run={run} action="/approve" go="Approve the run">
      <h1>{title}</h1>
      <Facts of={approvalFacts(run).map(([name, words]) => [name, <Text of={words} />] as const)} />
      <input type="hidden" name="seen" value={run.state} />
      <input type="hidden" name="plan" value={run.plan ?? ''} />
    </Confirm>
  );
  return { kind: 'page', title, body };
}

async function confirmPause(run: Run): Promise<Reply> {
  const { id, state } = run;
  if (state !== 'running' && state !== 'queued') return told({ kind: 'moved-on', state }, runPath(id));
  const title = 'Pause the run?';
  const body = (
    <>
      <h1>{title}</h1>
      <p>Nothing more of it is sent until somebody resumes it. Rows in flight are settled.</p>
      <Confirm run={run} action="/pause" go="Pause the run">
        <input type="hidden" name="seen" value={state} />
        <Why />
      </Confirm>
    </>
  );
  return { kind: 'page', title, body };
}

/** The story and the audit tell it. */
function Why({ isRequired = false }: { readonly isRequired?: boolean }) {
  return (
    <p>
      <label>
        Why <input name="why" maxlength={WHY_CHARACTERS} size={40} required={isRequired} />
      </label>
    </p>
  );
}

async function confirmCancel(run: Run): Promise<Reply> {
  const settled = countSettled(run.outcomes);
  return {
    kind: 'page',
    title: 'Cancel the run?',
    body: (
      <>
        <h1>Cancel the run?</h1>
        <p>
          {`${numberShown(settled)} of ${countOf(run.rows, 'row')} have their outcome and keep it. The other ${numberShown(run.rows - settled)} are not sent and become "cancelled"; a re-run can send them later. This can't be taken back.`}
        </p>
        <Confirm run={run} action="/cancel" go="Cancel the run" tone="danger">
          <input type="hidden" name="seen" value={run.state} />
          <Why />
        </Confirm>
      </>
    ),
  };
}

const ROWS_LISTED = 50;

async function confirmWriteOff(run: Run, { query, page }: PageVisit): Promise<Reply> {
  const cause = query.get('cause') ?? '';
  const ofCause = cause === '' ? null : await rowsOfCause(page, run, cause, page.digests);
  const open = (await page.openRowsOf(run)).filter(({ row }) => ofCause?.has(row) ?? true);
  const own = await openRunRows(page, run.id);
  const names = await (own === null
    ? new Map()
    : namesOf(
        own,
        open.slice(0, ROWS_LISTED).map(({ row }) => row),
      ));
  return {
    kind: 'page',
    title: 'Write rows off?',
    body: (
      <>
        <h1>Write rows off?</h1>
        <p>
          Rows that shall never be loaded, such as a line of totals or a closed company: they are open no
          more. This can't be taken back. Rows in doubt can't be written off.
        </p>
        {open.length === 0 ? (
          <p>
            No {ofCause === null ? 'row of this run' : 'row of this cause'} is open, but for those in doubt or
            without an outcome yet. <a href={runPath(run.id)}>Back to the run</a>
          </p>
        ) : (
          <Confirm
            run={run}
            action="/write-off"
            go={`Write ${ofCause === null ? 'them' : countOf(open.length, 'row')} off`}
            tone="danger"
          >
            <input type="hidden" name="cause" value={cause} />
            <Open rows={open} names={names} isChosen={ofCause === null} />
            <Why isRequired />
          </Confirm>
        )}
      </>
    ),
  };
}

type OpenProps = {
  readonly rows: readonly OpenRow[];
  readonly names: ReadonlyMap<number, string>;
  /** Each by itself; else all of them are meant. */
  readonly isChosen: boolean;
};

function Open({ rows, names, isChosen }: OpenProps) {
  const named = namesShown(names);
  const more = rows.length - ROWS_LISTED;
  return (
    <>
      <Table
        name="Open rows"
        class="list rows"
        heads={[{ n: 'Row' }, 'Key', ...named.heads, 'Outcome', 'Code']}
        rows={rows
          .slice(0, ROWS_LISTED)
          .map(({ row, last: { key, outcome, code } }) => [
            isChosen ? <Chosen row={row} isAlone={rows.length === 1} /> : numberShown(row),
            <Text of={key} bytes={120} />,
            ...named.cells(row),
            kindWords(outcome),
            <Text of={code} bytes={60} />,
          ])}
      />
      {more > 0 && !isChosen ? <p>{`And ${numberShown(more)} more.`}</p> : null}
      {more > 0 && isChosen ? (
        <p>
          <label>
            {`And ${numberShown(more)} more, by their numbers: `}
            <input name="rows" size={40} />
          </label>
        </p>
      ) : null}
    </>
  );
}

function Chosen({ row, isAlone }: { readonly row: number; readonly isAlone: boolean }) {
  return (
    <label>
      <input type="checkbox" name="rows" value={String(row)} checked={isAlone} /> {numberShown(row)}
    </label>
  );
}

type ChoiceProps = {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
  readonly words: string;
};

export function Choice({ words, ...input }: ChoiceProps) {
  return (
    <p>
      <label>
        <input {...input} /> {words}
      </label>
    </p>
  );
}
