/**
 * Where in a file rows are: a strip of equal parts, with a bar in each as high as their share of
 * its rows. A path for each kind, so that hundreds fit a page; without text, so that any width
 * does.
 */
import { round } from './series.tsx';

type StripProps = {
  /** For people who don't see it. */
  readonly title: string;
  /** From the bottom up; each names its colour, a class `f-<kind>`. */
  readonly kinds: ReadonlyArray<{ readonly kind: string; readonly parts: readonly number[] }>;
  readonly rows: number;
};

/** A single row of a part is seen: in a low strip of one kind, and in a high one of several. */
const LEAST = { strip: 0.15, stacked: 0.02 } as const;

export function Strip({ title, kinds, rows }: StripProps) {
  const parts = kinds[0]?.parts.length ?? 0;
  const form = kinds.length === 1 ? 'strip' : 'stacked';
  const shareOf = (count: number, at: number) =>
    count === 0 ? 0 : Math.max(LEAST[form], count / rowsIn(at, { parts, rows }));
  const tops = new Float64Array(parts);
  /** What the least heights take from the highest bar of a full part. */
  const over = tops.map((_, at) =>
    Math.max(0, kinds.reduce((sum, { parts: counts }) => sum + shareOf(counts[at] ?? 0, at), 0) - 1),
  );
  const paths = kinds.map(({ kind, parts: counts }) => {
    const d = counts.map((count, at) => {
      if (count === 0) return '';
      const low = tops[at] ?? 0;
      const isHighest = kinds.every(({ parts: others }) => (others[at] ?? 0) <= count);
      const high = Math.min(1, low + shareOf(count, at) - (isHighest ? (over[at] ?? 0) : 0));
      tops[at] = high;
      return `M${at} ${round(100 - 100 * low)}V${round(100 - 100 * high)}h1V${round(100 - 100 * low)}z`;
    });
    return <path d={d.join('')} class={`f-${kind}`} />;
  });
  return (
    <svg viewBox={`0 0 ${parts} 100`} preserveAspectRatio="none" class={form} role="img" aria-label={title}>
      <rect width={parts} height="100" class="f-pending" fill-opacity=".45" />
      {paths}
    </svg>
  );
}

/** Parts are of equal size, within a row. */
function rowsIn(part: number, { parts, rows }: { readonly parts: number; readonly rows: number }): number {
  const before = (n: number) => Math.ceil((n * rows) / parts);
  return Math.max(1, before(part + 1) - before(part));
}
