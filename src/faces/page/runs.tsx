/** All runs, newest first; and a run's line in any list. */

import { basename } from 'node:path';
import type { Child } from 'hono/jsx';
import { SANDBOX_TARGET } from '../../delivery/target.ts';
import { type RunBrief, readBriefs } from '../../engine/ledger/run-record.ts';
import { batchesOf } from '../../lib/batches.ts';
import { Text } from '../../lib/html-text.tsx';
import { duration } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Visitor } from '../../model/ask.ts';
import { kindsOf } from '../../model/outcome.ts';
import { isOver, RUN_STATES, type RunState } from '../../model/run.ts';
import { sumWords, Table, Time, targetShown } from '../../runs/report/html/parts.tsx';
import { findRun, type ShownState, stateOf } from '../../runs/status.ts';
import type { Ledger } from '../../session.ts';
import type { Reply } from '../web/visit.ts';
import { Bar, Empty, Pager } from '../web/words.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { knownIn, rowNumber } from './run-rows.ts';

export const runsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/runs/latest', role: 'viewer', answer: toLatest },
  { method: 'GET', path: '/runs', role: 'viewer', answer: list },
];

async function toLatest({ page: { ledger } }: PageVisit): Promise<Reply> {
  const [newest] = await ledger.index.latest(1);
  if (newest === undefined) return { kind: 'missing', words: 'Nothing was run yet.' };
  return { kind: 'redirect', to: runPath(newest.run) };
}

const RUNS_A_PAGE = 50;
/** Runs searched for a state or job; the next page goes on from there. */
const LOOKED_THROUGH = 1_000;
const AT_ONCE = 100;

async function list({ query, page, visitor }: PageVisit): Promise<Reply> {
  // Every page's search comes here: it names a run, or a key of some run's rows.
  const named = (query.get('q') ?? '').trim();
  const address = named === '' ? null : await addressOfNamed(page, named, visitor);
  if (address !== null) return { kind: 'redirect', to: address };
  const asked = askedIn(query);
  const found = await findRuns(page, asked);
  return { kind: 'page', title: 'Runs', body: <Runs asked={asked} named={named} found={found} /> };
}

type Asked = ReturnType<typeof askedIn>;

function askedIn(query: URLSearchParams) {
  return {
    state: RUN_STATES.find((one) => one === query.get('state')) ?? null,
    job: (query.get('job') ?? '').slice(0, 200),
    /** Leaves out this many of the newest runs. */
    skipped: rowNumber(query.get('before') ?? '') ?? 0,
  };
}

