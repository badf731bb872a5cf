import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../config/job-definition.ts';
import { type FurtherProblems, listJobs, loadJob } from '../config/load-job.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import { inboxProblems } from './inbox-folder.ts';
import { orderProblems } from './job-order.ts';

/** The definitions of a jobs folder as they are by now. */
export type JobBook = {
  /** Those that can be used, and the last usable version of those that can't be any more. */
  jobs(): readonly Job[];
  /** Job → what is wrong with its definition. */
  broken(): ReadonlyMap<string, readonly string[]>;
  /** Reads them again where a file was changed; true where it was. */
  refresh(): Promise<boolean>;
};

type Loaded = { readonly jobs: readonly Job[]; readonly broken: ReadonlyMap<string, readonly string[]> };

/** Loads every definition, `further` with what no schema sees; a UsageError lists all problems of all of them. */
export async function openJobBook(
  directory: string,
  home: string,
  further: FurtherProblems,
): Promise<JobBook> {
  const place = { directory, home, further };
  let signature = await signatureOf(directory);
  let loaded = await loadAll(place, []);
  const problems = [...loaded.broken.values()].flat();
  if (problems.length > 0) throw new UsageError(problems);
  if (loaded.jobs.length === 0) {
    throw new UsageError(
      `${directory} has no job definitions: expected at least one, or every file would be refused; set ONBOARD_JOBS`,
    );
  }
  return {
    jobs: () => loaded.jobs,
    broken: () => loaded.broken,
    async refresh() {
      const next = await signatureOf(directory);
      if (next === signature) return false;
      signature = next;
      loaded = await loadAll(place, loaded.jobs);
      return true;
    },
  };
}

type Place = { readonly directory: string; readonly home: string; readonly further: FurtherProblems };

async function loadAll({ directory, home, further }: Place, before: readonly Job[]): Promise<Loaded> {
  const jobs: Job[] = [];
  const broken = new Map<string, readonly string[]>();
  for (const name of await listJobs(directory)) {
    try {
      jobs.push(await loadJob(name, directory, further));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      broken.set(name, error.problems);
      jobs.push(...before.filter((job) => job.name === name));
    }
  }
  for (const problem of [...orderProblems(jobs), ...inboxProblems(jobs, home)])
    addProblem(problem, jobs, broken);
  return { jobs, broken };
}

/** A problem between definitions holds all that it names. */
function addProblem(problem: string, jobs: readonly Job[], broken: Map<string, readonly string[]>): void {
  const words = new Set(problem.split(/[\s,:]+/));
  const [first, ...others] = jobs.map(({ name }) => name).filter((name) => words.has(name));
  if (first === undefined) throw new UsageError(problem);
  broken.set(first, [...(broken.get(first) ?? []), problem]);
  for (const name of others) broken.set(name, broken.get(name) ?? []);
}

/** Tells whether a file of the folder was changed, added or removed. */
async function signatureOf(directory: string): Promise<string> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => /\.ya?ml$/.test(name));
  const stamps = await Promise.all(
    names.map((name) =>
      fileStamp(join(directory, name)).then(
        (stamp) => `${name} ${stamp}`,
        () => name,
      ),
    ),
  );
  return stamps.join('\n');
}
