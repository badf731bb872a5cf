/**
 * A run: the verdict, what became of its rows, its rate, why rows did not succeed and what can be
 * done, what happened, and the files of its report. All of it is live. Buttons lead to pages that
 * say what will be done. Only files that the report's summary names are served: no path comes from
 * a request.
 */
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readNotes, readStory } from '../../engine/ledger/display.ts';
import { insteadOf } from '../../lib/errors.ts';
import { Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { type Account, toSeeTo } from '../../model/account.ts';
import { whyNotApproved, whyUnknown } from '../../model/approval.ts';
import { atPage } from '../../model/audit.ts';
import { countSettled } from '../../model/outcome.ts';
import { awaitsApproval, awaitsPerson, isOver, type Run, type RunState } from '../../model/run.ts';
import { type Told, tellStory } from '../../model/story.ts';
import { jobFileOf } from '../../runs/adopt.ts';
import { REPLY_FILE } from '../../runs/reply.ts';
import { reasonAdvice } from '../../runs/report/advice.ts';
import { Facts, Latencies, Rates, Story, Sum, Time } from '../../runs/report/html/parts.tsx';
import { headlineOf, Verdict } from '../../runs/report/html/verdict.tsx';
import { replyLanguages } from '../../runs/report/reply.ts';
import { readSummary } from '../../runs/report/report.ts';
import { stretchesOf } from '../../runs/report/timeline.ts';
import { accountLine, againstWords, approvalFacts } from '../../runs/report/words.ts';
import { RERUN_OUTCOMES } from '../../runs/rerun.ts';
import { serviceAlarm } from '../../runs/service-notice.ts';
import { isRead, runOf, serviceReport, stateOf } from '../../runs/status.ts';
import { reportDirectory } from '../../session.ts';
import type { Reply } from '../web/visit.ts';
import { Bar, Warnings } from '../web/words.tsx';
import { CAUSES_SHOWN, Causes } from './causes.tsx';
import { correctPath } from './correct.tsx';
import { type Places, placesOf } from './open-rows.ts';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { ofRun, RunTitle } from './rows.tsx';
import { runPath, StateBadge, timeTaken } from './runs.tsx';

export const runRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/:id', role: 'viewer', isLive: true, answer: ofRun(show) },
  { method: 'GET', path: '/runs/:id/report', role: 'viewer', answer: ofRun(report) },
  { method: 'GET', path: '/runs/:id/files/:name', role: 'operator', answer: ofRun(file) },
];

const SUMMARY = 'summary.json';
const PAGE = 'report.html';

async function show(run: Run, visit: PageVisit): Promise<Reply> {
  const live = <RunLive shown={await lookAt(run, visit.page)} visit={visit} />;
  const body = <RunTitle run={run} here="run" />;
  return { kind: 'page', title: `${basename(run.file)}: ${run.job}`, body, live };
}

async function lookAt(run: Run, page: PageContext) {
  const { env, ledger, target, clock, accountOf, openRowsOf, digests, paceOf } = page;
  const { redis } = ledger;
  const { keys, store } = ledger.of(run.target);
  const [isLeased, happened, digest, service, summary, account, open] = await Promise.all([
    isRead(run.id, store),
    readStory(redis, keys, run.id),
    digests(run),
    serviceReport(ledger, run.target),
    readSummary(reportDirectory(env, run.id)),
    isOver(run) ? accountOf(run) : null,
    isOver(run) ? openRowsOf(run) : null,
  ]);
  const delivery = account === null ? null : await runOf(ledger, account.delivery);
  const openOfFile = delivery === null || !isOver(delivery) ? [] : await openRowsOf(delivery);
  const causes = digest.causes.slice(0, CAUSES_SHOWN).map((cause) => cause.id);
  return {
    run,
    state: stateOf(run, isLeased),
    pace: paceOf(run),
    story: tellStory(run, happened),
    digest,
    /** `null`: that of the page's own target stands on top. */
    alarm: run.target === target ? null : serviceAlarm(service, clock.date().getTime()),
    notes: await readNotes(redis, keys, causes),
    files: summary?.files ?? null,
    warnings: summary?.topWarnings ?? [],
    account,
    /** Of the file: in which runs its rows to correct stand; what was not sent is none. */
    places: placesOf(openOfFile.filter(({ last }) => last.outcome !== 'cancelled')),
    openByCause: open === null ? null : await page.openByCause(run, open, digest),
  };
}