async function addressOfNamed(page: PageContext, text: string, { role }: Visitor): Promise<string | null> {
  const { ledger, target } = page;
  // A viewer could try keys of any run.
  if (role === 'operator') {
    const { redis, of } = ledger;
    const [known] = await knownIn({ redis, keys: of(target).keys }, text, ['subclient', 'counterparty']);
    if (known !== undefined) return runPath(known.run, `/rows?${new URLSearchParams({ q: text })}`);
  }
  try {
    return runPath((await findRun(ledger, text)).id);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** `next`: the runs that the next page leaves out; `null`: there is none. */
export async function findRuns({ ledger }: PageContext, { state, job, skipped }: Asked) {
  const newest = await ledger.index.latest(LOOKED_THROUGH, skipped);
  const runs: RunBrief[] = [];
  for (const batch of batchesOf(newest, AT_ONCE)) {
    const briefs = await briefsOf(ledger, batch);
    runs.push(...briefs.filter((run) => (state ?? run.state) === run.state && (job || run.job) === run.job));
    if (runs.length > RUNS_A_PAGE) break;
  }
  const further = runs[RUNS_A_PAGE]?.id;
  const ended = newest.length < LOOKED_THROUGH ? null : skipped + LOOKED_THROUGH;
  const next = further === undefined ? ended : skipped + newest.findIndex(({ run }) => run === further);
  return { runs: runs.slice(0, RUNS_A_PAGE), next };
}

/** In the order of the ids, of any target, without those that are gone. */
export async function briefsOf(
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
  runs: ReadonlyArray<{ readonly run: string; readonly target: string }>,
): Promise<RunBrief[]> {
  const found = await Promise.all(runs.map(({ run, target }) => readBriefs(redis, of(target).keys, [run])));
  return found.flat();
}

function addressOf({ state, job, skipped }: Asked): string {
  return withQuery('/runs', { state, job, before: skipped });
}

export function withQuery(path: string, query: Readonly<Record<string, string | number | null>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

type RunsProps = {
  readonly asked: Asked;
  readonly named: string;
  readonly found: Awaited<ReturnType<typeof findRuns>>;
};

function Runs({ asked, named, found: { runs, next } }: RunsProps) {
  const isFiltered = asked.state !== null || asked.job !== '';
  return (
    <>
      <h1>Runs</h1>
      {named === '' ? null : (
        <p class="notice" role="status">
          {'Nothing that can be looked for here is called “'}
          <Text of={named} bytes={120} />
          {'”. Other texts are looked for among the rows of a run.'}
        </p>
      )}
      <form class="filter" action="/runs">
        <label>
          State{' '}
          <select name="state">
            <option value="">any</option>
            {RUN_STATES.map((state) => (
              <option selected={state === asked.state}>{state}</option>
            ))}
          </select>
        </label>{' '}
        <label>
          Job <input name="job" value={asked.job} size={24} />
        </label>{' '}
        <button type="submit">Show</button>
      </form>
      <RunTable
        name="Runs"
        runs={runs.map((run) => ({ run }))}
        none={isFiltered ? 'No run is as asked for.' : 'Nothing was run yet.'}
      />
      <Pager
        back={asked.skipped > 0 ? addressOf({ ...asked, skipped: 0 }) : null}
        on={next === null ? null : addressOf({ ...asked, skipped: next })}
      />
    </>
  );
}

/** `state`: where it was looked up who reads the rows; `pace`: in words. */
export type ListedRun = { readonly run: RunBrief; readonly state?: ShownState; readonly pace?: string };

type TableProps = { readonly name: string; readonly runs: readonly ListedRun[]; readonly none: string };

export function RunTable({ name, runs, none }: TableProps) {
  if (runs.length === 0) return <Empty>{none}</Empty>;
  return (
    <Table name={name} heads={['run', 'began', { n: 'took' }, 'rows', 'state']} rows={runs.map(cellsOf)} />
  );
}

function cellsOf({ run, state, pace = '' }: ListedRun): readonly Child[] {
  const took = [timeTaken(run), pace].filter((words) => words !== '');
  return [
    <RunName run={run} />,
    <Time at={run.startedAt ?? run.createdAt} />,
    took.join(', '),
    <Rows run={run} />,
    <StateBadge run={run} state={state ?? stateOf(run, true)} />,
  ];
}

function Rows({ run: { outcomes, rows } }: { readonly run: RunBrief }) {
  return (
    <div class="outcome-cell">
      <Bar outcomes={outcomes} rows={rows} />
      <span class="dim">{sumWords(kindsOf({ outcomes, rows })) || 'no rows'}</span>
    </div>
  );
}

export function SandboxBadge({ target }: Pick<RunBrief, 'target'>) {
  return target === SANDBOX_TARGET ? <span class="badge sandbox">{targetShown(target)}</span> : null;
}

function RunName({ run: { id, job, file, target } }: { readonly run: RunBrief }) {
  return (
    <>
      <SandboxBadge target={target} />{' '}
      <a href={runPath(id)}>
        <Text of={job} bytes={100} />
      </a>
      <br />
      <span class="dim">
        <Text of={basename(file)} bytes={100} /> · {id}
      </span>
    </>
  );
}

export function runPath(id: string, under = ''): string {
  return `/runs/${encodeURIComponent(id)}${under}`;
}

/** '' before the run begins. */
export function timeTaken(run: RunBrief): string {
  const { startedAt, finishedAt } = run;
  if (startedAt === null) return '';
  const end = finishedAt === null || !isOver(run) ? Date.now() : Date.parse(finishedAt);
  return duration(Math.max(0, (end - Date.parse(startedAt)) / 1000));
}

const TONES: Readonly<Record<RunState, 'ok' | 'bad' | 'none'>> = {
  queued: 'none',
  running: 'none',
  paused: 'bad',
  stopped: 'bad',
  cancelled: 'bad',
  finished: 'ok',
};

export function StateBadge({ run, state }: Required<Pick<ListedRun, 'run' | 'state'>>) {
  const isDoubtful = run.state === 'finished' && run.outcomes['in-doubt'] > 0;
  return <span class={`badge t-${isDoubtful ? 'doubt' : TONES[run.state]}`}>{state.words}</span>;
}
