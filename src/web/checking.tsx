/**
 * A file before it is sent: what a check finds of it, a rehearsal, and the start. What is read is read by processes of their own, and
 * starting is an ask: nothing here sends anything.
 */
import { z } from 'zod';
import { Lines, Text } from '../lib/html-text.tsx';
import { countOf, duration, numberShown } from '../lib/terminal.ts';
import { Problems } from './mapping.tsx';
import type { Reply, Route, Visit } from './visit.ts';

const place = { row: z.number(), line: z.number() };
const cause = { code: z.string(), column: z.string().nullable(), count: z.number() };
const issueSchema = z.object({
  ...place,
  column: z.string().nullable(),
  value: z.string().nullable(),
  expected: z.string(),
});
type FoundIssue = z.infer<typeof issueSchema>;

/** Of what `onboard check --json` prints, what is shown; holds cell values. */
export const checkShownSchema = z.object({
  /** The sum of the next four. */
  rows: z.number(),
  sendable: z.number(),
  skipped: z.number(),
  invalid: z.number(),
  waiting: z.number(),
  notes: z.array(z.string()),
  causes: z.array(z.object({ ...cause, row: z.number() })),
  /** The first of them. */
  issues: z.array(issueSchema),
  issuesTotal: z.number(),
  warnings: z.array(z.object({ ...cause, examples: z.array(issueSchema) })),
  /** `reason`: why none was looked up. */
  keys: z.object({ reason: z.string().nullable(), known: z.number(), held: z.number() }),
  /** The run that has this file already. */
  earlierRun: z.object({ run: z.string(), state: z.string() }).nullable(),
  /** The first of them, as they would be sent. */
  requests: z.array(z.object({ ...place, method: z.string(), path: z.string(), body: z.unknown() })),
  estimate: z.object({ requests: z.number(), seconds: z.number() }),
});
export type CheckShown = z.infer<typeof checkShownSchema>;

/** The run that a rehearsal was, and what came of it. */
export type Rehearsed = { readonly run: string | null; readonly words: string };

export type Work<T> =
  | { readonly kind: 'none' }
  | { readonly kind: 'under-way'; readonly since: string }
  | { readonly kind: 'failed'; readonly problems: readonly string[] }
  | { readonly kind: 'done'; readonly value: T };

export type CheckPart = {
  /** `null`: there is no such upload. */
  upload(id: string): Promise<{ readonly id: string; readonly given: string } | null>;
  /** Begins a check of the file with a job, unless one is there or under way. */
  check(id: string, job: string): Promise<void>;
  checked(id: string, job: string): Work<CheckShown>;
  /** Begins a run of it at the stand-in. */
  rehearse(id: string, job: string): Promise<void>;
  /** The run that the rehearsal was. */
  rehearsed(id: string, job: string): Work<Rehearsed>;
  /** What has to be typed before the first run at a service: its host; `null` where there was a run before. */
  hostToType(): Promise<string | null>;
};

export const checkRoutes: readonly Route<CheckPart>[] = [
  { method: 'POST', path: '/uploads/:id/check', role: 'operator', answer: begin('check') },
  { method: 'POST', path: '/uploads/:id/rehearse', role: 'operator', answer: begin('rehearse') },
  { method: 'GET', path: '/uploads/:id/check', role: 'operator', answer: showCheck },
  { method: 'GET', path: '/uploads/:id/check/live', role: 'operator', answer: liveCheck },
  { method: 'POST', path: '/uploads/:id/start', role: 'operator', answer: start },
];

export const GONE = {
  kind: 'missing',
  words: 'There is no such upload any more: files are kept for a day.',
} as const;

function begin(what: 'check' | 'rehearse') {
  return async ({ params, form, page }: Visit<CheckPart>): Promise<Reply> => {
    const { id = '' } = params;
    const job = form.get('job') ?? '';
    if ((await page.upload(id)) === null) return GONE;
    await page[what](id, job);
    return { kind: 'redirect', to: `/uploads/${id}/check?job=${encodeURIComponent(job)}` };
  };
}

async function showCheck({ params, query, page }: Visit<CheckPart>): Promise<Reply> {
  const upload = await page.upload(params.id ?? '');
  if (upload === null) return GONE;
  return {
    kind: 'page',
    title: `Check of ${upload.given}`,
    body: (
      <>
        <h1>
          What would be sent of <Text of={upload.given} bytes={150} />
        </h1>
        {await checkBody({ page, id: upload.id, job: query.get('job') ?? '', problems: [] })}
      </>
    ),
  };
}