async function report({ id }: Run, { page }: PageVisit): Promise<Reply> {
  const path = join(reportDirectory(page.env, id), PAGE);
  const html = await readFile(path).catch(insteadOf('ENOENT', null));
  return html === null
    ? { kind: 'missing', words: 'There is no report of this run here.' }
    : { kind: 'report', html };
}

async function file({ id }: Run, { params, page }: PageVisit): Promise<Reply> {
  const folder = reportDirectory(page.env, id);
  const files = [SUMMARY, REPLY_FILE, ...((await readSummary(folder))?.files ?? [])];
  const name = files.find((one) => one === params.name);
  if (name === undefined || !existsSync(join(folder, name)))
    return { kind: 'missing', words: 'The report of this run has no such file.' };
  const body = createReadStream(join(folder, name));
  return { kind: 'download', name, type: 'application/octet-stream', body };
}

type Shown = Awaited<ReturnType<typeof lookAt>>;
type Props = { readonly shown: Shown; readonly visit: PageVisit };

function RunLive({ shown, visit: { visitor } }: Props) {
  const { run, state, pace, digest, alarm, story, files, warnings, account, places } = shown;
  const isOperator = visitor.role === 'operator';
  const settle = <a href={runPath(run.id, '/doubts')}>Settle them</a>;
  return (
    <>
      <h2 class="headline">{headlineOf(run, account, run.id)}</h2>
      <Verdict
        of={run}
        account={account}
        doubt={isOperator ? settle : null}
        correct={isOperator ? <CorrectAt run={run} places={places} /> : null}
      />
      <div class="line">
        <StateBadge run={run} state={state} /> {isOperator ? <Acts run={run} account={account} /> : null}{' '}
        {files?.includes(PAGE) === true ? <a href={runPath(run.id, '/report')}>Report</a> : null}
        <StandsFor run={run} />
        {run.parent === null ? null : (
          <>
            {' '}
            · takes up rows of <a href={runPath(run.parent)}>{run.parent}</a>
          </>
        )}
      </div>
      <Requested run={run} />
      <WhyItWaits run={run} />
      <Approval run={run} visitor={visitor} />
      {alarm === null || alarm.isWell ? null : (
        <p class="notice">
          The service: <Prose of={alarm.words} bytes={300} />
        </p>
      )}
      <p>
        <Sum outcomes={run.outcomes} rows={run.rows} /> <Holds run={run} />{' '}
        {run.against === null ? null : <a href={runPath(run.against.run)}>{againstWords(run.against)}</a>}
      </p>
      <Bar outcomes={run.outcomes} rows={run.rows} />
      <Warnings of={warnings} />
      {account === null ? null : <AccountOf run={run} account={account} isOperator={isOperator} />}
      <p>
        {pace === '' ? '' : `${pace} · `}
        {run.startedAt === null ? (
          'not begun yet'
        ) : (
          <>
            began <Time at={run.startedAt} />, took {timeTaken(run)}
            {run.finishedAt === null ? ' so far' : ''}
          </>
        )}
      </p>
      <div class="two">
        <Rates stretches={stretchesOf(digest.moments, story)} story={story.slice(-EVENTS)} />
        <Latencies digest={digest} />
      </div>
      <Causes {...shown} visitor={visitor} />
      <Happened story={story} />
      {files === null || !isOperator ? null : <Files run={run.id} files={[SUMMARY, ...files]} />}
    </>
  );
}

