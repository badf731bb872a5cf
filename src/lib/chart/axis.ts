/**
 * Round numbers for axes: of counts, and of time, whose steps people read as seconds, minutes, hours and days; and coordinates as
 * short as a picture needs them.
 */

/** Some three to six round numbers from 0 up, the last of them near the largest. */
export function roundNumbers(largest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [0.2, 0.5, 1, 2].map((times) => times * power).find((one) => largest / one <= 5) ?? power;
  const whole = Math.max(1, step);
  return Array.from({ length: Math.floor(largest / whole) + 1 }, (_, i) => i * whole);
}

/** To a tenth of a picture's unit. */
export function round(n: number): string {
  return String(Math.round(n * 10) / 10);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  1,
  2,
  5,
  10,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

/** Seconds from 0 up to `longest`, at most seven of them, as people say them. */
export function roundTimes(
  longest: number,
): ReadonlyArray<{ readonly seconds: number; readonly label: string }> {
  const step = STEPS.find((one) => longest / one <= 6) ?? Math.ceil(longest / 6 / DAY) * DAY;
  return Array.from({ length: Math.floor(longest / step) + 1 }, (_, i) => ({
    seconds: i * step,
    label: timeLabel(i * step),
  }));
}

const UNITS = [
  { name: 'd', seconds: DAY },
  { name: 'h', seconds: HOUR },
  { name: 'min', seconds: MINUTE },
] as const;

function timeLabel(seconds: number): string {
  const unit = UNITS.find((one) => seconds > 0 && seconds % one.seconds === 0);
  return unit === undefined ? `${seconds} s` : `${seconds / unit.seconds} ${unit.name}`;
}
