/** The frame of pictures over a scale: round numbers at the side, labels below. */
import type { Child } from 'hono/jsx';

const LEFT = 56;
const RIGHT = 470;
export const TOP = 22;
export const BOTTOM = 150;

type FrameProps = {
  readonly title: string;
  readonly most: number;
  side(value: number): string;
  readonly below: ReadonlyArray<{ readonly x: number; readonly label: string }>;
  draw(yOf: (value: number) => number): Child;
};

const LABEL_WIDTH = 40;

export function Frame({ title, most, side, below, draw }: FrameProps) {
  const ticks = roundNumbers(Math.max(1, most));
  const highest = Math.max(most, ticks.at(-1) ?? 1);
  const yOf = (value: number) => BOTTOM - ((BOTTOM - TOP) * value) / highest;
  return (
    <svg viewBox="0 0 480 180" role="img" aria-label={title}>
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
export function timeScale(seconds: number) {
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

export function round(n: number): string {
  return String(Math.round(n * 10) / 10);
}
