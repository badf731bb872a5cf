import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SWEEP_MS } from '../../src/ledger/epoch.ts';
import { CONCURRENCY } from '../bench.ts';
import { fillBlocks } from '../documents.ts';
import { DELAY_MS } from '../service/fast-service.ts';
import { costsOf } from './costs-of.ts';
import { type Limit, project } from './project.ts';
import { type ScaleResults, scaleResultsSchema, type Together } from './scale-results.ts';

/** Brings the blocks of a folder's scale.md in line with its scale.json. */
export async function renderScale(folder: string): Promise<void> {
  const page = join(folder, 'scale.md');
  await writeFile(page, fillScalePage(await readFile(page, 'utf8'), await readScale(folder)));
}

export async function readScale(folder: string): Promise<ScaleResults> {
  return scaleResultsSchema.parse(JSON.parse(await readFile(join(folder, 'scale.json'), 'utf8')));
}

/** The page with what was measured in it; an Error where a mark is missing. */
export function fillScalePage(page: string, results: ScaleResults): string {
  return fillBlocks(page, {
    together: `${renderTogether(results)}\n\n${conditions(results)}`,
    beats: renderBeats(results),
    projected: renderProjections(results),
    keys: renderKeys(results),
  });
}

function conditions({
  machine,
  command,
  measuredAt,
  clientCommandsPerRow,
  fsyncMicros,
  busy,
}: ScaleResults): string {
  const { processor, cores, memoryGiB, system, load, disk, node, redis } = machine;
  return [
    `Measured on ${measuredAt.slice(0, 10)} with \`${command}\`: ${cores} cores (${processor}), ${memoryGiB} GiB, ${system},`,
    `${disk}, load ${load} before; Node ${node}, Redis ${redis}. At one worker ${clientCommandsPerRow.toFixed(2)} commands a row came from`,
    `a process, the others from scripts. A 4 KiB append took ${(fsyncMicros / 1000).toFixed(2)} ms to reach the disk (median of 200).`,
    `One \`onboard run\` at a service that answers at once: ${busy.rowsPerSecond.toFixed(0)} rows/s, ${busy.perRow.commands.toFixed(2)} commands, ${busy.perRow.scripts.toFixed(3)} scripts and ${busy.perRow.redisMicros.toFixed(0)} µs of Redis a row.`,
    'Every number is in [scale.json](scale.json).',
  ].join('\n');
}

type Line = readonly [name: string, value: (one: Together) => string];

const LINES: readonly Line[] = [
  ['rows/s, in the middle of the run', ({ rowsPerSecond }) => rowsPerSecond.toFixed(0)],
  ['commands of Redis, a row', ({ perRow }) => perRow.commands.toFixed(2)],
  ['of them scripts called, a row', ({ perRow }) => perRow.scripts.toFixed(3)],
  ["CPU of Redis' thread, a row", ({ perRow }) => micros(perRow.redisMicros)],
  ['bytes to Redis, a row', ({ perRow }) => perRow.bytesIn.toFixed(0)],
  ['bytes from Redis, a row', ({ perRow }) => perRow.bytesOut.toFixed(0)],
  ['bytes of append-only file, a row', ({ perRow }) => perRow.aofBytes.toFixed(0)],
  ['bytes kept in memory when the run is over, a row', ({ perRow }) => perRow.keptBytes.toFixed(0)],
  ['CPU of the workers, a row', ({ perRow }) => micros(perRow.workerMicros)],
  ['CPU of `onboard watch`, a row', ({ perRow }) => micros(perRow.readerMicros)],
  ['a worker that waits: commands a second', ({ perIdleWorker }) => perIdleWorker.commands.toFixed(1)],
  ["a worker that waits: CPU of Redis' thread a second", (one) => micros(one.perIdleWorker.redisMicros)],
  ['a worker that waits: bytes on the network a second', (one) => one.perIdleWorker.networkBytes.toFixed(0)],
  ['a worker that waits: connections', ({ perIdleWorker }) => perIdleWorker.connections.toFixed(1)],
  [
    'a worker that waits: memory of Redis',
    (one) => `${(one.perIdleWorker.memoryBytes / 1000).toFixed(0)} kB`,
  ],
];

/** What was measured with 1, 2, 4 and 8 workers, a column each. */
export function renderTogether({ together }: ScaleResults): string {
  const header = ['workers', ...together.map(({ workers }) => String(workers))];
  return table(
    header,
    LINES.map(([name, value]) => [name, ...together.map(value)]),
  );
}

/** What one sign of life costs among so many members. */
function renderBeats({ beats }: ScaleResults): string {
  const header = [
    'workers',
    'commands',
    "CPU of Redis' thread",
    'when it looks at all of them',
    'all of them together, each second',
  ];
  const lines = beats.map(({ members, commands, redisMicros, lookMicros }) => [
    count(members),
    commands.toFixed(0),
    micros(redisMicros),
    micros(lookMicros),
    share((members * redisMicros + (lookMicros * 1000) / SWEEP_MS) / 1_000_000),
  ]);
  return table(header, lines);
}

const LOADS = [
  { workers: 10, runs: 1 },
  { workers: 100, runs: 1 },
  { workers: 100, runs: 2 },
  { workers: 1_000, runs: 1 },
  { workers: 1_000, runs: 16 },
] as const;

const LIMIT_WORDS: Readonly<Record<Limit, string>> = {
  'in-flight': 'nothing: as many rows as are in flight',
  'open-chunks': 'the open chunks of the run',
  worker: "the workers' own cores",
  reader: 'the process that reads the file',
  redis: "Redis' thread",
};

/** What 10, 100 and 1,000 workers come to, from what was measured. */
export function renderProjections(results: ScaleResults): string {
  const header = [
    'workers',
    'runs',
    'wanted, rows/s',
    'possible, rows/s',
    'commands/s',
    'scripts/s',
    'network',
    "Redis' thread, at most",
    'full first',
  ];
  const costs = costsOf(results);
  const lines = LOADS.map((load) => {
    const names = [count(load.workers), count(load.runs)];
    const at = project(costs, { ...load, concurrency: CONCURRENCY, latencyMs: DELAY_MS });
    const rates = [at.wanted, at.rows, at.commands, at.scripts].map((rate) =>
      count(Number(rate.toPrecision(2))),
    );
    return [...names, ...rates, megabytes(at.networkBytes), share(at.redisShare), LIMIT_WORDS[at.first]];
  });
  return table(header, lines);
}

/** Bytes of Redis per key of the identity ledger. */
export function renderKeys(results: ScaleResults): string {
  const header = ['keys', 'settings of Redis', 'bytes per key'];
  const lines = results.keys.map(({ keys, settings, bytesPerKey }) => [
    count(keys),
    settings,
    bytesPerKey.toFixed(0),
  ]);
  return table(header, lines);
}

function table(header: readonly string[], lines: ReadonlyArray<readonly string[]>): string {
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function micros(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} µs`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB/s`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
