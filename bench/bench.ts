import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchOptions } from './options.ts';
import type { Ended, Processes } from './processes.ts';

/** What every measurement works with. */
export type Bench = {
  readonly options: BenchOptions;
  readonly processes: Processes;
  /** The bundled peers and servers: `<name>.js`. */
  readonly code: string;
  /** A job definition: subclient.create with 50 requests in flight. The only one in its folder. */
  readonly job: string;
  /** The same with so many requests in flight and, if wanted, a mark in their path; likewise the only one in its folder. */
  jobWith(concurrency: number, mark?: string): Promise<string>;
  /** The input file of that many rows, whose keys begin with `keys`; made when it is asked for the first time. */
  rowsFile(rows: number, keys?: string): Promise<string>;
  /** A new folder that goes with the bench. */
  folder(name: string): Promise<string>;
  /** A new folder for an `ONBOARD_HOME`, likewise. */
  home(): Promise<string>;
  /** A line for whoever waits. */
  tell(text: string): void;
};

/** Requests in flight, of the program and of its peers. */
export const CONCURRENCY = 50;

const jobText = (concurrency: number, mark: string) => `operation: subclient.create
files: "**/*.csv"
key: externalId
fields:
  additionalInformation.crmId: externalId
required: [details.name]
send: { concurrency: ${concurrency} }
${mark === '' ? '' : `query: { mark: ${mark} }\n`}`;

/** What the keys of a file begin with that is the only one of its ledger. */
const KEYS = 'LARGE';

type Parts = Pick<Bench, 'options' | 'processes' | 'code' | 'tell'> & {
  /** The checkout, and the bench's own folder. */
  readonly root: string;
  readonly work: string;
};

export async function createBench({ root, work, ...parts }: Parts): Promise<Bench> {
  const jobWith = async (concurrency: number, mark = '') => {
    const jobs = join(work, `jobs-${concurrency}${mark}`);
    const job = join(jobs, 'bench-subclients.yaml');
    await mkdir(jobs, { recursive: true });
    await writeFile(job, jobText(concurrency, mark));
    return job;
  };
  const folder = (name: string) => mkdtemp(join(work, `${name}-`));
  const files = new Map<string, Promise<string>>();
  const make = async (rows: number, keys: string) => {
    const out = join(work, `${keys}-${rows}.csv`);
    const script = join(root, 'scripts', 'make-samples.mjs');
    const args = ['--operation', 'subclient.create', '--rows', String(rows), '--keys', keys, '--out', out];
    succeeded(await parts.processes.start(process.execPath, [script, ...args]).ended, 'make-samples');
    return out;
  };
  return {
    ...parts,
    job: await jobWith(CONCURRENCY),
    jobWith,
    folder,
    home: () => folder(HOME),
    rowsFile(rows, keys = KEYS) {
      const name = `${keys}-${rows}`;
      const file = files.get(name) ?? make(rows, keys);
      files.set(name, file);
      return file;
    },
  };
}

const HOME = 'home';

/** What a process ended as, where it succeeded; an Error with its words where it did not. */
export function succeeded(ended: Ended, what: string): Ended {
  if (ended.exitCode === 0) return ended;
  throw new Error(`${what} ended with status ${ended.exitCode}: ${ended.stderr.slice(-2000)}`);
}
