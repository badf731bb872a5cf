/**
 * Small parts of pages that report.html doesn't share. Texts by others go through
 * lib/html-text.tsx.
 */
import type { Child } from 'hono/jsx';
import { round } from '../../lib/chart/series.tsx';
import { Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { kindsOf } from '../../model/outcome.ts';
import { sumWords } from '../../runs/report/html/parts.tsx';

/** Outcomes as one bar, and in words for people who don't see it. */
export function Bar({ outcomes, rows }: Parameters<typeof kindsOf>[0]) {
  let from = 0;
  const kinds = kindsOf({ outcomes, rows });
  return (
    <svg
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      class="outcomes"
      role="img"
      aria-label={kinds.length === 0 ? 'no rows' : sumWords(kinds)}
    >
      <rect width="1000" height="10" class="f-pending" />
      {kinds
        .filter(([kind]) => kind !== 'pending')
        .map(([kind, n]) => {
          const x = from;
          const width = (1_000 * n) / Math.max(1, rows);
          from += width;
          return <rect x={round(x)} width={round(width)} height="10" class={`f-${kind}`} />;
        })}
    </svg>
  );
}

export function Problems({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <div class="alarm" role="alert">
      <ul>
        {of.map((problem) => (
          <li>
            <Prose of={problem} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Warned = { readonly code: string; readonly column?: string | undefined; readonly count: number };

/** What looked odd in rows that went all the same; no cells. */
export function Warnings({ of }: { readonly of: readonly Warned[] }) {
  if (of.length === 0) return null;
  const words = of.map(({ code, column, count }) => {
    return `${numberShown(count)} × ${code}${column === undefined ? '' : ` in “${column}”`}`;
  });
  return (
    <div class="t-doubt">
      ! Warnings: <Text of={words.join(', ')} bytes={1_000} />
    </div>
  );
}

/** A page of thousands takes seconds, for everybody. */
export const COLUMNS_SHOWN = 300;

export function MoreColumns({ more }: { readonly more: number }) {
  return more > 0 ? <p class="dim">{`And ${countOf(more, 'column')} more.`}</p> : null;
}

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

/** In place of an empty list: why, and what would fill it. */
export function Empty({ children }: { readonly children?: Child }) {
  return <p class="empty">{children}</p>;
}
