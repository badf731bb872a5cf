/**
 * What every measurement works with: sizes, folders, input files, and the programs that are
 * compared.
 */
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Summary, summarySchema } from '../src/runs/report/summary.ts';
import { type Ended, type Processes, type Started, succeeded } from './processes.ts';

/** Requests in flight, of the program and of its peers. */
export const CONCURRENCY = 50;

/** How many rows the measurements take, and how often. */
export type Sizes = {
  readonly rounds: number;
  /** At a service that answers at once. */
  readonly rows: number;
  /**
   * On the slow service: of one process, of each of several, and those that each has sent before.
   */
  readonly slowRows: number;
  readonly rowsPerWorker: number;
  readonly warmRows: number;
  readonly longRows: number;
  readonly shortRows: number;
  /** That are checked. */
  readonly waitingRows: number;
};

/** The checkout, the bench's own folder in it, and the bundles. */
export type BenchPlace = { readonly root: string; readonly work: string; readonly code: string };

export type Bench = ReturnType<typeof createBench>;

type Parts = BenchPlace & {
  readonly sizes: Sizes;
  readonly processes: Processes;
  /** The built program's main.js. */
  readonly program: string;
  /** Shows a line while the measurement goes on. */
  tell(text: string): void;
};

export function createBench({ root, work, code, ...parts }: Parts) {
  const { processes } = parts;
  const files = new Map<string, Promise<string>>();
  const make = async (rows: number, keys: string) => {
    const out = join(work, `${keys}-${rows}.csv`);
    const script = join(root, 'scripts', 'large-file.mjs');
    const args = ['--rows', String(rows), '--keys', keys, '--out', out];
    succeeded(await processes.start(process.execPath, [script, ...args]).ended, 'large-file');
    return out;
  };
  return {
    ...parts,
    jobs: join(work, 'jobs'),
    folder: (name: string) => mkdtemp(join(work, `${name}-`)),
    /** A file of so many rows, whose keys begin with `keys`; made when it is first asked for. */
    rowsFile(rows: number, keys = 'LARGE'): Promise<string> {
      const name = `${keys}-${rows}`;
      const file = files.get(name) ?? make(rows, keys);
      files.set(name, file);
      return file;
    },
    /** One of the bench's bundled programs, by its name. */
    startOwn: (name: string, args: readonly string[]) =>
      processes.start(process.execPath, [join(code, `${name}.js`), ...args]),
  };
}

/** subclient.create with so many requests in flight; the only job in its folder. */
async function jobFile({ jobs }: Bench): Promise<string> {
  const file = join(jobs, 'bench-subclients.yaml');
  await mkdir(jobs, { recursive: true });
  await writeFile(
    file,
    `operation: subclient.create
files: "**/*.csv"
key: externalId
fields:
  additionalInformation.crmId: externalId
required: [details.name]
send: { concurrency: ${CONCURRENCY} }
`,
  );
  return file;
}

/** What the programs talk to. */
export type Outside = { readonly serviceUrl: string; readonly redisUrl: string };

async function startOnboard(
  bench: Bench,
  args: readonly string[],
  { serviceUrl, redisUrl }: Outside,
  home?: string,
): Promise<Started> {
  return bench.processes.start(process.execPath, [bench.program, ...args], {
    ONBOARD_HOME: home ?? (await bench.folder('home')),
    ONBOARD_JOBS: bench.jobs,
    MSB_BASE_URL: serviceUrl,
    MSB_TOKEN: 'bench',
    REDIS_URL: redisUrl,
  });
}

/** `onboard run` on a file of so many rows, in a fresh home. */
export async function startRun(bench: Bench, rows: number, outside: Outside): Promise<Started> {
  const args = ['run', '--job-file', await jobFile(bench), await bench.rowsFile(rows), '--json'];
  return startOnboard(bench, args, outside);
}

/** The summary of a run that created every row; an Error where it did not. */
export function createdAll(ended: Ended, rows: number): Summary {
  const line = succeeded(ended, 'onboard').stdout.trim().split('\n').at(-1) ?? '';
  const summary = summarySchema.parse(JSON.parse(line));
  if (summary.outcomes.created === rows && summary.controlTotal.holds) return summary;
  throw new Error(`${rows} rows were to be created, but: ${JSON.stringify(summary.outcomes)}`);
}

export async function startCheck(
  bench: Bench,
  rows: number,
  outside: Outside,
  more: readonly string[] = [],
): Promise<Started> {
  const args = ['check', '--job-file', await jobFile(bench), await bench.rowsFile(rows), '--json'];
  return startOnboard(bench, [...args, ...more], outside);
}

export function startPreview(bench: Bench, file: string, outside: Outside): Promise<Started> {
  return startOnboard(bench, ['preview', file], outside);
}

/** One of the peers on a file of so many rows. */
export async function startPeer(
  bench: Bench,
  peer: string,
  rows: number,
  args: readonly string[] = [],
): Promise<Started> {
  return bench.startOwn(peer, [await bench.rowsFile(rows), await jobFile(bench), ...args]);
}

const countSchema = z.object({ rows: z.number() });

/** A check or a peer that did all rows; an Error where it did not. */
export function didAll(ended: Ended, rows: number): void {
  const done = countSchema.parse(JSON.parse(succeeded(ended, 'it').stdout)).rows;
  if (done !== rows) throw new Error(`${done} of ${rows} rows were done`);
}

/** So many `onboard work`, each in a home of its own; resolves when all of them wait for rows. */
export async function startWorkers(
  bench: Bench,
  count: number,
  outside: Outside,
): Promise<readonly Started[]> {
  const workers: Started[] = [];
  for (let n = 0; n < count; n += 1) {
    const worker = await startOnboard(bench, ['work'], outside);
    workers.push(worker);
    await worker.said('Working for');
  }
  return workers;
}

/**
 * `onboard watch` with a file of so many rows in its inbox, to the run's end; it sends nothing
 * itself.
 */
export async function watchToEnd(bench: Bench, file: string, outside: Outside): Promise<void> {
  await jobFile(bench);
  const home = await bench.folder('home');
  const inbox = join(home, 'inbox');
  await mkdir(inbox);
  await copyFile(file, join(inbox, 'rows.csv'));
  const watch = await startOnboard(bench, ['watch', '--once', '--rest', '0.2', '--json'], outside, home);
  succeeded(await watch.ended, 'onboard watch');
}
