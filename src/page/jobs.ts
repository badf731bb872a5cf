/** Jobs as the page shows them: their definitions, when they run, and how their last runs went. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { templateFile } from '../check/template.ts';
import type { Job } from '../config/job-definition.ts';
import { listJobs, loadJob } from '../config/load-job.ts';
import { definitionProblems } from '../delivery/run-mapping.ts';
import { patternsOf } from '../inbox/job-book.ts';
import { insteadOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { countUnsuccessful } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import { nextTime } from '../queue/schedule-times.ts';
import { latestRuns } from '../runs/status.ts';
import type { JobRun, JobShown, JobsPart } from '../web/jobs.tsx';
import type { Desk } from './desk.ts';

const RUNS_LOOKED_THROUGH = 200;
const RUNS_SHOWN = 10;

type ReadJob = { readonly name: string; readonly job: Job | null; readonly problems: readonly string[] };

/** Those of the jobs folder: a watcher takes files for these. */
export async function readJobs(directory: string): Promise<readonly ReadJob[]> {
  const names = await listJobs(directory);
  return Promise.all(names.map((name) => readJob(name, directory)));
}

async function readJob(name: string, directory: string): Promise<ReadJob> {
  try {
    return { name, job: await loadJob(name, directory, definitionProblems), problems: [] };
  } catch (error) {
    if (error instanceof UsageError) return { name, job: null, problems: error.problems };
    throw error;
  }
}

export function createJobsPart({ env: { jobsDirectory }, ledger, clock }: Desk): JobsPart {
  async function shown({ name, job, problems }: ReadJob, runs: readonly Run[]): Promise<JobShown> {
    const [last] = runs.filter((run) => run.job === name);
    const { schedule, window } = job?.definition ?? {};
    return {
      name,
      problems,
      operation: job?.definition.operation ?? '',
      files: job === null ? [] : patternsOf(job.definition),
      schedule: schedule === undefined ? '' : `${schedule.cron} (${schedule.timezone})`,
      window: window ?? '',
      next: schedule === undefined ? null : (nextTime(schedule, clock.date())?.toISOString() ?? null),
      lastRun: last === undefined ? null : { run: last.id, at: last.createdAt, state: last.state },
    };
  }

  const newest = async () => (await latestRuns(ledger, RUNS_LOOKED_THROUGH)).map(({ run }) => run);

  return {
    async jobs() {
      const runs = await newest();
      return Promise.all((await readJobs(jobsDirectory)).map((job) => shown(job, runs)));
    },
    async job(name) {
      const read = await known(name, jobsDirectory);
      if (read === null) return null;
      const runs = await newest();
      const own = runs.filter(({ job }) => job === name).slice(0, RUNS_SHOWN);
      return { ...(await shown(read, runs)), text: await textOf(name, jobsDirectory), runs: own.map(jobRun) };
    },
    async template(name, asked) {
      const read = await known(name, jobsDirectory);
      if (read?.job == null) return null;
      const { form, content } = templateFile(read.job, asked);
      return { name: `${name}.${form}`, content };
    },
  };
}

async function known(name: string, directory: string): Promise<ReadJob | null> {
  return (await listJobs(directory)).includes(name) ? readJob(name, directory) : null;
}

/** `name` is one of those that the folder has. */
async function textOf(name: string, directory: string): Promise<string> {
  const [yaml, yml] = await Promise.all(
    ['yaml', 'yml'].map((ending) =>
      readFile(join(directory, `${name}.${ending}`), 'utf8').catch(insteadOf(['ENOENT'], null)),
    ),
  );
  return yaml ?? yml ?? '';
}

function jobRun({ id, createdAt, state, rows, outcomes }: Run): JobRun {
  return { run: id, at: createdAt, state, rows, unsuccessful: countUnsuccessful(outcomes) };
}
