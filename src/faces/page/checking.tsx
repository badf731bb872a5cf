/**
 * A file before it is sent: what a check finds, a rehearsal, and the start. Child processes read
 * the file, and the start is asked of the process that sends: nothing here sends.
 */
import { z } from 'zod';
import type { Job } from '../../config/job-definition.ts';
import { listJobs, loadJob } from '../../config/load-job.ts';
import { needsApproval } from '../../engine/ledger/run-record.ts';
import { cut, Lines, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { countUnsuccessful } from '../../model/outcome.ts';
import type { Checked, FoundIssue } from '../../runs/check/findings.ts';
import {
  causeWords,
  checkFacts,
  planFacts,
  requestWords,
  totalLine,
  unusualWords,
} from '../../runs/check/words.ts';
import { cautions } from '../../runs/input.ts';
import { warningAdvice } from '../../runs/report/advice.ts';
import { Facts, Table, Time } from '../../runs/report/html/parts.tsx';
import { type Summary, summarySchema } from '../../runs/report/summary.ts';
import { hasRunsAt } from '../../runs/status.ts';
import type { Reply } from '../web/visit.ts';
import { Problems, Warnings } from '../web/words.tsx';
import { askFor, refusedFor, told } from './acting.tsx';
import type { Work } from './child.ts';
import { GONE, Steps } from './files.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { runPath } from './runs.tsx';
import type { Upload } from './uploads.ts';

export const checkRoutes: readonly PageRoute[] = [
  { method: 'POST', path: '/uploads/:id/check', role: 'operator', answer: begin(check) },
  { method: 'POST', path: '/uploads/:id/rehearse', role: 'operator', answer: begin(rehearse) },
  { method: 'GET', path: '/uploads/:id/check', role: 'operator', isLive: true, answer: showCheck },
  { method: 'POST', path: '/uploads/:id/start', role: 'operator', answer: start },
];

type Way = { readonly id: string; readonly job: string };

function nameOf({ id, job }: Way): string {
  return `${id} ${job}`;
}

function checkPath({ id, job }: Way): string {
  return `/uploads/${id}/check?job=${encodeURIComponent(job)}`;
}

function begin(work: (page: PageContext, way: Way, path: string, standIn: string) => void) {
  return async ({ params, form, page }: PageVisit): Promise<Reply> => {
    const way = { id: params.id ?? '', job: form.get('job') ?? '' };
    // Only an existing job's name becomes an argument of a process.
    if (!(await listJobs(page.env.jobsDirectory)).includes(way.job))
      throw new UsageError(
        `There is no job “${way.job}” any more: expected one of those that the upload offers.`,
      );
    const upload = await page.uploads.find(way.id);
    if (upload === null) return GONE;
    work(page, way, upload.path, form.get('stand-in') ?? '');
    return { kind: 'redirect', to: checkPath(way) };
  };
}

const shownOfChecked = z.object({ rows: z.number(), issues: z.array(z.object({ row: z.number() })) });
/** Printed by `onboard check --json` of this very program; holds cell values. */
const checkedSchema = z.custom<Checked>((given) => shownOfChecked.safeParse(given).success);

function check({ checks, runChild, target }: PageContext, way: Way, path: string): void {
  checks.begin(nameOf(way), async () => {
    const where = target === 'sandbox' ? ['--sandbox'] : [];
    const { exitCode, stdout, problems } = await runChild(['check', '--json', ...where], [way.job, path]);
    if (exitCode !== 0 && exitCode !== 1) throw new UsageError(problems);
    return checkedSchema.parse(JSON.parse(stdout));
  });
}

function rehearse({ rehearsals, runChild }: PageContext, way: Way, path: string, standIn: string): void {
  const where = standIn === 'empty' ? '--fresh' : '--sandbox';
  rehearsals.begin(nameOf(way), async () => {
    const { stdout, problems } = await runChild(['run', where, '--again', '--json'], [way.job, path]);
    if (stdout.trim() === '') throw new UsageError(problems);
    return summarySchema.parse(JSON.parse(stdout));
  });
}

/** `null`: it was not begun, or is forgotten. */
export function checkOf({ checks }: PageContext, { id }: Upload, job: string): Work<Checked> | null {
  return checks.state(nameOf({ id, job }));
}

/** Of a job that is there; answers where it is told, or where one is chosen. */
export async function beginCheck(page: PageContext, upload: Upload, job: string): Promise<string> {
  if (!(await listJobs(page.env.jobsDirectory)).includes(job)) return `/uploads/${upload.id}`;
  const way = { id: upload.id, job };
  check(page, way, upload.path);
  return checkPath(way);
}

async function showCheck({ params, query, page }: PageVisit): Promise<Reply> {
  const upload = await page.uploads.find(params.id ?? '');
  if (upload === null) return GONE;
  const way = { id: upload.id, job: query.get('job') ?? '' };
  const checked = page.checks.state(nameOf(way));
  const works = [checked, page.rehearsals.state(nameOf(way))];
  const going = works.find((work) => work?.kind === 'under-way');
  return {
    kind: 'page',
    title: `Check of ${upload.given}`,
    body: (
      <>
        <Steps here="Check" id={upload.id} />
        <h1>
          What would be sent of <Text of={upload.given} bytes={150} />
        </h1>
        <Corrected given={upload.given} />
        {await checkBody(page, way, upload.given)}
      </>
    ),
    live: going === undefined ? undefined : <UnderWay since={going.since} />,
  };
}

/** Made of rows that were corrected on the page: the way back to them. */
function Corrected({ given }: { readonly given: string }) {
  const [, run] = /^corrected-([\w-]+)\.(?:csv|ndjson)$/.exec(given) ?? [];
  if (run === undefined) return null;
  return (
    <p>
      <a href={runPath(run, '/correct')}>Back to the rows to correct</a>, as they stand in the run: what was
      typed is in this file alone.
    </p>
  );
}

/** `given`: the file's own name. */
async function checkBody(page: PageContext, way: Way, given: string) {
  const { checks, rehearsals, target } = page;
  const work = checks.state(nameOf(way));
  switch (work?.kind) {
    case 'done': {
      const job = await loadJob(way.job, page.env.jobsDirectory);
      return (
        <>
          <Findings found={{ ...work.value, file: given }} job={job} />
          {target === 'sandbox' ? null : <Rehearsal way={way} work={rehearsals.state(nameOf(way))} />}
          <h2>Start</h2>
          <SentAllTheSame found={work.value} />
          {page.ask === null ? (
            <p>This page stands alone: it can start nothing.</p>
          ) : (
            await startForm(page, way, { found: work.value, job })
          )}
        </>
      );
    }
    case 'failed':
      return (
        <>
          <Problems of={work.problems} />
          <p>
            <a href={`/uploads/${way.id}`}>See how else it can be read</a>, and which job takes it.
          </p>
        </>
      );
    case 'under-way':
      return null;
    default:
      return (
        <form method="post" action={`/uploads/${way.id}/check`}>
          <input type="hidden" name="job" value={way.job} />
          <button type="submit">Check it</button>
        </form>
      );
  }
}

function SentAllTheSame({ found: { warnings, estimate } }: Pick<Finding, 'found'>) {
  const sent = warnings.filter(({ code }) => warningAdvice(code) === '').length;
  if (sent === 0 || estimate.requests === 0) return null;
  return <p class="t-doubt">{`! ${countOf(sent, 'warning')} above: those rows are sent as they stand.`}</p>;
}

/** Once it is no more, the browser loads the page again. */
function UnderWay({ since }: { readonly since: string }) {
  return (
    <p role="status">
      Reading the file to its end, since <Time at={since} show="time" />. Nothing is sent.
    </p>
  );
}

const WARNING = 'warning';

type Finding = { readonly found: Checked; readonly job: Job };

function Findings({ found, job }: Finding) {
  const { earlierRun, requests, unusual } = found;
  const isWell = found.invalid + found.waiting === 0;
  const warnings = cautions(job, [{ path: found.file, rows: found.rows }]);
  const facts = [...planFacts(found), ...checkFacts(found, job.definition)];
  const told = [...warnings.map((text) => ({ name: WARNING, texts: [text] })), ...facts].toSorted(
    (a, b) => Number(b.name === WARNING) - Number(a.name === WARNING),
  );
  return (
    <>
      <p class={isWell ? 'verdict ok' : 'verdict bad'}>
        <b aria-hidden="true">{isWell ? '✓' : '✗'}</b> {`${totalLine(found)}.`}
      </p>
      {unusual === null ? null : (
        <p class="notice">
          {unusualWords(unusual)} <Text of={unusual.sentences.join(' ')} />
        </p>
      )}
      {earlierRun === null ? null : (
        <p>
          This file was loaded before: <a href={runPath(earlierRun.run)}>{earlierRun.run}</a>.
        </p>
      )}
      <Facts
        of={told.map(({ name, texts }) => [
          name === WARNING ? <b class="bad">{name}</b> : name,
          texts.map((text) => (
            <div>
              <Text of={text} bytes={1_000} />
            </div>
          )),
        ])}
        class="told"
      />
      {found.issues.length === 0 ? null : <NotSent found={found} />}
      {requests.length === 0 ? null : (
        <section>
          <h2>The first requests</h2>
          {requests.map((request, i) => (
            <details open={i === 0}>
              <summary>
                <Text of={requestWords(request)} bytes={500} />
              </summary>
              <pre tabindex={0}>
                <Lines of={JSON.stringify(request.body ?? null, null, 2)} bytes={20_000} />
              </pre>
            </details>
          ))}
        </section>
      )}
    </>
  );
}

function NotSent({ found: { causes, issues } }: { readonly found: Checked }) {
  const shown = causes.slice(0, CAUSES_SHOWN);
  const more = causes.length - shown.length;
  return (
    <section>
      <h2>What would not be sent</h2>
      <p class="dim">
        Correct these rows in the file and upload it again, or start without them: they are corrected on the
        run’s page then, or in a file of their own.
      </p>
      {shown.map((cause) => (
        <OfCause
          cause={cause}
          issues={issues.filter(({ code, column }) => code === cause.code && column === cause.column)}
        />
      ))}
      {more > 0 ? <p>{`${countOf(more, 'more cause')}.`}</p> : null}
    </section>
  );
}

const CAUSES_SHOWN = 50;

type OfCauseProps = {
  readonly cause: Checked['causes'][number];
  readonly issues: readonly FoundIssue[];
};

function OfCause({ cause, issues }: OfCauseProps) {
  const words = foundWords(cause, issues);
  const more = cause.count - issues.length;
  return (
    <details>
      <summary>
        <Text of={words} bytes={500} />
      </summary>
      <Issues of={issues} label={cut(words, 100)} />
      {more > 0 ? <p>{`${numberShown(more)} more.`}</p> : null}
    </details>
  );
}

/** With what was expected, which says more than a code. */
function foundWords(cause: OfCauseProps['cause'], issues: OfCauseProps['issues']): string {
  const [first] = issues;
  if (first === undefined) return causeWords(cause);
  const isSame = issues.every(({ expected }) => expected === first.expected);
  return `${causeWords(cause)}: ${isSame ? '' : 'such as: '}expected ${first.expected}`;
}

function Issues({ of, label }: { readonly of: readonly FoundIssue[]; readonly label: string }) {
  return (
    <Table
      name={label}
      heads={[{ n: 'row' }, { n: 'line' }, 'column', { mono: 'in the file' }, 'expected']}
      rows={of.map(({ row, line, column, value, expected }) => [
        numberShown(row),
        numberShown(line),
        <Text of={column ?? 'the row'} bytes={150} />,
        <Text of={value ?? ''} bytes={200} />,
        <Text of={expected} bytes={600} />,
      ])}
    />
  );
}

/** To be typed before the first run at a service; else `null`. */
export async function hostToType({ target, ledger }: PageContext): Promise<string | null> {
  if (target === 'sandbox' || (await hasRunsAt(target, ledger))) return null;
  return new URL(target).host;
}

async function startForm(page: PageContext, { id }: Way, { found, job }: Finding) {
  const { requests } = found.estimate;
  const { invalid } = found;
  if (requests === 0 && invalid === 0) return <p>There is nothing to send.</p>;
  const host = await hostToType(page);
  const waits = needsApproval({ ...page, ...job });
  return (
    <form method="post" action={`/uploads/${id}/start`} class="acts">
      <input type="hidden" name="job" value={job.name} />
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
        {waits ? 'Register for approval' : startWords(requests, invalid, page.target)}
      </button>
    </form>
  );
}

function startWords(requests: number, invalid: number, target: string): string {
  if (requests === 0) return `Start: nothing to send, ${countOf(invalid, 'row')} to correct`;
  return `Start: ${countOf(requests, 'request')} to ${target}`;
}

type RehearsalProps = { readonly way: Way; readonly work: Work<Summary> | null };

function Rehearsal({ way, work }: RehearsalProps) {
  return (
    <section>
      <h2>Rehearse it first</h2>
      <p>The same file goes to the built-in stand-in: nothing leaves this machine.</p>
      {work?.kind === 'done' ? <Rehearsed summary={work.value} /> : null}
      {work?.kind === 'failed' ? <Problems of={work.problems} /> : null}
      {work?.kind === 'under-way' ? null : (
        <form method="post" action={`/uploads/${way.id}/rehearse`}>
          <input type="hidden" name="job" value={way.job} />
          <button type="submit">Rehearse</button>{' '}
          <button type="submit" name="stand-in" value="empty">
            Rehearse on an empty stand-in
          </button>
          <small class="dim note">An empty one has forgotten what rehearsals before made there.</small>
        </form>
      )}
    </section>
  );
}

function Rehearsed({ summary }: { readonly summary: Summary }) {
  const { run, rows, outcomes, source, topWarnings } = summary;
  const succeeded = rows - countUnsuccessful(outcomes) - outcomes.skipped;
  const also = outcomes.skipped === 0 ? '' : `, ${outcomes.skipped} skipped since their keys were known`;
  return (
    <p>
      {`Rehearsed: ${succeeded} of ${rows} rows succeeded at the stand-in${also}. ${source.notes.join(' ')}`}{' '}
      <a href={runPath(run)}>Its report</a>
      <Warnings of={topWarnings} />
    </p>
  );
}

async function start(visit: PageVisit): Promise<Reply> {
  const { params, form, page } = visit;
  const way = { id: params.id ?? '', job: form.get('job') ?? '' };
  const host = await hostToType(page);
  const isTyped = host === null || (form.get('host') ?? '').trim() === host;
  const answer = isTyped
    ? await askFor(visit, { kind: 'take', upload: way.id, job: way.job, again: form.get('again') !== null })
    : refusedFor([`Expected the host ${host}, typed out: nothing was begun.`]);
  if (answer.kind !== 'done') return told(answer, checkPath(way));
  return { kind: 'redirect', to: answer.run === null ? '/' : runPath(answer.run) };
}
