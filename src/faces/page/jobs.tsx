/** Jobs: what each does, when, and how its last runs went. */
import type { Job } from '../../config/job-definition.ts';
import { listJobs, loadJob, readJobText } from '../../config/load-job.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import { nextTime } from '../../engine/queue/schedules.ts';
import { Lines, Text } from '../../lib/html-text.tsx';
import { UsageError } from '../../lib/usage-error.ts';
import type { Run } from '../../model/run.ts';
import { templateFile } from '../../runs/check/template.ts';
import { patternsOf } from '../../runs/inbox/job-book.ts';
import { Table, Time } from '../../runs/report/html/parts.tsx';
import { latestRuns } from '../../runs/status.ts';
import type { Reply } from '../web/visit.ts';
import { Problems } from '../web/words.tsx';
import { Versions } from './changing.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';

const RUNS_LOOKED_THROUGH = 200;

export const jobsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/jobs', role: 'viewer', answer: showJobs },
  { method: 'GET', path: '/jobs/:name', role: 'viewer', answer: showJob },
  { method: 'GET', path: '/jobs/:name/template', role: 'viewer', answer: template },
];

const NO_JOB = { kind: 'missing', words: 'There is no such job.' } as const;

/** `job`: `null` where its definition has these problems. */
type ReadJob = { readonly name: string; readonly job: Job | null; readonly problems: readonly string[] };

/** The jobs folder's: a watcher takes files for these. */
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

/** `null`: the folder has none of that name. */
async function findJob(name: string, { env }: PageContext): Promise<ReadJob | null> {
  return (await listJobs(env.jobsDirectory)).includes(name) ? readJob(name, env.jobsDirectory) : null;
}

async function showJobs({ page }: PageVisit): Promise<Reply> {
  const jobs = await readJobs(page.env.jobsDirectory);
  const runs = await latestRuns(page.ledger, RUNS_LOOKED_THROUGH);
  return {
    kind: 'page',
    title: 'Jobs',
    body: (
      <>
        <h1>Jobs</h1>
        {jobs.length === 0 ? (
          <p>There is no job definition yet: upload a file, and make one for it.</p>
        ) : null}
        <Table
          name="Jobs"
          heads={['job', 'what it does', { mono: 'takes files' }, 'when', 'last run']}
          rows={jobs.map(({ name, job }) => [
            <a href={`/jobs/${encodeURIComponent(name)}`}>{name}</a>,
            job === null ? <b class="bad">can't be used</b> : job.definition.operation,
            <Text of={job === null ? '' : patternsOf(job.definition).join(', ')} bytes={150} />,
            <When job={job} now={page.clock.date()} />,
            <LastRun run={runs.find(({ run }) => run.job === name)?.run} />,
          ])}
        />
      </>
    ),
  };
}

function When({ job, now }: { readonly job: Job | null; readonly now: Date }) {
  const { schedule, window } = job?.definition ?? {};
  const next = schedule === undefined ? null : nextTime(schedule, now);
  return (
    <>
      {schedule === undefined ? '' : `${schedule.cron} (${schedule.timezone})`}
      {next === null ? null : (
        <>
          , next <Time at={next.toISOString()} />
        </>
      )}
      {window === undefined ? null : ` window ${window}`}
    </>
  );
}

function LastRun({ run }: { readonly run: Run | undefined }) {
  if (run === undefined) return null;
  return (
    <>
      <a href={`/runs/${run.id}`}>
        <Time at={run.createdAt} />
      </a>{' '}
      {run.state}
    </>
  );
}

async function showJob({ params, page, visitor }: PageVisit): Promise<Reply> {
  const found = await findJob(params.name ?? '', page);
  if (found === null) return NO_JOB;
  const { name, job, problems } = found;
  const { home, jobsDirectory } = page.env;
  const text = (await readJobText(name, jobsDirectory))?.text ?? '';
  const own = `/jobs/${encodeURIComponent(name)}`;
  const path = `${own}/template`;
  return {
    kind: 'page',
    title: name,
    body: (
      <>
        <h1>{name}</h1>
        <p class="dim">
          {job?.definition.operation} <When job={job} now={page.clock.date()} />
        </p>
        <Problems of={problems} />
        {job === null ? null : (
          <p>
            A file to start from: <a href={path}>text</a>, <a href={`${path}?as=json`}>JSON</a>
          </p>
        )}
        <p>
          <a href={`/runs?${new URLSearchParams({ job: name })}`}>Its runs</a>
        </p>
        {visitor.role === 'operator' ? (
          <p>
            <a href={`${own}/change`} class="btn">
              Change the job
            </a>
          </p>
        ) : null}
        {await Versions({ job: name, text, home })}
        <h2>Its definition</h2>
        <pre tabindex={0}>
          <Lines of={text} bytes={100_000} />
        </pre>
      </>
    ),
  };
}

async function template({ params, query, page }: PageVisit): Promise<Reply> {
  const found = await findJob(params.name ?? '', page);
  if (found?.job == null) return NO_JOB;
  const { form, content } = templateFile(found.job, { json: query.get('as') === 'json' });
  return {
    kind: 'download',
    name: `${found.name}.${form}`,
    type: 'application/octet-stream',
    body: content,
  };
}
