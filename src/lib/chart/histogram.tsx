/**
 * How many are how large: a bar for each step of a scale that doubles, with round numbers on the axis. Takes any number of steps,
 * and widths that are the same for all, since each step is named and not measured.
 */
import { numberShown } from '../terminal.ts';
import { round, roundNumbers } from './axis.ts';

type HistogramProps = {
  readonly title: string;
  readonly bars: ReadonlyArray<{ readonly label: string; readonly count: number }>;
};

const LEFT = 56;
const RIGHT = 470;
const TOP = 14;
const BOTTOM = 150;
const LABELS = 7;

export function Histogram({ title, bars }: HistogramProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const ticks = roundNumbers(most);
  const highest = Math.max(most, ticks.at(-1) ?? most);
  const yOf = (count: number) => round(BOTTOM - ((BOTTOM - TOP) * count) / highest);
  const step = Math.min(60, (RIGHT - LEFT) / Math.max(1, bars.length));
  const every = Math.ceil(bars.length / LABELS);
  return (
    <svg viewBox="0 0 480 180" role="img" aria-label={title}>
      {ticks.map((tick) => (
        <>
          <line class="grid" x1={LEFT} x2={RIGHT} y1={yOf(tick)} y2={yOf(tick)} />
          <text x={LEFT - 6} y={round(Number(yOf(tick)) + 4)} text-anchor="end" class="s">
            {numberShown(tick)}
          </text>
        </>
      ))}
      {bars.map(({ count }, i) => (
        <rect
          x={round(LEFT + i * step + 1)}
          y={yOf(count)}
          width={round(Math.max(1, step - 2))}
          height={round(BOTTOM - Number(yOf(count)))}
          class="f-bar"
        />
      ))}
      {bars.map(({ label }, i) =>
        i % every === 0 ? (
          <text x={round(LEFT + i * step)} y="168" class="s">
            {label}
          </text>
        ) : null,
      )}
    </svg>
  );
}
