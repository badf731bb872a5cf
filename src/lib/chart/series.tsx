/**
 * How fast something went over time, and how long it took. Times count from a start, so they read
 * the same in every zone.
 */
import { numberShown } from '../terminal.ts';
import { BOTTOM, Frame, round, TOP, timeScale } from './frame.tsx';

type SeriesProps = {
  readonly title: string;
  readonly seconds: number;
  /** One after the other; parts from the bottom up. */
  readonly stretches: ReadonlyArray<{
    readonly from: number;
    readonly to: number;
    readonly parts: ReadonlyArray<{ readonly kind: string; readonly value: number }>;
  }>;
  /** Events long after the last stretch are left out: they would take all the room. */
  readonly events: ReadonlyArray<{ readonly n: number; readonly seconds: number }>;
};

/** A run's end comes a moment after its last rows. */
const AFTER_S = 3;

export function Series({ title, seconds, stretches, events }: SeriesProps) {
  const most = Math.max(1, ...stretches.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  const { xOf, labels } = timeScale(seconds);
  const shown = events.filter((event) => event.seconds <= seconds + Math.max(AFTER_S, seconds / 10));
  return (
    <Frame
      title={title}
      most={most}
      side={numberShown}
      below={labels}
      draw={(yOf) => [
        ...pathsOf(stretches, xOf, yOf),
        ...shown.map((event) => <Event n={event.n} x={round(xOf(event.seconds))} />),
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