const RUNS_NAMED = 4;

/** Each row is corrected in the run where it stands. */
function CorrectAt({ run, places }: { readonly run: Run; readonly places: Places }) {
  if (places.size === 1 && places.has(run.id))
    return <a href={correctPath(run.id, null)}>Correct them here…</a>;
  return (
    <>
      {[...places].slice(0, RUNS_NAMED).map(([id, count], i) => (
        <>
          {i === 0 ? '' : ', '}
          <a href={correctPath(id, null)}>
            {`Correct ${numberShown(count)} ${id === run.id ? 'here' : `in run ${id}`}…`}
          </a>
        </>
      ))}
    </>
  );
}

/** Of a file with corrected rows: whose they are, where others of those files may be open. */
function StandsFor({ run: { standsFor = {} } }: Pick<Shown, 'run'>) {
  return (
    <>
      {Object.entries(standsFor).map(([id, count]) => (
        <>
          {' · '}
          {`${countOf(count, 'row')} of `}
          <a href={runPath(id)}>{id}</a>
        </>
      ))}
    </>
  );
}

function Requested({ run: { request } }: Pick<Shown, 'run'>) {
  if (request === undefined) return null;
  return (
    <p>
      By <Text of={request.by} />, <Time at={request.at} show="second" />
      <Text of={request.why === '' ? '' : `: ${request.why}`} />
    </p>
  );
}

type AccountProps = Pick<Shown, 'run'> & { readonly account: Account; readonly isOperator: boolean };

function AccountOf({ run, account, isOperator }: AccountProps) {
  // Its other rows stand for rows of other files.
  const isPart = account.delivery === run.id && account.rows !== run.rows;
  const delivery = runPath(account.delivery);
  const mayWriteOff = isOperator && toSeeTo(account) > 0;
  return (
    <>
      <p>
        Account of <a href={delivery}>{isPart ? 'its own rows' : 'the file'}</a>: {accountLine(account)}{' '}
        {mayWriteOff ? <a href={`${delivery}/write-off`}>Write rows off…</a> : null}
      </p>
      {mayWriteOff ? <Answer delivery={delivery} /> : null}
    </>
  );
}

function Answer({ delivery }: { readonly delivery: string }) {
  return (
    <form method="post" action={`${delivery}/reply`} class="act">
      <label>
        Language{' '}
        <select name="language">
          {replyLanguages().map((language) => (
            <option>{language}</option>
          ))}
        </select>
      </label>{' '}
      <button type="submit">Answer to the partner</button>
    </form>
  );
}

const LOOK_FIRST =
  'Look at it first. Cancelled, nothing of it is sent; let go, every row of it is sent, and later ' +
  'files are compared with it.';

/** Why it waits, beside what lets it go. */
function WhyItWaits({ run }: Pick<Shown, 'run'>) {
  if (run.state !== 'paused' || run.problem === undefined) return null;
  if (run.reason === 'adopted')
    return (
      <p class="notice">
        <Prose of={`${reasonAdvice('adopted', run)} ${ARE_RIGHT}`} bytes={2_000} />
      </p>
    );
  if (!awaitsPerson(run)) return null;
  return (
    <p class="notice">
      The file is unlike those before it. <Text of={run.problem} /> {LOOK_FIRST}
    </p>
  );
}

const ARE_RIGHT =
  'Resumed, the run says that each is the right one, and the others are updated, too. Where one is another: ' +
  'cancel the run, and put right at the service what was changed.';

type ApprovalProps = Pick<Shown, 'run'> & Pick<PageVisit, 'visitor'>;

