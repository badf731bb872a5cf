/**
 * `npm run bench`: measures the program beside what one would have instead, within one run, on
 * 127.0.0.1, and prints a table in Markdown. docs/performance.md quotes it.
 */
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../src/lib/usage-error.ts';
import { type Bench, type BenchPlace, createBench, type Sizes } from './bench.ts';
import { assertCanMeasure } from './cpu.ts';
import { type Figure, MEASUREMENTS, type MeasurementId } from './measurements.ts';
import { createProcesses } from './processes.ts';

const HELP = `Measures the program against what its users would have instead, on 127.0.0.1 only. Linux only.

  npm run bench                                 everything; leave the machine alone meanwhile
  npm run bench -- --only peers --rounds 9      one comparison, more often

  --only      ${Object.keys(MEASUREMENTS).join(',')}
  --rounds    how often each comparison is made, its sides in turn (5)
  --rows      the rows of the files that are sent at full speed (200000), or checked (1000000)
  --quick     small files and one round: does everything work here?
  --program   another built main.js (dist/main.js)

Exit status 1 where something could not be measured; a target that is not met is a result like any other.
`;

const FLAGS = {
  only: { type: 'string', default: Object.keys(MEASUREMENTS).join(',') },
  rounds: { type: 'string' },
  rows: { type: 'string' },
  quick: { type: 'boolean', default: false },
  program: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const FULL: Sizes = {
  rounds: 5,
  rows: 200_000,
  slowRows: 20_000,
  rowsPerWorker: 40_000,
  warmRows: 10_000,
  longRows: 1_000_000,
  shortRows: 10_000,
  waitingRows: 1_000_000,
};
const QUICK: Sizes = {
  rounds: 1,
  rows: 20_000,
  slowRows: 5_000,
  rowsPerWorker: 3_000,
  warmRows: 1_000,
  longRows: 50_000,
  shortRows: 5_000,
  waitingRows: 20_000,
};

type Options = ReturnType<typeof parseBenchArguments>;

/** Answers the exit status. */
export async function runBench(place: BenchPlace, args: readonly string[]): Promise<number> {
  try {
    const options = parseBenchArguments(args, place.root);
    if (options.help) process.stdout.write(HELP);
    return options.help ? 0 : await measureAll(options, place);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 3;
  }
}

function parseBenchArguments(args: readonly string[], root: string) {
  const { only, rounds, rows, quick, program, help } = flagsOf(args);
  const base = quick ? QUICK : FULL;
  return {
    help,
    measurements: only.split(',').map(measurementOf),
    sizes: {
      ...base,
      rounds: wholeNumber('--rounds', rounds, base.rounds),
      rows: wholeNumber('--rows', rows, base.rows),
      waitingRows: wholeNumber('--rows', rows, base.waitingRows),
    },
    program: resolve(program ?? join(root, 'dist', 'main.js')),
  };
}

function flagsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function isMeasurement(name: string): name is MeasurementId {
  return Object.hasOwn(MEASUREMENTS, name);
}

function measurementOf(name: string): MeasurementId {
  if (isMeasurement(name)) return name;
  throw new UsageError(`--only ${name}: expected some of ${Object.keys(MEASUREMENTS).join(', ')}`);
}

function wholeNumber(flag: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`${flag} ${text}: expected a whole number from 1`);
}

const INTERRUPTED_EXIT = 130;

async function measureAll(options: Options, place: BenchPlace): Promise<number> {
  assertCanMeasure();
  const processes = createProcesses();
  const bench = createBench({ ...place, ...options, processes, tell });
  let isInterrupted = false;
  // Whatever waits for a process sees it end, and the measurement fails. npm passes Ctrl-C on, so
  // that it comes twice.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isInterrupted = true;
      void processes.stopAll();
    });
  const load = loadavg()[0] ?? 0;
  const figures: Figure[] = [];
  let failed = false;
  for (const id of options.measurements) {
    if (isInterrupted) break;
    const found = await measureOne(bench, id);
    failed ||= found === null;
    figures.push(...(found ?? []));
  }
  if (isInterrupted) return INTERRUPTED_EXIT;
  process.stdout.write(`\n${tableOf(figures)}\n\n${conditions(load, options.sizes)}\n`);
  return failed ? 1 : 0;
}

/** `null` where it can't be measured: that doesn't keep the others from it. */
async function measureOne(bench: Bench, id: MeasurementId): Promise<readonly Figure[] | null> {
  tell(`${id}:`);
  try {
    return await MEASUREMENTS[id](bench);
  } catch (error) {
    tell(`  could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    await bench.processes.stopAll();
    return null;
  }
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

const HEADER = [
  'figure',
  'target',
  'median',
  'least and greatest',
  'rounds',
  'used by others, at most',
] as const;

function tableOf(figures: readonly Figure[]): string {
  const rows = [HEADER, HEADER.map(() => '---'), ...figures.map(cellsOf)];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf({ title, unit, target = '', values, others }: Figure): readonly string[] {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const spread = `${amount(Math.min(...values), unit)} to ${amount(Math.max(...values), unit)}`;
  return [
    title,
    target,
    amount(median, unit),
    spread,
    String(values.length),
    amount(Math.max(...others), '%'),
  ];
}

function amount(value: number, unit: Figure['unit']): string {
  if (unit === '%') return `${(value * 100).toFixed(1)} %`;
  return `${value.toFixed(unit === '×' ? 2 : 0)} ${unit}`.trimEnd();
}

function conditions(load: number, { rows }: Sizes): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GiB, \
${type()} ${release()}, Node ${process.version}, load ${load.toFixed(2)} before; ${rows} rows at full speed.`;
}
