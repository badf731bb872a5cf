import { spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../scripts/setup/find-program.mjs';
import { serverProcess } from '../src/redis/server-process.ts';
import { type Bench, createBench } from './bench.ts';
import { renderDocuments, writeData } from './documents.ts';
import { MEASURE } from './measurements.ts';
import type { BenchOptions } from './options.ts';
import { createProcesses } from './processes.ts';
import { judge, type Measured, type Results } from './results.ts';
import { renderText } from './table.ts';

/** Where the bench stands: the checkout, its own folder there, and within it one for this call alone. */
export type BenchPlace = {
  readonly root: string;
  readonly own: string;
  readonly work: string;
  /** The bundles. */
  readonly code: string;
};

const INTERRUPTED_EXIT = 130;

/** Measures what is asked for, prints and writes it; answers 1 where something could not be measured, 130 after Ctrl-C. */
export function runSession(options: BenchOptions, place: BenchPlace): Promise<number> {
  return withBench(options, place, async (bench, machine) => {
    const session = await measureEach(bench);
    if (bench.processes.isClosed()) return INTERRUPTED_EXIT;
    await hand(session, { options, machine, place });
    return session.failed ? 1 : 0;
  });
}

/** Opens a bench for a measurement, and ends with it everything that it has started; 130 after Ctrl-C. */
export async function withBench(
  options: BenchOptions,
  place: BenchPlace,
  measure: (bench: Bench, machine: Results['machine']) => Promise<number>,
): Promise<number> {
  const processes = createProcesses();
  // Whatever waits for a process hears of its end, and the measurement ends with an Error. npm passes Ctrl-C on, so
  // that it comes twice.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void processes.close());
  try {
    const bench = await createBench({ ...place, options, processes, tell });
    const machine = readMachine(place.work);
    if (machine.load > BUSY) tell(busy(machine.load));
    return await measure(bench, machine);
  } catch (error) {
    if (processes.isClosed()) return INTERRUPTED_EXIT;
    throw error;
  } finally {
    await processes.close();
    await endLeftRedis(place.work);
  }
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Others at work beside the bench, on average. */
const BUSY = 0.5;

function busy(load: number): string {
  return `This machine is at work (load ${load}): the figures will be worse than the program is.`;
}

type Session = { readonly measured: readonly Measured[]; readonly failed: boolean };

/** One that can't be measured doesn't keep the others from it. */
async function measureEach(bench: Bench): Promise<Session> {
  const measured: Measured[] = [];
  let failed = false;
  for (const id of bench.options.measurements) {
    if (bench.processes.isClosed()) break;
    tell(`${id}:`);
    try {
      measured.push(...(await MEASURE[id](bench)).map(judge));
    } catch (error) {
      failed = true;
      tell(`  could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      await bench.processes.stopAll();
    }
  }
  return { measured, failed };
}

type Circumstances = {
  readonly options: BenchOptions;
  readonly machine: Results['machine'];
  readonly place: BenchPlace;
};

/** Prints the table and writes the results; into docs/ only where nothing is missing. */
async function hand(
  { measured, failed }: Session,
  { options, machine, place }: Circumstances,
): Promise<void> {
  const results: Results = {
    measuredAt: new Date().toISOString(),
    command: `npm run bench -- ${process.argv.slice(2).join(' ')}`,
    quick: options.isQuick,
    machine,
    sizes: options.sizes,
    figures: [...measured],
  };
  process.stdout.write(`\n${renderText(measured)}\n${options.isQuick ? QUICK_CAUTION : ''}\n`);
  const folder = options.out ?? place.own;
  await writeData(results, folder);
  process.stdout.write(`${join(folder, 'performance.json')}\n`);
  if (!options.writesDocs || failed) return;
  await writeData(results, join(place.root, 'docs'));
  await renderDocuments(join(place.root, 'docs'));
}

const QUICK_CAUTION =
  '\n--quick: smaller files than the figures are about, and too short for most of them.\n';

/** Magic numbers of statfs(2) for what a disk of ours usually is. */
const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0x794c7630, 'overlayfs'],
  [0x01021994, 'tmpfs (memory: fsync costs nothing)'],
]);

/** What was measured on; `folder`: where the bench has its files. */
function readMachine(folder: string): Results['machine'] {
  const [cpu] = cpus();
  const disk = statfsSync(folder).type;
  const nginx = versionOf(findProgram('nginx'), '-v', /nginx\/(\S+)/);
  return {
    processor: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().split('.').slice(0, 2).join('.')}`,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    disk: FILE_SYSTEMS.get(disk) ?? `file system 0x${disk.toString(16)}`,
    node: process.version,
    redis: versionOf(findProgram('redis-server', 'valkey-server'), '--version', /v=(\S+)/) ?? 'none',
    service: nginx === null ? 'Node' : `nginx ${nginx}`,
  };
}

/** nginx writes its version to stderr, Redis to stdout. */
function versionOf(program: string | null, flag: string, pattern: RegExp): string | null {
  if (program === null) return null;
  const { stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  return pattern.exec(stdout + stderr)?.[1] ?? 'unknown';
}

/** Ends every embedded Redis that a killed process has left in the homes below a folder. */
async function endLeftRedis(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const redis = join(folder, name, 'redis');
    for (const taking of await readdir(redis).catch(() => [])) {
      const pid = await serverProcess(join(redis, taking));
      if (pid !== null) process.kill(pid, 'SIGKILL');
    }
  }
}
