import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean } from '../src/lib/did-you-mean.ts';
import { UsageError } from '../src/lib/usage-error.ts';
import { FIGURES, MEASUREMENTS, type MeasurementId } from './figures.ts';

/** What one call of the bench measures, and where it writes. */
export type BenchOptions = {
  readonly measurements: readonly MeasurementId[];
  readonly sizes: Sizes;
  readonly isQuick: boolean;
  /** The folder for performance.json; `null`: the bench's own. */
  readonly out: string | null;
  /** Into docs/, too. */
  readonly writesDocs: boolean;
  /** The built program: the absolute path of its main.js. */
  readonly program: string;
};

/**
 * What a command line asks for; `scale`: what rows and workers cost in Redis; `render`: docs/ again from its
 * performance.json and scale.json, without measuring.
 */
type BenchRequest =
  | { readonly kind: 'bench' | 'scale'; readonly options: BenchOptions }
  | { readonly kind: 'render' }
  | { readonly kind: 'help' };

export const HELP = `Measures the program against what its users would have instead, on 127.0.0.1 only.

  npm run bench                                 everything but the long ones
  npm run bench -- --only bare --rows 100000 --rounds 3
  npm run bench -- --write                      everything, into docs/performance.*
  npm run bench -- --scale --write              what rows and workers cost in Redis, into docs/scale.*

  --only         ${MEASUREMENTS.join(',')}; or figures of theirs
  --rounds       how often each comparison is made, its sides in turn (5; 3 for memory and time of 1,000,000 rows)
  --rows         the rows of the files that are sent at full speed (200000)
  --worker-rows  the rows for each of 1, 2 and 4 workers (40000)
  --long-rows    the rows of the long ones (1000000)
  --quick        small files and 3 rounds: a look, not a measurement
  --long         also the long ones: million and first-row (minutes for each round)
  --write        everything, long ones too, into docs/performance.json and .md
  --scale        instead: 1, 2, 4 and 8 workers, signs of life, bytes per key; with --write into docs/scale.json and .md
  --render       measures nothing: docs/performance.md and scale.md again, from performance.json and scale.json
  --program      another built main.js (dist/main.js)
  --out          the folder for performance.json (.onboard/bench)

CPU and what others used of the machine are read from /proc; elsewhere they are not measured. Exit status 1 where
something could not be measured; a target that is not met is a result like any other.
`;

const FLAGS = {
  only: { type: 'string' },
  rounds: { type: 'string' },
  rows: { type: 'string' },
  'worker-rows': { type: 'string' },
  'long-rows': { type: 'string' },
  quick: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  scale: { type: 'boolean', default: false },
  render: { type: 'boolean', default: false },
  program: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** What a command line asks for in the checkout at `root`; throws a UsageError where it can't be done. */
export function parseBenchArguments(args: readonly string[], root: string): BenchRequest {
  const flags = flagsOf(args);
  if (flags.help) return { kind: 'help' };
  if (flags.render) return { kind: 'render' };
  const { only, quick, write, program, scale } = flags;
  if (scale && only !== undefined)
    throw new UsageError('--scale: expected no --only, it measures all of its own');
  const isPart = quick || [only, flags['long-rows'], program].some((flag) => flag !== undefined);
  if (write && isPart) {
    throw new UsageError(
      '--write: expected none of --only, --quick, --long-rows and --program: one run of this checkout makes the whole table',
    );
  }
  return {
    kind: scale ? 'scale' : 'bench',
    options: {
      measurements: chosen(only, flags.long || write),
      sizes: sizesOf(flags),
      isQuick: quick,
      out: flags.out === undefined ? null : resolve(flags.out),
      writesDocs: write,
      program: program === undefined ? join(root, 'dist', 'main.js') : resolve(program),
    },
  };
}

type Flags = ReturnType<typeof flagsOf>;

function flagsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function sizesOf(flags: Flags): Sizes {
  const base = flags.quick ? QUICK : FULL;
  const rounds = wholeNumber('--rounds', flags.rounds) ?? base.rounds;
  return {
    ...base,
    rounds,
    longRounds: Math.min(base.longRounds, rounds),
    rows: wholeNumber('--rows', flags.rows) ?? base.rows,
    rowsPerWorker: wholeNumber('--worker-rows', flags['worker-rows']) ?? base.rowsPerWorker,
    longRows: wholeNumber('--long-rows', flags['long-rows']) ?? base.longRows,
  };
}

function chosen(only: string | undefined, withLong: boolean): readonly MeasurementId[] {
  if (only === undefined) return MEASUREMENTS.filter((id) => withLong || !LONG.has(id));
  const wanted = new Set(only.split(',').map(measurementOf));
  return MEASUREMENTS.filter((id) => wanted.has(id));
}

/** Those with a million rows. */
const LONG: ReadonlySet<MeasurementId> = new Set(['million', 'first-row']);

/** A measurement by its own name or by that of a figure it brings. */
function measurementOf(name: string): MeasurementId {
  const found = MEASUREMENTS.find((id) => id === name) ?? FIGURES.find(({ id }) => id === name)?.measurement;
  if (found !== undefined) return found;
  const names = [...new Set([...MEASUREMENTS, ...FIGURES.map(({ id }) => id)])];
  throw new UsageError(`--only ${name}: expected some of ${names.join(', ')}.${didYouMean(name, names)}`);
}

function wholeNumber(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`${flag} ${text}: expected a whole number from 1`);
}

/** How many rows the measurements take, and how often. */
type Sizes = {
  readonly rounds: number;
  /** At a service that answers at once. */
  readonly rows: number;
  /** On the service that answers after 50 ms: one process, for each of several, and those that each has sent before. */
  readonly slowRows: number;
  readonly rowsPerWorker: number;
  readonly warmRows: number;
  /** The long run and the short one it is compared with, and how often. */
  readonly longRows: number;
  readonly shortRows: number;
  readonly longRounds: number;
};

/** What the figures are about. */
const FULL: Sizes = {
  rounds: 5,
  rows: 200_000,
  slowRows: 20_000,
  rowsPerWorker: 40_000,
  warmRows: 10_000,
  longRows: 1_000_000,
  shortRows: 10_000,
  longRounds: 3,
};

/** Enough to see that everything works, too little to believe the numbers. */
const QUICK: Sizes = {
  rounds: 3,
  rows: 20_000,
  slowRows: 5_000,
  rowsPerWorker: 3_000,
  warmRows: 1_000,
  longRows: 50_000,
  shortRows: 5_000,
  longRounds: 1,
};
