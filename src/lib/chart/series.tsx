/**
 * How fast something went over time, stacked by kind, with numbered events; and how long something took over time, as lines. Time is
 * counted from a start, so that it reads the same in every zone.
 */
import type { Child } from 'hono/jsx';
import { numberShown } from '../terminal.ts';
import { round, roundNumbers, roundTimes } from './axis.ts';

const LEFT = 48;
const RIGHT = 470;
const TOP = 22;
const BOTTOM = 150;

type Frame = { xOf(seconds: number): number; yOf(value: number): number };

type FramedProps = {
  readonly title: string;
  readonly seconds: number;
  readonly most: number;
  /** What the axis says of a value. */
  label(value: number): string;
  draw(frame: Frame): Child;
};

/** A label of a time, in the picture also where it stands at an end of the axis. */
function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x <= LEFT) return 'start';
  return x > RIGHT - LABEL / 2 ? 'end' : 'middle';
}

const LABEL = 40;

/** The axes; what is drawn between them comes from `draw`. */
function Framed({ title, seconds, most, label, draw }: FramedProps) {
  const ticks = roundNumbers(Math.max(1, most));
  const highest = Math.max(most, ticks.at(-1) ?? 1);
  const frame: Frame = {
    xOf: (at) => LEFT + ((RIGHT - LEFT) * Math.min(at, seconds)) / Math.max(seconds, 0.001),
    yOf: (value) => BOTTOM - ((BOTTOM - TOP) * value) / highest,
  };
  return (
    <svg viewBox="0 0 480 180" role="img" aria-label={title}>
      {ticks.map((tick) => (
        <>
          <line class="grid" x1={LEFT} x2={RIGHT} y1={round(frame.yOf(tick))} y2={round(frame.yOf(tick))} />
          <text x={LEFT - 6} y={round(frame.yOf(tick) + 4)} text-anchor="end" class="s">
            {label(tick)}
          </text>
        </>
      ))}
      {roundTimes(seconds).map(({ seconds: at, label: time }) => (
        <text x={round(frame.xOf(at))} y="168" class="s" text-anchor={anchorAt(frame.xOf(at))}>
          {time}
        </text>
      ))}
      {draw(frame)}
    </svg>
  );
}

type SeriesProps = {
  readonly title: string;
  readonly seconds: number;
  /** One after the other; from the bottom up. */
  readonly stretches: ReadonlyArray<{
    readonly from: number;
    readonly to: number;
    readonly parts: ReadonlyArray<{ readonly kind: string; readonly value: number }>;
  }>;
  /** Those long after the last stretch are left out: they would leave no room for what was before. */
  readonly events: ReadonlyArray<{ readonly n: number; readonly seconds: number }>;
};

/** A run's end comes a moment after its last rows. */
const AFTER_S = 3;

export function Series({ title, seconds, stretches, events }: SeriesProps) {
  const most = Math.max(1, ...stretches.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  return (
    <Framed
      title={title}
      seconds={seconds}
      most={most}
      label={numberShown}
      draw={(frame) => [
        ...pathsOf(stretches, frame),
        ...events
          .filter(({ seconds: at }) => at <= seconds + Math.max(AFTER_S, seconds / 10))
          .map(({ n, seconds: at }) => <Event n={n} x={round(frame.xOf(at))} />),
      ]}
    />
  );
}

/** One path for each kind, so that a picture of many stretches is a few elements. */
function pathsOf(stretches: SeriesProps['stretches'], { xOf, yOf }: Frame) {
  const paths = new Map<string, string>();
  for (const { from, to, parts } of stretches) {
    const [x0, x1] = [round(xOf(from)), round(xOf(to))];
    let below = 0;
    for (const { kind, value } of parts) {
      const [low, high] = [round(yOf(below)), round(yOf(below + value))];
      below += value;
      paths.set(kind, `${paths.get(kind) ?? ''}M${x0} ${low}V${high}H${x1}V${low}z`);
    }
  }
  return [...paths].map(([kind, d]) => <path d={d} class={`f-${kind}`} />);
}

function Event({ n, x }: { readonly n: number; readonly x: string }) {
  return (
    <>
      <line class="event" x1={x} x2={x} y1={TOP - 8} y2={BOTTOM} />
      <text x={x} y={TOP - 11} text-anchor="middle" class="s">
        {n}
      </text>
    </>
  );
}

type LinesProps = {
  readonly title: string;
  readonly seconds: number;
  /** Each with the name of its class, `l-<kind>`, and of what it shows. */
  readonly lines: ReadonlyArray<{
    readonly kind: string;
    readonly points: ReadonlyArray<{ readonly seconds: number; readonly value: number }>;
  }>;
  label(value: number): string;
};

export function Lines({ title, seconds, lines, label }: LinesProps) {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ value }) => value)));
  return (
    <Framed
      title={title}
      seconds={seconds}
      most={most}
      label={label}
      draw={({ xOf, yOf }) =>
        lines.map(({ kind, points }) => (
          <polyline
            class={`line l-${kind}`}
            points={points.map((at) => `${round(xOf(at.seconds))},${round(yOf(at.value))}`).join(' ')}
          />
        ))
      }
    />
  );
}