type CheckProps = {
  readonly page: Visit<CheckPart>['page'];
  readonly id: string;
  readonly job: string;
  readonly problems: readonly string[];
};

async function checkBody({ page, id, job, problems }: CheckProps) {
  const work = page.checked(id, job);
  const { target } = await page.standing();
  if (work.kind === 'done')
    return (
      <>
        <Findings found={work.value} />
        <Problems of={problems} />
        <Start
          id={id}
          job={job}
          found={work.value}
          host={await page.hostToType()}
          acts={page.ask !== null}
          target={target}
        />
        {target === 'sandbox' ? null : <Rehearsal id={id} job={job} work={page.rehearsed(id, job)} />}
      </>
    );
  if (work.kind === 'failed') return <Problems of={work.problems} />;
  if (work.kind === 'none')
    return (
      <form method="post" action={`/uploads/${id}/check`}>
        <input type="hidden" name="job" value={job} />
        <button type="submit">Check it</button>
      </form>
    );
  return (
    <div data-live={`/uploads/${id}/check/live?job=${encodeURIComponent(job)}`} data-live-then="reload">
      <UnderWay since={work.since} />
    </div>
  );
}

function UnderWay({ since }: { readonly since: string }) {
  return (
    <p role="status">
      Reading the file to its end, since <time datetime={since}>{since}</time>. Nothing is sent.
    </p>
  );
}

/** What the browser looks at while a file is read: once it is over it has no fragment any more, and the page is loaded again. */
async function liveCheck({ params, query, page }: Visit<CheckPart>): Promise<Reply> {
  const { id = '' } = params;
  const job = query.get('job') ?? '';
  const works = [page.checked(id, job), page.rehearsed(id, job)];
  const work = works.find(({ kind }) => kind === 'under-way');
  if (work?.kind !== 'under-way')
    return { kind: 'redirect', to: `/uploads/${id}/check?job=${encodeURIComponent(job)}` };
  return { kind: 'fragment', body: <UnderWay since={work.since} /> };
}

function Findings({ found }: { readonly found: CheckShown }) {
  const isWell = found.invalid + found.waiting === 0;
  const { requests, seconds } = found.estimate;
  return (
    <>
      <div class={`verdict ${isWell ? 'ok' : 'bad'}`}>
        <p>
          <b aria-hidden="true">{isWell ? '✓' : '✗'}</b> {totalWords(found)}
        </p>
        {requests === 0 ? null : <p>{`About ${duration(seconds)} for ${countOf(requests, 'request')}.`}</p>}
        {found.keys.reason === null ? null : <p>Known keys were not looked up: {found.keys.reason}.</p>}
      </div>
      {found.earlierRun === null ? null : (
        <p>
          This file was loaded before: run{' '}
          <a href={`/runs/${found.earlierRun.run}`}>{found.earlierRun.run}</a>, {found.earlierRun.state}.
        </p>
      )}
      {found.notes.map((note) => (
        <p>
          <Text of={note} bytes={500} />
        </p>
      ))}
      {found.issues.length === 0 ? null : (
        <section>
          <h2>What would not be sent</h2>
          <p class="dim">
            Correct these rows in the file and upload it again, or start without them: the run’s report then
            has them in a file of their own, to be corrected and loaded as it is.
          </p>
          <ul>
            {found.causes.map(({ code, column, count, row }) => (
              <li>
                <b class="count">{numberShown(count)}</b> × {code}{' '}
                {column === null ? null : <Text of={`in "${column}"`} bytes={150} />}, first in row{' '}
                {numberShown(row)}
              </li>
            ))}
          </ul>
          <Issues of={found.issues} label="Cells that are not sent" />
          {found.issuesTotal > found.issues.length ? (
            <p>{`${numberShown(found.issuesTotal - found.issues.length)} more.`}</p>
          ) : null}
        </section>
      )}
      {found.warnings.map(({ code, column, count, examples }) => (
        <section>
          <h2>{`Looks damaged, and would be sent: ${numberShown(count)} × ${code}`}</h2>
          <Issues of={examples} label={`${code} ${column ?? ''}`} />
        </section>
      ))}
      {found.requests.length === 0 ? null : (
        <section>
          <h2>The first requests</h2>
          {found.requests.map(({ row, method, path, body }) => (
            <details open={row === found.requests[0]?.row}>
              <summary>{`row ${row}: ${method} ${path}`}</summary>
              <pre tabindex={0}>
                <Lines of={JSON.stringify(body ?? null, null, 2)} bytes={20_000} />
              </pre>
            </details>
          ))}
        </section>
      )}
    </>
  );
}

