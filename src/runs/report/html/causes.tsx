/** Why rows did not succeed: a card for each cause, the same in report.html and on the page. */
import type { Child } from 'hono/jsx';
import { Strip } from '../../../lib/chart/strip.tsx';
import { Prose, Text } from '../../../lib/html-text.tsx';
import { numberShown } from '../../../lib/terminal.ts';
import type { Note } from '../../../model/note.ts';
import { OUTCOMES } from '../../../model/outcome.ts';
import { type Cause, type Digest, needingRows } from '../digest.ts';
import { Dot, kindWords, Legend, Table, Time } from './parts.tsx';

export function WhereInFile({
  digest: { where, rows, read },
}: {
  readonly digest: Pick<Digest, 'where' | 'rows' | 'read'>;
}) {
  const kinds = OUTCOMES.flatMap((kind) => {
    const parts = where[kind];
    return parts === undefined ? [] : [{ kind, parts }];
  });
  if ((kinds[0]?.parts.length ?? 0) < LEAST_PARTS) return null;
  return (
    <figure>
      <figcaption class="dim">All rows of the file in their order, by what became of them</figcaption>
      <Strip title="Outcomes by place in the file" kinds={kinds} rows={rows} />
      <Ends rows={rows} />
      <Legend kinds={[...kinds.map(({ kind }) => kind), ...(read < rows ? (['pending'] as const) : [])]} />
    </figure>
  );
}

/** With fewer rows the numbers say more than a picture. */
const LEAST_PARTS = 10;

function Ends({ rows }: { readonly rows: number }) {
  return (
    <p class="ends dim">
      <span>row 1</span>
      <span>row {numberShown(rows)}</span>
    </p>
  );
}

type CauseProps = {
  readonly cause: Cause;
  readonly digest: Pick<Digest, 'outcomes' | 'rows'>;
  readonly note: Note | null;
  /** None of its rows is open any more. */
  readonly isDone?: boolean;
  readonly children?: Child;
};

export function CauseCard({ cause, digest, note, isDone = false, children }: CauseProps) {
  const { outcome, code, count, where, examples } = cause;
  const all = needingRows(digest);
  // Of so few rows each is named below.
  const isDrawn = where.length >= LEAST_PARTS && count > examples.length;
  // A row alone takes few lines, so that what concerns many stands out.
  const isOne = count === 1;
  return (
    <section class={['cause', isOne ? 'one' : '', isDone ? 'done' : ''].join(' ').trim()}>
      {isOne ? null : <Weight cause={cause} all={all} />}
      <h3>
        <span class="count">{numberShown(count)}</span>
        <span>
          <Said cause={cause} />
        </span>
      </h3>
      <p class="dim">
        <Dot kind={outcome} />
        {kindWords(outcome)}, {shareOf(count, all)}{' '}
        <small class="mono">
          <Text of={code} bytes={60} />
        </small>{' '}
        {isOne ? <Examples cause={cause} /> : null}
      </p>
      {!isDrawn ? null : (
        <>
          <Strip
            title={`Where in the file: rows ${numberShown(cause.first)} to ${numberShown(cause.last)}`}
            kinds={[{ kind: outcome, parts: where }]}
            rows={digest.rows}
          />
          <Ends rows={digest.rows} />
        </>
      )}
      {isDone ? (
        <p class="t-ok">✓ Nothing of it is left to do: corrected, sent again or written off.</p>
      ) : null}
      {cause.advice === '' || isDone ? null : (
        <p>
          → <Prose of={cause.advice} />
        </p>
      )}
      {note === null ? null : (
        <p class="note">
          Note: <Text of={note.text} bytes={NOTE_BYTES} />{' '}
          <span class="dim">
            (<Text of={note.by} bytes={NAME_BYTES} />, <Time at={note.at} show="day" />)
          </span>
        </p>
      )}
      {isOne ? null : (
        <p class="dim">
          <Examples cause={cause} />
        </p>
      )}
      {children}
    </section>
  );
}

function Weight({ cause: { count, outcome }, all }: Pick<CauseProps, 'cause'> & { readonly all: number }) {
  const width = Math.max(4, Math.round((1000 * count) / Math.max(1, all)));
  return (
    <svg viewBox="0 0 1000 4" preserveAspectRatio="none" class="weight" aria-hidden="true">
      <rect width={width} height="4" class={`f-${outcome}`} />
    </svg>
  );
}

const NOTE_BYTES = 1_500;
const NAME_BYTES = 80;

function shareOf(count: number, total: number): string {
  if (count === total) return 'all of them';
  const share = (100 * count) / total;
  return share < 1 ? 'under 1 %' : `${Math.floor(share)} %`;
}

/** Its fields come first, with the columns that they are made of. */
function Said({ cause: { fields, columns, words, text, quoted } }: Pick<CauseProps, 'cause'>) {
  return (
    <>
      {fields.map((field) => (
        <>
          <span class="field">
            <Text of={field} bytes={100} />
          </span>{' '}
        </>
      ))}
      {fields.length === 0 || columns.length === 0 ? null : (
        <>
          ({columns.length === 1 ? 'column' : 'columns'} <Text of={columns.join(', ')} bytes={200} />){' '}
        </>
      )}
      <Prose of={words} bytes={300} />
      {words === '' ? whyNone(text, quoted) : null}
    </>
  );
}

function whyNone(text: string, quoted: boolean): string {
  if (!quoted) return OTHERS;
  return text === '' ? SAID_NOTHING : TOO_FEW;
}

const SAID_NOTHING = 'The service does not say why.';
const TOO_FEW = 'Too few rows have the same words of the service to tell them here.';
const OTHERS = 'For other causes.';

function Examples({ cause: { examples, count } }: Pick<CauseProps, 'cause'>) {
  return (
    <>
      {examples.length === 1 ? 'Row' : 'Rows'}{' '}
      {examples.map(({ row, line, key }, i) => (
        <>
          {i === 0 ? '' : ' · '}
          {numberShown(row)} (line {numberShown(line)}
          {key === '' ? null : (
            <>
              , <Text of={key} bytes={KEY_BYTES} />
            </>
          )}
          )
        </>
      ))}
      {count > examples.length ? ' · …' : ''}
    </>
  );
}

const KEY_BYTES = 130;

type NeedingProps = { readonly rows: Digest['needing']; readonly label: string };

export function NeedingTable({ rows, label }: NeedingProps) {
  const hasKeys = rows.some(({ key }) => key !== '');
  return (
    <Table
      name={label}
      heads={[{ n: 'row' }, { n: 'line' }, ...(hasKeys ? [{ mono: 'key' }] : []), { o: 'outcome' }, 'why']}
      rows={rows.map(({ row, line, key, outcome, code, why }) => [
        numberShown(row),
        line === 0 ? '' : numberShown(line),
        ...(hasKeys ? [<Text of={key} bytes={KEY_BYTES} />] : []),
        kindWords(outcome),
        <Text of={why === '' ? code : why} bytes={WHY_BYTES} />,
      ])}
    />
  );
}

const WHY_BYTES = 200;
