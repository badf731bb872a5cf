/**
 * Small parts of pages that report.html doesn't share. Texts by others go through
 * lib/html-text.tsx.
 */
import type { Child } from 'hono/jsx';
import { Text } from '../lib/html-text.tsx';
import { countOf } from '../lib/terminal.ts';

export function Problems({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="alarm" role="alert">
      {of.map((problem) => (
        <li>
          <Text of={problem} bytes={1_000} />
        </li>
      ))}
    </ul>
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