function totalWords({ rows, sendable, skipped, invalid, waiting }: CheckShown): string {
  const parts = [
    [sendable, 'to send'],
    [skipped, 'known already, skipped'],
    [invalid, 'invalid'],
    [waiting, 'waiting for what they refer to'],
  ] as const;
  const sum = parts.filter(([count], i) => count > 0 || i === 0);
  return `${countOf(rows, 'row')} = ${sum.map(([count, words]) => `${numberShown(count)} ${words}`).join(' + ')}`;
}

function Issues({ of, label }: { readonly of: readonly FoundIssue[]; readonly label: string }) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col" class="n">
              line
            </th>
            <th scope="col">column</th>
            <th scope="col">in the file</th>
            <th scope="col">expected</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ line, column, value, expected }) => (
            <tr>
              <td class="n">{numberShown(line)}</td>
              <td>
                <Text of={column ?? 'the row'} bytes={150} />
              </td>
              <td class="mono">
                <Text of={value ?? ''} bytes={200} />
              </td>
              <td>
                <Text of={expected} bytes={600} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type StartProps = {
  readonly id: string;
  readonly job: string;
  readonly found: CheckShown;
  readonly host: string | null;
  readonly target: string;
  readonly acts: boolean;
};

function Start({ id, job, found, host, target, acts }: StartProps) {
  if (!acts) return <p>This page stands alone: it can start nothing. The command does: onboard run {job}</p>;
  if (found.estimate.requests === 0) return <p>There is nothing to send.</p>;
  return (
    <form method="post" action={`/uploads/${id}/start`} class="acts">
      <input type="hidden" name="job" value={job} />
      {host === null ? null : (
        <p>
          <label>
            It would be the first run there. Type <b>{host}</b> to begin{' '}
            <input name="host" autocomplete="off" required />
          </label>
        </p>
      )}
      {found.earlierRun === null ? null : (
        <p>
          <label>
            <input type="checkbox" name="again" /> load it again, as a new run
          </label>
        </p>
      )}
      <button type="submit" class="go">
        {`Start: ${countOf(found.estimate.requests, 'request')} to ${target}`}
      </button>
    </form>
  );
}

function Rehearsal({
  id,
  job,
  work,
}: {
  readonly id: string;
  readonly job: string;
  readonly work: ReturnType<CheckPart['rehearsed']>;
}) {
  return (
    <section>
      <h2>Rehearse it first</h2>
      <p>The same file goes to the built-in stand-in: nothing leaves this machine.</p>
      {work.kind === 'done' ? (
        <p>
          <Text of={work.value.words} />{' '}
          {work.value.run === null ? null : <a href={`/runs/${work.value.run}`}>Its report</a>}
        </p>
      ) : null}
      {work.kind === 'failed' ? <Problems of={work.problems} /> : null}
      {work.kind === 'under-way' ? (
        <div data-live={`/uploads/${id}/check/live?job=${encodeURIComponent(job)}`} data-live-then="reload">
          <UnderWay since={work.since} />
        </div>
      ) : (
        <form method="post" action={`/uploads/${id}/rehearse`}>
          <input type="hidden" name="job" value={job} />
          <button type="submit">Rehearse</button>
        </form>
      )}
    </section>
  );
}

async function start({ params, form, page, visitor }: Visit<CheckPart>): Promise<Reply> {
  const { id = '' } = params;
  const job = form.get('job') ?? '';
  const upload = await page.upload(id);
  if (upload === null || page.ask === null) return GONE;
  const host = await page.hostToType();
  const answer =
    host !== null && (form.get('host') ?? '').trim() !== host
      ? { kind: 'refused' as const, problems: [`Expected the host ${host}, typed out: nothing was begun.`] }
      : await page.ask({ kind: 'take', upload: id, job, again: form.get('again') !== null }, visitor);
  if (answer.kind === 'done')
    return { kind: 'redirect', to: answer.run === null ? '/' : `/runs/${answer.run}` };
  const problems = answer.kind === 'refused' ? answer.problems : [];
  return {
    kind: 'page',
    title: `Check of ${upload.given}`,
    status: 409,
    body: (
      <>
        <h1>Not started</h1>
        {await checkBody({ page, id, job, problems })}
      </>
    ),
  };
}
