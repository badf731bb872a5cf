/**
 * How many are how large: a bar for each step of a scale. Takes any number of steps, and widths that
 * are the same for all, since each step is named and not measured.
 */
import { numberShown } from '../terminal.ts';
import { BOTTOM, Frame, LEFT, RIGHT, round } from './frame.tsx';

type HistogramProps = {
  readonly title: string;
  readonly bars: ReadonlyArray<{ readonly label: string; readonly count: number }>;
};

const LABELS = 7;

export function Histogram({ title, bars }: HistogramProps) {
  const step = Math.min(60, (RIGHT - LEFT) / Math.max(1, bars.length));
  const every = Math.ceil(bars.length / LABELS);
  const placed = bars.map((bar, i) => ({ ...bar, x: LEFT + i * step }));
  return (
    <Frame
      title={title}
      most={Math.max(1, ...bars.map(({ count }) => count))}
      side={numberShown}
      below={placed.filter((_, i) => i % every === 0)}
      draw={(yOf) =>
        placed.map(({ count, x }) => (
          <rect
            x={round(x + 1)}
            y={round(yOf(count))}
            width={round(Math.max(1, step - 2))}
            height={round(BOTTOM - yOf(count))}
            class="f-bar"
          />
        ))
      }
    />
  );
}
