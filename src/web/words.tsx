/**
 * The little things that pages are made of: times in the viewer's zone, bars of outcomes, the one sentence that says how it stands. What
 * others wrote goes through lib/html-text.tsx.
 */
import type { Child } from 'hono/jsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../model/outcome.ts';

type TimeProps = {
  /** As the ledger has it, ISO 8601. */
  readonly at: string;
  /** `time` for what is of today, where the day says nothing. */
  readonly show?: 'moment' | 'time' | 'day';
};

/** UTC in the text and its title; the page's script writes the text anew in the viewer's own zone. */
export function Time({ at, show = 'moment' }: TimeProps) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at.slice(0, 30)}</span>;
  const iso = date.toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  const text = { moment: `${day} ${time} UTC`, time: `${time} UTC`, day }[show];
  return (
    <time datetime={iso} title={`${day} ${time} UTC`} data-show={show}>
      {text}
    </time>
  );
}

export type Kind = Outcome | 'open';

/** As it is said in a sum: "2 in doubt". */
export function kindWords(kind: Kind): string {
  return kind === 'in-doubt' ? 'in doubt' : kind;
}

type CountsProps = {
  readonly outcomes: OutcomeCounts;
  /** Rows of the file, or as many as are known of so far. */
  readonly rows: number;
};

function kindsOf({ outcomes, rows }: CountsProps): ReadonlyArray<readonly [Kind, number]> {
  const settled = OUTCOMES.map((outcome): readonly [Kind, number] => [outcome, outcomes[outcome]]);
  const open = rows - settled.reduce((sum, [, n]) => sum + n, 0);
  return [...settled, ['open', open] as const].filter(([, n]) => n > 0);
}

/** How many ended how, as one bar; in words for those who don't see it. */
export function Bar({ outcomes, rows }: CountsProps) {
  let from = 0;
  const kinds = kindsOf({ outcomes, rows });
  return (
    <svg
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      class="outcomes"
      role="img"
      aria-label={kinds.length === 0 ? 'no rows' : sumOf(kinds)}
    >
      <rect width="1000" height="10" class="f-open" />
      {kinds
        .filter(([kind]) => kind !== 'open')
        .map(([kind, n]) => {
          const x = from;
          const width = (1_000 * n) / Math.max(1, rows);
          from += width;
          return <rect x={round(x)} width={round(width)} height="10" class={`f-${kind}`} />;
        })}
    </svg>
  );
}

/** The control total: rows = 5 created + 2 in doubt + 3 open. */
export function Sum({ outcomes, rows }: CountsProps) {
  const kinds = kindsOf({ outcomes, rows });
  return (
    <span>
      {numberShown(rows)} = {kinds.length === 0 ? '0' : null}
      {kinds.map(([kind, n], i) => (
        <>
          {i === 0 ? '' : ' + '}
          <span class="sum">
            <svg viewBox="0 0 10 10" class="dot" aria-hidden="true">
              <rect width="10" height="10" class={`f-${kind}`} />
            </svg>
            {numberShown(n)} {kindWords(kind)}
          </span>
        </>
      ))}
    </span>
  );
}

function sumOf(kinds: ReadonlyArray<readonly [Kind, number]>): string {
  return kinds.map(([kind, n]) => `${numberShown(n)} ${kindWords(kind)}`).join(', ');
}

function round(n: number): string {
  return String(Math.round(n * 10) / 10);
}

type Tone = 'ok' | 'bad' | 'doubt' | 'none';
const SIGN: Readonly<Record<Tone, string>> = { ok: '✓', bad: '✗', doubt: '?', none: '·' };

/** The sentence to read if only one is: its colour has its sign beside it. */
export function Verdict({ tone, children }: { readonly tone: Tone; readonly children?: Child }) {
  return (
    <div class={`verdict ${tone}`}>
      <p>
        <b aria-hidden="true">{SIGN[tone]}</b> {children}
      </p>
    </div>
  );
}

/** A state, a number of something: a word in a frame. */
export function Badge({ tone = 'none', children }: { readonly tone?: Tone; readonly children?: Child }) {
  return <span class={`badge t-${tone}`}>{children}</span>;
}

/** What is wider than a small screen scrolls by itself, by the keyboard too. */
export function Wide({ name, children }: { readonly name: string; readonly children?: Child }) {
  return (
    <section class="wide" tabindex={0} aria-label={name}>
      {children}
    </section>
  );
}

/** A page of thousands takes seconds, for everybody. */
export const COLUMNS_SHOWN = 300;

export function MoreColumns({ more }: { readonly more: number }) {
  return more > 0 ? <p class="dim">{`And ${countOf(more, 'column')} more.`}</p> : null;
}

/** `null`: there is none. */
type PagerProps = { readonly back: string | null; readonly on: string | null };

export function Pager({ back, on }: PagerProps) {
  if (back === null && on === null) return null;
  return (
    <nav class="pager" aria-label="More of the list">
      {back === null ? null : <a href={back}>‹ Back</a>}
      {on === null ? null : <a href={on}>More ›</a>}
    </nav>
  );
}

/** Instead of a list that has nothing in it: why, and what would put something there. */
export function Empty({ children }: { readonly children?: Child }) {
  return <p class="empty">{children}</p>;
}
