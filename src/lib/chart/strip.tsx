/**
 * Where in a file rows are: a strip of equal parts, darker where more of a part's rows are meant. A
 * few paths, so that hundreds fit a page; without text, so that any width does.
 */
import { round } from './series.tsx';

/** How dark a part is, by the share of its rows. */
const LEVELS = [
  { from: 0.9, opacity: 1 },
  { from: 0.5, opacity: 0.85 },
  { from: 0.2, opacity: 0.65 },
  { from: 0, opacity: 0.5 },
] as const;

type StripProps = {
  /** For people who don't see it. */
  readonly title: string;
  /** Names the colour: a class `f-<kind>`. */
  readonly kind: string;
  readonly parts: readonly number[];
  readonly rows: number;
};

export function Strip({ title, kind, parts, rows }: StripProps) {
  const levelOf = (count: number, part: number) => {
    const share = count / rowsIn(part, { parts: parts.length, rows });
    return count === 0 ? -1 : LEVELS.findIndex(({ from }) => share >= from);
  };
  const levels = parts.map(levelOf);
  return (
    <svg
      viewBox={`0 0 ${parts.length} 1`}
      preserveAspectRatio="none"
      class="strip"
      role="img"
      aria-label={title}
    >
      <rect width={parts.length} height="1" class="f-open" fill-opacity=".45" />
      {LEVELS.map(({ opacity }, level) => {
        const d = stretches(levels, level);
        return d === '' ? null : <path d={d} class={`f-${kind}`} fill-opacity={opacity} />;
      })}
    </svg>
  );
}

/** Neighbouring parts of one level as one rectangle. */
function stretches(levels: readonly number[], level: number): string {
  let path = '';
  for (let at = 0; at < levels.length; at += 1) {
    const start = at;
    while (at < levels.length && levels[at] === level) at += 1;
    if (at > start) path += `M${start} 0h${at - start}v1H${start}z`;
  }
  return path;
}

type StackedProps = {
  readonly title: string;
  /** From the bottom up. */
  readonly kinds: ReadonlyArray<{ readonly kind: string; readonly parts: readonly number[] }>;
  readonly parts: number;
  readonly rows: number;
};

export function StackedStrip({ title, kinds, parts, rows }: StackedProps) {
  const tops = new Float64Array(parts);
  const paths = kinds.map(({ kind, parts: counts }) => {
    const d = counts.map((count, at) => {
      if (count === 0) return '';
      const low = tops[at] ?? 0;
      const high = Math.min(1, low + count / rowsIn(at, { parts, rows }));
      tops[at] = high;
      return `M${at} ${round(100 - 100 * low)}V${round(100 - 100 * high)}h1V${round(100 - 100 * low)}z`;
    });
    return <path d={d.join('')} class={`f-${kind}`} />;
  });
  return (
    <svg
      viewBox={`0 0 ${parts} 100`}
      preserveAspectRatio="none"
      class="stacked"
      role="img"
      aria-label={title}
    >
      <rect width={parts} height="100" class="f-open" fill-opacity=".45" />
      {paths}
    </svg>
  );
}

/** Parts are of equal size, within a row. */
function rowsIn(part: number, { parts, rows }: { readonly parts: number; readonly rows: number }): number {
  const before = (n: number) => Math.ceil((n * rows) / parts);
  return Math.max(1, before(part + 1) - before(part));
}
