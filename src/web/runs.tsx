/**
 * Runs: all of them, newest first, 50 a page, by state and job; and how one is told of in a line
 * wherever runs are listed.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import type { Visitor } from '../model/ask.ts';
import { OUTCOMES, type OutcomeCounts } from '../model/outcome.ts';
import { RUN_STATES, type RunState } from '../model/run.ts';
import { kindWords, Time, Wide } from '../report/html/parts.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { Badge, Bar, Empty, Pager } from './words.tsx';

/** A run in a line. */
export type RunLine = {
  readonly id: string;
  readonly job: string;
  /** Without its folders. */
  readonly file: string;
  readonly target: string;
  readonly state: RunState;
  /** The state, and why it is in it. */
  readonly words: string;
  readonly rows: number;
  readonly outcomes: OutcomeCounts;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** How long it took, or has been taking, in words; '' before it begins. */
  readonly took: string;
};

export type RunsAsked = {
  readonly state: RunState | null;
  /** '': any. */
  readonly job: string;
  /** So many of the newest runs are left out. */
  readonly skipped: number;
};

export type RunsFound = {
  readonly runs: readonly RunLine[];
  /** How many are left out by the next page; `null`: there is none. */
  readonly next: number | null;
};

export type RunsPart = {
  runs(asked: RunsAsked): Promise<RunsFound>;
  /** That has a row of that key, or is called so, by its id or an ending of it. */
  named(
    text: string,
    visitor: Visitor,
  ): Promise<{ readonly run: string; readonly key: string | null } | null>;
};

export const runsRoutes: readonly Route<RunsPart>[] = [
  { method: 'GET', path: '/runs', role: 'viewer', answer: list },
];

async function list({ query, page, visitor }: Visit<RunsPart>): Promise<Reply> {
  // The search of every page comes here: it names a run, or a key of some run's rows.
  const named = (query.get('q') ?? '').trim();
  const meant = named === '' ? null : await page.named(named, visitor);
  if (meant !== null) return { kind: 'redirect', to: addressOfNamed(meant) };
  const state = RUN_STATES.find((one) => one === query.get('state')) ?? null;
  const skipped = Number(query.get('before') ?? 0);
  const asked = {
    state,
    job: (query.get('job') ?? '').slice(0, 200),
    skipped: Number.isSafeInteger(skipped) && skipped > 0 ? skipped : 0,
  };
  return {
    kind: 'page',
    title: 'Runs',
    body: <Runs asked={asked} named={named} found={await page.runs(asked)} />,
  };
}

function addressOfNamed({ run, key }: { readonly run: string; readonly key: string | null }): string {
  return runPath(run, key === null ? '' : `/rows?${new URLSearchParams({ q: key })}`);
}

function addressOf({ state, job, skipped }: RunsAsked): string {
  const query = new URLSearchParams();
  if (state !== null) query.set('state', state);
  if (job !== '') query.set('job', job);
  if (skipped > 0) query.set('before', String(skipped));
  const text = query.toString();
  return text === '' ? '/runs' : `/runs?${text}`;
}

type RunsProps = { readonly asked: RunsAsked; readonly named: string; readonly found: RunsFound };

function Runs({ asked, named, found }: RunsProps) {
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
      {found.runs.length === 0 ? (
        <Empty>{isFiltered ? 'No run is as asked for.' : 'Nothing was run yet.'}</Empty>
      ) : (
        <RunTable runs={found.runs} name="Runs" />
      )}
      <Pager
        back={asked.skipped > 0 ? addressOf({ ...asked, skipped: 0 }) : null}
        on={found.next === null ? null : addressOf({ ...asked, skipped: found.next })}
      />
    </>
  );
}

type TableProps = { readonly runs: readonly RunLine[]; readonly name: string };

export function RunTable({ runs, name }: TableProps) {
  return (
    <Wide name={name}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col">began</th>
            <th scope="col">took</th>
            <th scope="col">rows</th>
            <th scope="col">state</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr>
              <td>
                <RunName run={run} />
              </td>
              <td>
                <Time at={run.startedAt ?? run.createdAt} />
              </td>
              <td class="n">{run.took}</td>
              <td class="outcome-cell">
                <Bar outcomes={run.outcomes} rows={run.rows} />
                <span class="dim">{countsWords(run)}</span>
              </td>
              <td>
                <StateBadge run={run} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

export function RunName({ run: { id, job, file } }: { readonly run: Pick<RunLine, 'id' | 'job' | 'file'> }) {
  return (
    <>
      <a href={runPath(id)}>
        <Text of={job} bytes={100} />
      </a>
      <br />
      <span class="dim">
        <Text of={file} bytes={100} /> · {id}
      </span>
    </>
  );
}

export function runPath(id: string, under = ''): string {
  return `/runs/${encodeURIComponent(id)}${under}`;
}

const TONES: Readonly<Record<RunState, 'ok' | 'bad' | 'none'>> = {
  queued: 'none',
  running: 'none',
  paused: 'bad',
  stopped: 'bad',
  cancelled: 'bad',
  finished: 'ok',
};

export function StateBadge({ run }: { readonly run: Pick<RunLine, 'state' | 'words' | 'outcomes'> }) {
  const isDoubtful = run.state === 'finished' && run.outcomes['in-doubt'] > 0;
  return <Badge tone={isDoubtful ? 'doubt' : TONES[run.state]}>{run.words}</Badge>;
}

export function countsWords({ rows, outcomes }: Pick<RunLine, 'rows' | 'outcomes'>): string {
  const found = OUTCOMES.flatMap((outcome) =>
    outcomes[outcome] > 0 ? [`${numberShown(outcomes[outcome])} ${kindWords(outcome)}`] : [],
  );
  return found.join(' · ') || `none of ${countOf(rows, 'row')} yet`;
}
