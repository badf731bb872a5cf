/** Jobs: what this program does with which files, when, and how its last runs went. */
import { Lines, Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import { Problems } from './mapping.tsx';
import type { Reply, Route, Visit } from './visit.ts';

export type JobShown = {
  readonly name: string;
  /** '' where the definition can't be read. */
  readonly operation: string;
  /** What of its definition can't be used. */
  readonly problems: readonly string[];
  readonly files: readonly string[];
  /** In words; '' where there is none. */
  readonly schedule: string;
  readonly window: string;
  /** ISO 8601, UTC: when its schedule fires next. */
  readonly next: string | null;
  readonly lastRun: { readonly run: string; readonly at: string; readonly state: string } | null;
};

export type JobRun = {
  readonly run: string;
  readonly at: string;
  readonly state: string;
  readonly rows: number;
  /** Rows that did not succeed. */
  readonly unsuccessful: number;
};

export type OneJob = JobShown & {
  /** As it stands in its file; '' where it comes with the program. */
  readonly text: string;
  /** Newest first. */
  readonly runs: readonly JobRun[];
};

export type JobsPart = {
  jobs(): Promise<readonly JobShown[]>;
  job(name: string): Promise<OneJob | null>;
  /** A file to start from. */
  template(
    name: string,
    asked: { readonly json: boolean },
  ): Promise<{ readonly name: string; readonly content: Uint8Array } | null>;
};

export const jobsRoutes: readonly Route<JobsPart>[] = [
  { method: 'GET', path: '/jobs', role: 'viewer', answer: showJobs },
  { method: 'GET', path: '/jobs/:name', role: 'viewer', answer: showJob },
  { method: 'GET', path: '/jobs/:name/template', role: 'viewer', answer: template },
];

async function showJobs({ page }: Visit<JobsPart>): Promise<Reply> {
  const jobs = await page.jobs();
  return {
    kind: 'page',
    title: 'Jobs',
    body: (
      <>
        <h1>Jobs</h1>
        {jobs.length === 0 ? (
          <p>There is no job definition yet: upload a file, and make one for it.</p>
        ) : null}
        <table class="list">
          <thead>
            <tr>
              <th scope="col">job</th>
              <th scope="col">what it does</th>
              <th scope="col">takes files</th>
              <th scope="col">when</th>
              <th scope="col">last run</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr>
                <td>
                  <a href={`/jobs/${encodeURIComponent(job.name)}`}>{job.name}</a>
                </td>
                <td>{job.problems.length > 0 ? <b class="bad">can't be used</b> : job.operation}</td>
                <td class="mono">
                  <Text of={job.files.join(', ')} bytes={150} />
                </td>
                <td>
                  <When job={job} />
                </td>
                <td>
                  {job.lastRun === null ? null : (
                    <>
                      <a href={`/runs/${job.lastRun.run}`}>
                        <time datetime={job.lastRun.at}>{job.lastRun.at}</time>
                      </a>{' '}
                      {job.lastRun.state}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </>
    ),
  };
}

function When({ job: { schedule, window, next } }: { readonly job: JobShown }) {
  return (
    <>
      {schedule}
      {next === null ? null : (
        <>
          , next <time datetime={next}>{next}</time>
        </>
      )}
      {window === '' ? null : ` window ${window}`}
    </>
  );
}

async function showJob({ params, page }: Visit<JobsPart>): Promise<Reply> {
  const job = await page.job(params.name ?? '');
  if (job === null) return NO_JOB;
  const path = `/jobs/${encodeURIComponent(job.name)}/template`;
  return {
    kind: 'page',
    title: job.name,
    body: (
      <>
        <h1>{job.name}</h1>
        <p class="dim">
          {job.operation} <When job={job} />
        </p>
        <Problems of={job.problems} />
        {job.problems.length > 0 ? null : (
          <p>
            A file to start from: <a href={path}>text</a>, <a href={`${path}?as=json`}>JSON</a>
          </p>
        )}
        <h2>Its last runs</h2>
        {job.runs.length === 0 ? <p>There was none yet.</p> : <Runs of={job.runs} />}
        <h2>Its definition</h2>
        {job.text === '' ? (
          <p>It comes with the program.</p>
        ) : (
          <pre tabindex={0}>
            <Lines of={job.text} bytes={100_000} />
          </pre>
        )}
      </>
    ),
  };
}

function Runs({ of }: { readonly of: readonly JobRun[] }) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">run</th>
          <th scope="col">state</th>
          <th scope="col" class="n">
            rows
          </th>
          <th scope="col" class="n">
            without success
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ run, at, state, rows, unsuccessful }) => (
          <tr>
            <td>
              <a href={`/runs/${run}`}>
                <time datetime={at}>{at}</time>
              </a>
            </td>
            <td>{state}</td>
            <td class="n">{numberShown(rows)}</td>
            <td class="n">{`${numberShown(unsuccessful)} (${share(unsuccessful, rows)})`}</td>
          </tr>
        ))}
      </tbody>
      <caption>{countOf(of.length, 'run')}, newest first</caption>
    </table>
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}

const NO_JOB = { kind: 'missing', words: 'There is no such job.' } as const;

async function template({ params, query, page }: Visit<JobsPart>): Promise<Reply> {
  const made = await page.template(params.name ?? '', { json: query.get('as') === 'json' });
  if (made === null) return NO_JOB;
  return { kind: 'download', name: made.name, type: 'application/octet-stream', body: made.content };
}
