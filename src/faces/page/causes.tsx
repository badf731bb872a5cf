/**
 * Why rows of a run did not succeed, with the way to them, to what can be done, and to notes on a
 * cause.
 */
import { readNotes } from '../../engine/ledger/display.ts';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { type Account, toSeeTo } from '../../model/account.ts';
import type { Visitor } from '../../model/ask.ts';
import { NOTE_CHARACTERS, type Notes } from '../../model/note.ts';
import { countSettled } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import { isTable } from '../../model/source.ts';
import { HELD_CODES } from '../../runs/held-accounts.ts';
import { type Cause, type Digest, needingRows } from '../../runs/report/digest.ts';
import { CauseCard, WhereInFile } from '../../runs/report/html/causes.tsx';
import { RERUN_OUTCOMES } from '../../runs/rerun.ts';
import type { Reply } from '../web/visit.ts';
import { askFor, told } from './acting.tsx';
import { correctPath } from './correct.tsx';
import type { Places } from './open-rows.ts';
import type { PageRoute, PageVisit } from './page-context.ts';
import { NO_RUN } from './rows.tsx';
import { runPath } from './runs.tsx';

type Props = {
  readonly run: Run;
  /** Of its file; `null`: the run is not over. */
  readonly account: Account | null;
  /** Where the open rows of each cause stand; `null`: the run is not over, or they are too many. */
  readonly openByCause: ReadonlyMap<string, Places> | null;
  readonly digest: Digest;
  readonly notes: Notes;
  readonly visitor: Visitor;
};

/** Each is 2 kB of the page; report.html has all. */
export const CAUSES_SHOWN = 20;

export function Causes({ run, account, openByCause, digest, notes, visitor }: Props) {
  const causes = digest.causes.slice(0, CAUSES_SHOWN);
  const others = needingRows(digest) - causes.reduce((sum, { count }) => sum + count, 0);
  const settled = countSettled(run.outcomes);
  const isBehind = digest.read < settled;
  if (causes.length === 0 && !isBehind) return null;
  return (
    <section>
      <h2>Why rows did not succeed</h2>
      {isBehind ? (
        <p class="dim">
          Read so far: {numberShown(digest.read)} of the {countOf(settled, 'row')} that have an outcome. Rows
          count here once their part of the file is done.
        </p>
      ) : null}
      <WhereInFile digest={digest} />
      {causes.map((cause) => {
        const places = openByCause?.get(cause.id) ?? new Map<string, number>();
        const isSeen = openByCause !== null && cause.outcome !== 'in-doubt';
        const isDone = isSeen && places.size === 0;
        const isElsewhere = isSeen && !isDone && !places.has(run.id);
        return (
          <CauseCard cause={cause} digest={digest} note={notes.get(cause.id) ?? null} isDone={isDone}>
            {isElsewhere ? <Elsewhere places={places} /> : null}
            <Acts
              run={run}
              account={isDone || isElsewhere ? null : account}
              cause={cause}
              isNoted={notes.has(cause.id)}
              visitor={visitor}
            />
          </CauseCard>
        );
      })}
      {others <= 0 ? null : <p class="dim">{countOf(others, 'row')} more for other causes.</p>}
    </section>
  );
}

/** Sent again or corrected, and open still. */
function Elsewhere({ places }: { readonly places: Places }) {
  return (
    <p>
      Its open rows stand in a later run:{' '}
      {[...places].map(([run, count], i) => (
        <>
          {i === 0 ? '' : ', '}
          <a href={runPath(run)}>{`${numberShown(count)} in ${run}`}</a>
        </>
      ))}
    </p>
  );
}

type ActsProps = Pick<Props, 'run' | 'account' | 'visitor'> & {
  readonly cause: Cause;
  readonly isNoted: boolean;
};

function Acts({ run, account, cause, isNoted, visitor }: ActsProps) {
  const { id, outcome, code, count } = cause;
  const isOpen = run.purged === undefined && account !== null && toSeeTo(account) > 0;
  const isOperator = visitor.role === 'operator';
  return (
    <div class="line">
      {isOperator && count === 1 ? (
        <a href={runPath(run.id, `/rows/${cause.first}`)}>The row, and what was said of it</a>
      ) : (
        <a href={runPath(run.id, `/rows?cause=${encodeURIComponent(id)}`)}>{countOf(count, 'row')}</a>
      )}{' '}
      {isOperator && outcome === 'in-doubt' ? <a href={runPath(run.id, '/doubts')}>Settle them</a> : null}
      {isOperator && isOpen && RERUN_OUTCOMES.some((one) => one === outcome) ? (
        <form method="get" action={runPath(run.id, '/rerun')} class="act">
          <input type="hidden" name="only" value={outcome} />
          <input type="hidden" name="cause" value={id} />
          <input type="hidden" name="rows" value={String(count)} />
          <button type="submit">Run these again…</button>{' '}
          <button type="submit" formaction={runPath(run.id, '/write-off')}>
            Write these off…
          </button>
        </form>
      ) : null}{' '}
      {isOperator && isOpen && outcome !== 'in-doubt' && hasCells(run, code) ? (
        <a href={correctPath(run.id, code)}>Correct them here…</a>
      ) : null}{' '}
      {isOperator && isOpen && isHeld(code) ? (
        <a href={runPath(run.id, '/held')}>Decide on their accounts…</a>
      ) : null}{' '}
      {isOperator ? (
        <a href={`${notePath(id)}?run=${encodeURIComponent(run.id)}`}>
          {isNoted ? 'Change the note' : 'Add a note'}
        </a>
      ) : null}
    </div>
  );
}

/** What is no record of JSON at all has none: it is corrected in the file. */
function hasCells({ source }: Run, code: string): boolean {
  return code !== 'unreadable_row' || isTable(source);
}

function isHeld(code: string): boolean {
  return HELD_CODES.some((one) => one === code);
}

export const noteRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/causes/:id/note', role: 'operator', answer: writeNote },
  { method: 'POST', path: '/causes/:id/note', role: 'operator', answer: keepNote },
];

function notePath(cause: string): string {
  return `/causes/${encodeURIComponent(cause)}/note`;
}

async function keepNote(visit: PageVisit): Promise<Reply> {
  const { params, form } = visit;
  const run = form.get('run') ?? '';
  const ask = { kind: 'note', run, cause: params.id ?? '', text: form.get('text') ?? '' } as const;
  return told(await askFor(visit, ask), runPath(run));
}

/** A page of its own: a live part, replaced each second, would lose what is typed. */
async function writeNote({ params, query, page: { ledger } }: PageVisit): Promise<Reply> {
  const run = query.get('run') ?? '';
  const cause = params.id ?? '';
  const target = await ledger.index.targetOf(run);
  if (target === null) return NO_RUN;
  const notes = await readNotes(ledger.redis, ledger.of(target).keys, [cause]);
  const body = (
    <>
      <h1>Note on a cause</h1>
      <p>
        It shows beside this cause at every run that has it, to all who see the page. Without text it is
        removed.
      </p>
      <form method="post" action={notePath(cause)}>
        <input type="hidden" name="run" value={run} />
        <p>
          <label>
            Note
            <br />
            <textarea name="text" rows={5} cols={60} maxlength={NOTE_CHARACTERS}>
              {notes.get(cause)?.text ?? ''}
            </textarea>
          </label>
        </p>
        <p class="acts">
          <button type="submit" class="go">
            Keep the note
          </button>
          <a href={runPath(run)}>Leave it as it is</a>
        </p>
      </form>
    </>
  );
  return { kind: 'page', title: 'Note on a cause', body };
}
