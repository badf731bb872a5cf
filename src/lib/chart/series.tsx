/**
 * How fast something went over time, and how long it took. Times count from a start, so they read
 * the same in every zone.
 */
import type { Child } from 'hono/jsx';
import { numberShown } from '../terminal.ts';

type SeriesProps = {
  readonly title: string;
  readonly seconds: number;
  /** One after the other; parts from the bottom up. */
  readonly stretches: ReadonlyArray<{
    readonly from: number;
    readonly to: number;
    readonly parts: ReadonlyArray<{ readonly kind: string; readonly value: number }>;
  }>;
  readonly events: ReadonlyArray<{ readonly n: number; readonly seconds: number }>;
};

export function Series({ title, seconds, stretches, events }: SeriesProps) {
  const most = Math.max(1, ...stretches.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  const { xOf, labels } = timeScale(seconds);
  return (
    <Frame
      title={title}
      most={most}
      side={numberShown}
      below={labels}
      draw={(yOf) => [
        ...pathsOf(stretches, xOf, yOf),
        ...events.map((event) => <Event n={event.n} x={round(xOf(event.seconds))} />),
      ]}
    />
  );
}

type Scale = (value: number) => number;

/** One path per kind: a few elements, however many stretches. */
function pathsOf(stretches: SeriesProps['stretches'], xOf: Scale, yOf: Scale) {
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
  /** Each with its class, `l-<kind>`, and its name. */
  readonly lines: ReadonlyArray<{
    readonly kind: string;
    readonly points: ReadonlyArray<{ readonly seconds: number; readonly value: number }>;
  }>;
  label(value: number): string;
};

export function Lines({ title, seconds, lines, label }: LinesProps) {
  const { xOf, labels } = timeScale(seconds);
  return (
    <Frame
      title={title}
      most={Math.max(1, ...lines.flatMap(({ points }) => points.map(({ value }) => value)))}
      side={label}
      below={labels}
      draw={(yOf) =>
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

// The frame of both: round numbers at the side, labels below.

const LEFT = 56;
const RIGHT = 450;
const TOP = 22;
const BOTTOM = 150;

type FrameProps = {
  readonly title: string;
  readonly most: number;
  side(value: number): string;
  readonly below: ReadonlyArray<{ readonly x: number; readonly label: string }>;
  draw(yOf: (value: number) => number): Child;
};

const LABEL_WIDTH = 40;

function Frame({ title, most, side, below, draw }: FrameProps) {
  const ticks = roundNumbers(Math.max(1, most));
  const highest = Math.max(most, ticks.at(-1) ?? 1);
  const yOf = (value: number) => BOTTOM - ((BOTTOM - TOP) * value) / highest;
  return (
    <svg {...drawnAt(460, 180)} aria-label={title}>
      {ticks.map((tick) => (
        <>
          <line class="grid" x1={LEFT} x2={RIGHT} y1={round(yOf(tick))} y2={round(yOf(tick))} />
          <text x={LEFT - 6} y={round(yOf(tick) + 4)} text-anchor="end" class="s">
            {side(tick)}
          </text>
        </>
      ))}
      {below.map(({ x, label }) => (
        <text x={round(x)} y="168" class="s" text-anchor={anchorAt(x)}>
          {label}
        </text>
      ))}
      {draw(yOf)}
    </svg>
  );
}

/** Keeps labels at the ends of the axis in the picture. */
function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x <= LEFT) return 'start';
  return x > RIGHT - LABEL_WIDTH / 2 ? 'end' : 'middle';
}

/** Three to six round numbers from 0 up, the last near the largest. */
function roundNumbers(largest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [0.2, 0.5, 1, 2].map((times) => times * power).find((one) => largest / one <= 5) ?? power;
  const whole = Math.max(1, step);
  return Array.from({ length: Math.floor(largest / whole) + 1 }, (_, i) => i * whole);
}

const DAY = 86_400;
const STEPS = [
  1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800,
];

/** A scale of that many seconds: places of moments, and labels. */
function timeScale(seconds: number) {
  const step = STEPS.find((one) => seconds / one <= 6) ?? Math.ceil(seconds / 6 / DAY) * DAY;
  const xOf = (at: number) => LEFT + ((RIGHT - LEFT) * Math.min(at, seconds)) / Math.max(seconds, 0.001);
  const labels = Array.from({ length: Math.floor(seconds / step) + 1 }, (_, i) => ({
    x: xOf(i * step),
    label: timeLabel(i * step),
  }));
  return { xOf, labels };
}

const UNITS = [
  ['d', DAY],
  ['h', 3_600],
  ['min', 60],
] as const;

function timeLabel(seconds: number): string {
  const unit = UNITS.find(([, length]) => seconds > 0 && seconds % length === 0);
  return unit === undefined ? `${seconds} s` : `${seconds / unit[1]} ${unit[0]}`;
}

/** At its own size: its letters are as large as those around it. */
export function drawnAt(width: number, height: number) {
  return { viewBox: `0 0 ${width} ${height}`, width, height, class: 'chart', role: 'img' as const };
}

export function round(n: number): string {
  return String(Math.round(n * 10) / 10);
}
