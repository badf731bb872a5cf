/** Why rows of a run did not succeed, with the way to them and to what can be done about them. */
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Visitor } from '../model/ask.ts';
import type { Notes } from '../model/note.ts';
import { countSettled } from '../model/outcome.ts';
import { type Cause, type Digest, needingRows } from '../report/digest.ts';
import { CauseCard, WhereInFile } from '../report/html/causes.tsx';
import { type RunLine, runPath } from './runs.tsx';

/** A run, and what is known of the causes of its rows. */
export type CausesOf = {
  readonly run: RunLine;
  readonly digest: Digest;
  readonly notes: Notes;
};

type Props = { readonly shown: CausesOf; readonly visitor: Visitor };

/** Each is 2 kB of the page; report.html has all. */
export const CAUSES_SHOWN = 20;

export function Causes({ shown, visitor }: Props) {
  const { digest, run, notes } = shown;
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
      {causes.map((cause) => (
        <CauseCard
          cause={cause}
          digest={digest}
          note={notes.get(cause.id) ?? null}
          {...(cause.outcome === 'in-doubt' && { advice: <Settling run={run} visitor={visitor} /> })}
        >
          <Acts cause={cause} shown={shown} visitor={visitor} />
        </CauseCard>
      ))}
      {others <= 0 ? null : <p class="dim">{countOf(others, 'row')} more for other causes.</p>}
    </section>
  );
}

function Settling({ run, visitor }: { readonly run: RunLine; readonly visitor: Visitor }) {
  if (visitor.role !== 'operator') return <>An operator settles them; nothing is sent again before.</>;
  return (
    <>
      <a href={runPath(run.id, '/doubts')}>Settle them</a>: what is found at the service is said for each, and
      nothing is sent again before.
    </>
  );
}

const RERUN: readonly string[] = ['rejected', 'failed', 'denied', 'invalid', 'cancelled'];

function Acts({ cause: { id, outcome, count }, shown, visitor }: Props & { readonly cause: Cause }) {
  const { run, notes } = shown;
  const isOver = run.state === 'finished' || run.state === 'cancelled';
  const isOperator = visitor.role === 'operator';
  return (
    <div class="line">
      <a href={`${runPath(run.id, '/rows')}?cause=${encodeURIComponent(id)}`}>{countOf(count, 'row')}</a>{' '}
      {isOperator && isOver && RERUN.includes(outcome) ? (
        <form method="get" action={runPath(run.id, '/rerun')} class="act">
          <input type="hidden" name="only" value={outcome} />
          <input type="hidden" name="cause" value={id} />
          <input type="hidden" name="rows" value={String(count)} />
          <button type="submit">Run these again…</button>
        </form>
      ) : null}{' '}
      {isOperator ? (
        <a href={`/causes/${encodeURIComponent(id)}/note?run=${encodeURIComponent(run.id)}`}>
          {notes.has(id) ? 'Change the note' : 'Add a note'}
        </a>
      ) : null}
    </div>
  );
}
