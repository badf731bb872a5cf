/** Why rows of a run did not succeed: each cause once, with where in the file its rows are, what to do, and the way to these rows. */
import { StackedStrip, Strip } from '../lib/chart/strip.tsx';
import { Prose, Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Visitor } from '../model/ask.ts';
import type { Digest, RowCause, Said } from '../model/digest.ts';
import type { Note } from '../model/note.ts';
import { OUTCOMES } from '../model/outcome.ts';
import { type RunLine, runPath } from './runs.tsx';
import { kindWords, Time } from './words.tsx';

export type CauseShown = Pick<
  RowCause,
  'id' | 'outcome' | 'code' | 'columns' | 'advice' | 'count' | 'first' | 'last' | 'where'
> &
  Said & {
    /** What people have noted on it. */
    readonly note: Note | null;
    readonly examples: ReadonlyArray<{ readonly row: number; readonly line: number; readonly key: string }>;
  };

/** A run, and what is known of the causes of its rows. */
export type CausesOf = {
  readonly run: RunLine;
  readonly digest: {
    readonly rows: number;
    /** How many of them are counted so far. */
    readonly read: number;
    readonly needing: number;
    readonly where: Digest['where'];
    readonly causes: readonly CauseShown[];
    /** Rows of causes that are not shown. */
    readonly others: number;
  };
};

type Props = { readonly shown: CausesOf; readonly visitor: Visitor };

/** A picture of fewer parts than this says less than their numbers. */
const LEAST_PARTS = 10;

export function Causes({ shown, visitor }: Props) {
  const { digest, run } = shown;
  const settled = Object.values(run.outcomes).reduce((sum, n) => sum + n, 0);
  const isBehind = digest.read < settled;
  if (digest.causes.length === 0 && !isBehind) return null;
  return (
    <section>
      <h2>Why rows did not succeed</h2>
      {isBehind ? (
        <p class="dim">
          Read so far: {numberShown(digest.read)} of the {countOf(settled, 'row')} that have an outcome. Rows
          count here once their part of the file is done.
        </p>
      ) : null}
      <WhereInFile shown={shown} />
      {digest.causes.map((cause) => (
        <Cause cause={cause} shown={shown} visitor={visitor} />
      ))}
      {digest.others === 0 ? null : <p class="dim">{countOf(digest.others, 'row')} more for other causes.</p>}
    </section>
  );
}

/** All rows by their place in the file: shows a stretch in which everything fails. */
function WhereInFile({ shown: { digest } }: { readonly shown: CausesOf }) {
  const kinds = OUTCOMES.flatMap((kind) => {
    const parts = digest.where[kind];
    return parts === undefined ? [] : [{ kind, parts }];
  });
  const parts = kinds[0]?.parts.length ?? 0;
  if (parts < LEAST_PARTS) return null;
  return (
    <figure>
      <figcaption class="dim">All rows of the file in their order, by what became of them</figcaption>
      <StackedStrip title="Outcomes by place in the file" kinds={kinds} parts={parts} rows={digest.rows} />
      <Ends rows={digest.rows} />
    </figure>
  );
}

function Ends({ rows }: { readonly rows: number }) {
  return (
    <p class="ends dim">
      <span>row 1</span>
      <span>row {numberShown(rows)}</span>
    </p>
  );
}

const RERUN: readonly string[] = ['rejected', 'failed', 'denied', 'invalid', 'cancelled'];

function Cause({ cause, shown, visitor }: Props & { readonly cause: CauseShown }) {
  const { id, outcome, code, count, advice, where, first, last, note } = cause;
  const { run } = shown;
  const isOver = run.state === 'finished' || run.state === 'cancelled';
  const list = `${runPath(run.id, '/rows')}?cause=${encodeURIComponent(id)}`;
  return (
    <section class="cause">
      <h3>
        <span class="count">{numberShown(count)}</span>{' '}
        <span>
          <svg viewBox="0 0 10 10" class="dot" aria-hidden="true">
            <rect width="10" height="10" class={`f-${outcome}`} />
          </svg>
          {kindWords(outcome)}
        </span>{' '}
        <span class="dim">
          <Text of={code} bytes={60} />
        </span>
      </h3>
      <p>
        <SaidOf cause={cause} />
      </p>
      {where.length < LEAST_PARTS ? null : (
        <>
          <Strip
            title={`Where in the file: rows ${numberShown(first)} to ${numberShown(last)}`}
            kind={outcome}
            parts={where}
            rows={shown.digest.rows}
          />
          <Ends rows={shown.digest.rows} />
        </>
      )}
      {outcome === 'in-doubt' && visitor.role === 'operator' ? (
        <p>
          → <a href={runPath(run.id, '/doubts')}>Settle them</a>: what is found at the service is said for
          each, and nothing is sent again before.
        </p>
      ) : null}
      {advice === '' || outcome === 'in-doubt' ? null : (
        <p>
          → <Prose of={advice} />
        </p>
      )}
      {note === null ? null : (
        <p class="note">
          <Text of={note.text} bytes={3_000} />{' '}
          <span class="dim">
            (<Text of={note.by} bytes={100} />, <Time at={note.at} />)
          </span>
        </p>
      )}
      <p class="dim">
        {cause.examples.map(({ row, line, key }, i) => (
          <>
            {i === 0 ? '' : ' · '}row {numberShown(row)} (line {numberShown(line)}
            {key === '' ? null : (
              <>
                , <Text of={key} bytes={120} />
              </>
            )}
            )
          </>
        ))}
        {count > cause.examples.length ? ' · …' : ''}
      </p>
      <div class="line">
        <a href={list}>{countOf(count, 'row')}</a>{' '}
        {visitor.role === 'operator' && isOver && RERUN.includes(outcome) ? (
          <form method="get" action={runPath(run.id, '/rerun')} class="act">
            <input type="hidden" name="only" value={outcome} />
            <input type="hidden" name="cause" value={id} />
            <input type="hidden" name="rows" value={String(count)} />
            <button type="submit">Run these again…</button>
          </form>
        ) : null}{' '}
        {visitor.role === 'operator' ? (
          <a href={`/causes/${encodeURIComponent(id)}/note?run=${encodeURIComponent(run.id)}`}>
            {note === null ? 'Add a note' : 'Change the note'}
          </a>
        ) : null}
      </div>
    </section>
  );
}

/** Fields that it names stand first, with the columns that they are made of. */
function SaidOf({ cause: { fields, columns, words, isUntold, outcome } }: { readonly cause: CauseShown }) {
  return (
    <>
      {fields.map((field) => (
        <>
          <code>
            <Text of={field} bytes={100} />
          </code>{' '}
        </>
      ))}
      {fields.length === 0 || columns.length === 0 ? null : (
        <>
          ({columns.length === 1 ? 'column' : 'columns'} <Text of={columns.join(', ')} bytes={200} />){' '}
        </>
      )}
      {isUntold
        ? 'Too few rows have the same words of the service to tell them here: they are with the rows.'
        : null}
      {words === '' && !isUntold && outcome === 'rejected' ? 'The service does not say why.' : null}
      <Text of={words} />
    </>
  );
}
