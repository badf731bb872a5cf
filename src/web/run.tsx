/**
 * A run: what became of its rows, how fast it goes, why rows did not succeed and what can be done
 * about it, and what happened. All of it is live; buttons only ask, and the page behind them says
 * what will be done.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf } from '../lib/terminal.ts';
import type { Visitor } from '../model/ask.ts';
import type { RunState } from '../model/run.ts';
import type { Told } from '../model/story.ts';
import { Latencies, Rates, Story, Sum, Time } from '../report/html/parts.tsx';
import type { Stretch } from '../report/timeline.ts';
import { Causes, type CausesOf } from './causes.tsx';
import { type RunLine, runPath, StateBadge } from './runs.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { Bar } from './words.tsx';

export type RunShown = CausesOf & {
  readonly parent: string | null;
  /** Who asked for its state and why; '': nobody. */
  readonly request: string;
  /** What is wrong with the service; '': nothing. */
  readonly service: string;
  readonly perSecond: number;
  /** In words; '' where it can't be told. */
  readonly left: string;
  readonly stretches: readonly Stretch[];
  readonly story: readonly Told[];
  /** Of its report; none for who may not have them. */
  readonly files: readonly string[];
  readonly hasReport: boolean;
};

export type RunPart = {
  /** `null`: there is no such run. */
  run(id: string, visitor: Visitor): Promise<RunShown | null>;
  /** report.html. */
  report(id: string): Promise<Uint8Array | null>;
  /** A file that the report's summary names. */
  file(id: string, name: string): Promise<AsyncIterable<Uint8Array> | null>;
};

export const runRoutes: readonly Route<RunPart>[] = [
  { method: 'GET', path: '/runs/:id', role: 'viewer', answer: show },
  { method: 'GET', path: '/runs/:id/live', role: 'viewer', answer: live },
  { method: 'GET', path: '/runs/:id/report', role: 'viewer', answer: report },
  { method: 'GET', path: '/runs/:id/files/:name', role: 'operator', answer: file },
];

const NO_RUN: Reply = { kind: 'missing', words: 'There is no such run in the ledger.' };

async function show({ params, page, visitor }: Visit<RunPart>): Promise<Reply> {
  const shown = await page.run(params.id ?? '', visitor);
  if (shown === null) return NO_RUN;
  const { id, job, file: name } = shown.run;
  const body = (
    <>
      <p class="dim">
        <Text of={name} bytes={200} /> · run {id}
      </p>
      <h1>
        <Text of={job} bytes={100} />
      </h1>
      <div data-live={runPath(id, '/live')}>
        <RunLive shown={shown} visitor={visitor} />
      </div>
    </>
  );
  return { kind: 'page', title: `${job}: ${id}`, body };
}

async function live({ params, page, visitor }: Visit<RunPart>): Promise<Reply> {
  const shown = await page.run(params.id ?? '', visitor);
  return shown === null ? NO_RUN : { kind: 'fragment', body: <RunLive shown={shown} visitor={visitor} /> };
}

async function report({ params, page }: Visit<RunPart>): Promise<Reply> {
  const html = await page.report(params.id ?? '');
  return html === null
    ? { kind: 'missing', words: 'There is no report of this run here.' }
    : { kind: 'report', html };
}

async function file({ params, page }: Visit<RunPart>): Promise<Reply> {
  const { id = '', name = '' } = params;
  const body = await page.file(id, name);
  if (body === null) return { kind: 'missing', words: 'The report of this run has no such file.' };
  return { kind: 'download', name, type: 'application/octet-stream', body };
}

type Props = { readonly shown: RunShown; readonly visitor: Visitor };

function RunLive({ shown, visitor }: Props) {
  const { run, parent, request, service, perSecond, left } = shown;
  return (
    <>
      <div class="line">
        <StateBadge run={run} /> {visitor.role === 'operator' ? <Acts run={run} /> : null}{' '}
        {shown.hasReport ? <a href={runPath(run.id, '/report')}>Report</a> : null}{' '}
        <a href={runPath(run.id, '/rows')}>Rows</a>
        {parent === null ? null : (
          <>
            {' '}
            · takes up rows of <a href={runPath(parent)}>{parent}</a>
          </>
        )}
      </div>
      {request === '' ? null : (
        <p>
          By <Text of={request} />
        </p>
      )}
      {service === '' ? null : (
        <p class="notice">
          The service: <Text of={service} />
        </p>
      )}
      <p>
        <Sum outcomes={run.outcomes} rows={run.rows} /> <Holds run={run} />
      </p>
      <Bar outcomes={run.outcomes} rows={run.rows} />
      <p>
        {perSecond > 0 ? `${countOf(perSecond, 'row')} a second · ` : ''}
        {left === '' ? '' : `${left} left · `}
        {run.startedAt === null ? (
          'not begun yet'
        ) : (
          <>
            began <Time at={run.startedAt} />, took {run.took}
            {run.finishedAt === null ? ' so far' : ''}
          </>
        )}
      </p>
      {run.outcomes['in-doubt'] === 0 ? null : (
        <p class="verdict doubt">
          {countOf(run.outcomes['in-doubt'], 'row')} may exist at the service.{' '}
          {visitor.role === 'operator' ? <a href={runPath(run.id, '/doubts')}>Settle them</a> : null}
        </p>
      )}
      <div class="two">
        <Rates stretches={shown.stretches} story={shown.story.slice(-EVENTS)} />
        <Latencies digest={shown.digest} />
      </div>
      <Causes shown={shown} visitor={visitor} />
      <Happened story={shown.story} />
      {shown.files.length === 0 ? null : <Files run={run.id} files={shown.files} />}
    </>
  );
}

/** `holds: false` is a defect of this program. */
function Holds({ run: { rows, outcomes } }: { readonly run: RunLine }) {
  const settled = Object.values(outcomes).reduce((sum, n) => sum + n, 0);
  if (settled <= rows) return <b>✓ the sum holds</b>;
  return <b class="t-bad">✗ the sum does not hold: more outcomes than rows</b>;
}

const ACTS: Readonly<Record<RunState, ReadonlyArray<readonly [string, string]>>> = {
  queued: [
    ['pause', 'Pause'],
    ['cancel', 'Cancel…'],
  ],
  running: [
    ['pause', 'Pause'],
    ['cancel', 'Cancel…'],
  ],
  paused: [
    ['resume', 'Go on'],
    ['cancel', 'Cancel…'],
  ],
  stopped: [
    ['resume', 'Go on'],
    ['cancel', 'Cancel…'],
  ],
  cancelled: [['rerun', 'Run again what did not succeed…']],
  finished: [['rerun', 'Run again what did not succeed…']],
};

const ASKED = ['cancel', 'rerun'];

/** The state that was shown goes along: where it has changed since, nothing is done. */
function Acts({ run: { id, state, outcomes } }: { readonly run: RunLine }) {
  const { rejected, denied, failed, invalid, cancelled } = outcomes;
  const hasMore = rejected + denied + failed + invalid + cancelled > 0;
  return (
    <>
      {ACTS[state]
        .filter(([act]) => act !== 'rerun' || hasMore)
        .map(([act, words]) => (
          // What can't be taken back has a page of its own, where it is confirmed.
          <form method={ASKED.includes(act) ? 'get' : 'post'} action={runPath(id, `/${act}`)} class="act">
            {ASKED.includes(act) ? null : <input type="hidden" name="seen" value={state} />}
            <button type="submit">{words}</button>
          </form>
        ))}
    </>
  );
}

const EVENTS = 20;

const STORY_SHOWN = 60;

function Happened({ story }: Pick<RunShown, 'story'>) {
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