function Approval({ run, visitor }: ApprovalProps) {
  if (run.checked === null) return null;
  const facts = [['file', basename(run.file)] as const, ...approvalFacts(run)];
  return (
    <section>
      <h2>Approval</h2>
      <Facts of={facts.map(([name, words]) => [name, <Prose of={words} bytes={300} />] as const)} />
      <a href={`/jobs/${encodeURIComponent(jobFileOf(run))}`}>The job</a>{' '}
      {awaitsApproval(run) ? <Approve run={run} visitor={visitor} /> : null}
    </section>
  );
}

function Approve({ run, visitor: { name, role } }: ApprovalProps) {
  if (role !== 'operator') return <p>An operator can approve it.</p>;
  const why = whyNotApproved(atPage(name), run, true);
  const own = 'You have loaded it: another operator can approve it.';
  if (why !== null) return <Prose of={whyUnknown(atPage(name)) ?? own} />;
  return (
    <a href={runPath(run.id, '/approve')} class="btn go">
      Approve…
    </a>
  );
}

/** More outcomes than rows are a defect of this program. */
function Holds({ run: { rows, outcomes } }: { readonly run: Run }) {
  if (countSettled(outcomes) <= rows) return <b>✓ the sum holds</b>;
  return <b class="t-bad">✗ the sum does not hold: more outcomes than rows</b>;
}

type Act = readonly [path: string, words: string];
const PAUSE: Act = ['pause', 'Pause…'];
const RESUME: Act = ['resume', 'Resume'];
const CANCEL: Act = ['cancel', 'Cancel…'];
const AGAIN: Act = ['rerun', 'Run again what did not succeed…'];

const ACTS: Readonly<Record<RunState, readonly Act[]>> = {
  queued: [PAUSE, CANCEL],
  running: [PAUSE, CANCEL],
  paused: [RESUME, CANCEL],
  stopped: [RESUME, CANCEL],
  cancelled: [AGAIN],
  finished: [AGAIN],
};

/** What can't be taken back is confirmed on a page of its own, and a pause says there why. */
const CONFIRMED: readonly Act[] = [PAUSE, CANCEL, AGAIN];

/** Before what a person has to look at is let go, it can be given up. */
function actsOf({ state, reason }: Pick<Run, 'state' | 'reason'>): readonly Act[] {
  if (awaitsApproval({ state, reason })) return [CANCEL];
  return reason === 'unusual' || reason === 'adopted' ? [CANCEL, RESUME] : ACTS[state];
}

/** Sends the shown state along: once it has changed, nothing is done. */
function Acts({ run: { id, state, reason, outcomes, purged }, account }: Pick<Shown, 'run' | 'account'>) {
  const isOpen = purged === undefined && (account === null || toSeeTo(account) > 0);
  const hasMore = isOpen && RERUN_OUTCOMES.some((outcome) => outcomes[outcome] > 0);
  const acts = actsOf({ state, reason }).filter((act) => act !== AGAIN || hasMore);
  return (
    <>
      {acts.map((act) => {
        const [path, words] = act;
        const isConfirmed = CONFIRMED.includes(act);
        return (
          <form method={isConfirmed ? 'get' : 'post'} action={runPath(id, `/${path}`)} class="act">
            {isConfirmed ? null : <input type="hidden" name="seen" value={state} />}
            <button type="submit">{words}</button>
          </form>
        );
      })}
    </>
  );
}

const EVENTS = 20;

const STORY_SHOWN = 60;

function Happened({ story }: { readonly story: readonly Told[] }) {
  if (story.length === 0) return null;
  const left = Math.max(0, story.length - STORY_SHOWN);
  return (
    <section>
      <h2>Story</h2>
      {left === 0 ? null : <p class="dim">{countOf(left, 'earlier event')} left out.</p>}
      <Story story={story.slice(-STORY_SHOWN)} />
    </section>
  );
}

function Files({ run, files }: { readonly run: string; readonly files: readonly string[] }) {
  return (
    <section>
      <h2>Files of the report</h2>
      <ul>
        {files.map((name) => (
          <li>
            <a href={runPath(run, `/files/${encodeURIComponent(name)}`)}>{name}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
