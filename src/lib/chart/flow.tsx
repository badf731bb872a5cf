/**
 * How many went where. A ribbon's width is in proportion, and the least one can just be seen: with
 * a larger one, seven rows in doubt would look like thousands.
 */
import { numberShown } from '../terminal.ts';
import { drawnAt, round } from './series.tsx';

type Branch = {
  readonly label: string;
  readonly ends: ReadonlyArray<{ readonly kind: string; readonly label: string; readonly rows: number }>;
};

type FlowProps = {
  readonly title: string;
  readonly rows: number;
  readonly branches: readonly Branch[];
};

const HEIGHT = 160;
const LEAST = 1.5;
const SLOT = 22;
const GAP = 34;
const X = { whole: 120, branch: 330, end: 540 } as const;
const BAR = 12;
const WIDTH = 760;

export function Flow({ title, rows, branches }: FlowProps) {
  const scale = HEIGHT / Math.max(1, rows);
  const widthOf = (part: number) => Math.max(LEAST, part * scale);
  const placed = place(branches, widthOf);
  const height = (placed.at(-1)?.bottom ?? HEIGHT) + 8;
  const total = placed.reduce((sum, { width }) => sum + width, 0);
  const top = Math.max(22, (height - total) / 2);
  let from = top;
  return (
    <svg {...drawnAt(WIDTH, Math.ceil(height))} aria-label={title}>
      <rect x={X.whole} y={round(top)} width={BAR} height={round(total)} class="f-rib" />
      <text x={X.whole - 8} y={round(top + total / 2)} text-anchor="end" class="b">
        {numberShown(rows)}
      </text>
      <text x={X.whole - 8} y={round(top + total / 2 + 16)} text-anchor="end">
        rows in the file
      </text>
      {placed.map((branch) => {
        const start = from;
        from += branch.width;
        return <PlacedBranch branch={branch} start={start} />;
      })}
    </svg>
  );
}

type PlacedEnd = Branch['ends'][number] & { readonly y: number; readonly width: number };
type Placed = {
  readonly label: string;
  readonly rows: number;
  readonly y: number;
  readonly width: number;
  readonly bottom: number;
  readonly ends: readonly PlacedEnd[];
};

function place(branches: readonly Branch[], widthOf: (rows: number) => number): readonly Placed[] {
  let top = 22;
  return branches.map(({ label, ends }) => {
    let y = top;
    const placedEnds = ends.map((end) => {
      const width = widthOf(end.rows);
      const slot = Math.max(SLOT, width);
      const at = { ...end, y: y + (slot - width) / 2, width };
      y += slot;
      return at;
    });
    const rows = ends.reduce((sum, end) => sum + end.rows, 0);
    const width = placedEnds.reduce((sum, end) => sum + end.width, 0);
    const placed = { label, rows, y: top, width, bottom: y, ends: placedEnds };
    top = y + GAP;
    return placed;
  });
}

function PlacedBranch({ branch, start }: { readonly branch: Placed; readonly start: number }) {
  const { label, rows, y, width, ends } = branch;
  let from = y;
  return (
    <>
      <path d={ribbon(X.whole + BAR, start, X.branch, y, width)} class="f-rib" fill-opacity=".35" />
      <rect x={X.branch} y={round(y)} width={BAR} height={round(width)} class="f-rib" />
      <text x={X.branch + BAR / 2} y={round(y - 7)} text-anchor="middle">
        {label} <tspan class="b">{numberShown(rows)}</tspan>
      </text>
      {ends.map((end) => {
        const at = from;
        from += end.width;
        return (
          <>
            <path
              d={ribbon(X.branch + BAR, at, X.end, end.y, end.width)}
              class={`f-${end.kind}`}
              fill-opacity=".35"
            />
            <rect x={X.end} y={round(end.y)} width={BAR} height={round(end.width)} class={`f-${end.kind}`} />
            <text x={X.end + BAR + 8} y={round(end.y + end.width / 2 + 4)}>
              <tspan class="b">{numberShown(end.rows)}</tspan> {end.label}
            </text>
          </>
        );
      })}
    </>
  );
}

function ribbon(x0: number, y0: number, x1: number, y1: number, width: number): string {
  const middle = (x0 + x1) / 2;
  const [a, b, c, d] = [y0, y1, y1 + width, y0 + width].map(round);
  return `M${x0},${a}C${middle},${a} ${middle},${b} ${x1},${b}V${c}C${middle},${c} ${middle},${d} ${x0},${d}Z`;
}
