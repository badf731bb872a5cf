import { SWEEP_MS } from '../../src/ledger/epoch.ts';
import { CONCURRENCY } from '../bench.ts';
import type { Beat, Costs } from './project.ts';
import type { ScaleResults, Together } from './scale-results.ts';

/** From that share of the possible on the machine did not hold the workers back. */
const UNHINDERED = 0.95;

/** What a projection is made from: a row costs what it did with the most workers that the machine had cores enough for. */
export function costsOf({ together, busy, beats }: Pick<ScaleResults, 'together' | 'busy' | 'beats'>): Costs {
  const [first, ...others] = together;
  const last = together.at(-1);
  const [fewest, ...more] = beats.map(withItsShareOfLooks);
  if (first === undefined || last === undefined || fewest === undefined)
    throw new Error('nothing was measured');
  const { perRow } = others.reduce((best, one) => (isUnhindered(one) ? one : best), first);
  return {
    row: {
      ...perRow,
      busyRedisMicros: Math.min(busy.perRow.redisMicros, perRow.redisMicros),
      networkBytes: perRow.bytesIn + perRow.bytesOut,
      // The start of a process is no part of a row.
      readerMicros: slope(
        [first, last],
        ({ rows }) => rows,
        ({ rows, perRow: { readerMicros } }) => rows * readerMicros,
      ),
    },
    idleWorker: idleWorker(first, last),
    beats: [fewest, ...more],
  };
}

/** Whoever gives a sign of life when it is due looks at all members, for all of them. */
function withItsShareOfLooks({
  members,
  commands,
  redisMicros,
  lookMicros,
}: ScaleResults['beats'][number]): Beat {
  return { members, commands, redisMicros: redisMicros + (lookMicros * 1000) / (SWEEP_MS * members) };
}

function isUnhindered({ workers, rowsPerSecond, heldMs }: Together): boolean {
  return rowsPerSecond >= (UNHINDERED * workers * CONCURRENCY * 1000) / heldMs;
}

/** What one more worker adds: what Redis does by itself is no part of it. */
function idleWorker(first: Together, last: Together): Costs['idleWorker'] {
  const more = (value: (one: Together['perIdleWorker']) => number) =>
    slope(
      [first, last],
      ({ workers }) => workers,
      ({ workers, perIdleWorker }) => workers * value(perIdleWorker),
    );
  return {
    commands: more(({ commands }) => commands),
    redisMicros: more(({ redisMicros }) => redisMicros),
    networkBytes: more(({ networkBytes }) => networkBytes),
  };
}

/** How much more of `y` there is for one more of `x`; of a single measurement, how much there is for each. */
function slope(
  [from, to]: readonly [Together, Together],
  x: (one: Together) => number,
  y: (one: Together) => number,
) {
  return from === to ? y(to) / x(to) : Math.max(0, (y(to) - y(from)) / (x(to) - x(from)));
}
