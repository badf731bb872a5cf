/**
 * The first page: what needs somebody, what goes on, what comes next, and how the last runs ended.
 */
import { Text } from '../lib/html-text.tsx';
import { countOf, numberShown } from '../lib/terminal.ts';
import { countSettled } from '../model/outcome.ts';
import { Time } from '../report/html/parts.tsx';
import { type RunLine, RunName, RunTable, runPath, StateBadge } from './runs.tsx';
import type { Reply, Route, Visit } from './visit.ts';
import { Bar, Empty } from './words.tsx';

/** Something that waits for somebody. */
export type Need =
  | { readonly kind: 'doubts' | 'to-correct'; readonly run: RunLine; readonly rows: number }
  | { readonly kind: 'held'; readonly run: RunLine }
  | { readonly kind: 'refused'; readonly file: string; readonly why: string };

export type GoingRun = RunLine & {
  /** Rows a second just now. */
  readonly perSecond: number;
  /** In words; '' where it can't be told. */
  readonly left: string;
  /** Rows a second over the last minute or more, oldest first. */
  readonly paces: readonly number[];
};

export type OverviewShown = {
  readonly service: { readonly words: string; readonly isWell: boolean };
  readonly workers: number;
  readonly perSecond: number;
  readonly chunks: { readonly waiting: number; readonly active: number };
  readonly needs: readonly Need[];
  /** `at`: ISO 8601, UTC; `null`: not known. */
  readonly coming: readonly { readonly at: string | null; readonly what: string; readonly why: string }[];
  readonly going: readonly GoingRun[];
  readonly ended: readonly RunLine[];
};

export type OverviewPart = { overview(): Promise<OverviewShown> };

export const overviewRoutes: readonly Route<OverviewPart>[] = [
  { method: 'GET', path: '/', role: 'viewer', answer: show },
  { method: 'GET', path: '/live', role: 'viewer', answer: live },
];

async function show({ page }: Visit<OverviewPart>): Promise<Reply> {
  const overview = await page.overview();
  const body = (
    <>
      <h1>Overview</h1>
      <div data-live="/live">
        <Overview overview={overview} />
      </div>
    </>
  );
  return { kind: 'page', title: 'Overview', body };
}

async function live({ page }: Visit<OverviewPart>): Promise<Reply> {
  return { kind: 'fragment', body: <Overview overview={await page.overview()} /> };
}

type Props = { readonly overview: OverviewShown };

function Overview({ overview }: Props) {
  const { service, workers, perSecond, chunks, going, ended } = overview;
  return (
    <>
      <p class="standing">
        <b class={service.isWell ? 't-ok' : 't-bad'} aria-hidden="true">
          {service.isWell ? '✓' : '✗'}
        </b>{' '}
        <Text of={service.words} /> · {countOf(workers, 'worker')} · {countOf(perSecond, 'request')} a second
        · {countOf(chunks.waiting, 'chunk')} waiting, {numberShown(chunks.active)} in work
      </p>
      <div class="two">
        <Needs overview={overview} />
        <Coming overview={overview} />
      </div>
      <h2>Goes on</h2>
      {going.length === 0 ? <Empty>No run goes on.</Empty> : going.map((run) => <Going run={run} />)}
      <h2>The last runs</h2>
      {ended.length === 0 ? (
        <Empty>No run has ended yet.</Empty>
      ) : (
        <RunTable runs={ended} name="The last runs" />
      )}
      <p>
        <a href="/runs">All runs</a>
      </p>
    </>
  );
}

function Needs({ overview: { needs } }: Props) {
  return (
    <section>
      <h2>Needs somebody</h2>
      {needs.length === 0 ? <Empty>Nothing waits for anybody.</Empty> : null}
      <ul class="needs">
        {needs.map((need) => (
          <li>
            <NeedShown need={need} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NeedShown({ need }: { readonly need: Need }) {
  switch (need.kind) {
    case 'doubts':
      return (
        <>
          <a href={runPath(need.run.id, '/doubts')}>{countOf(need.rows, 'row')} in doubt</a>{' '}
          <Text of={need.run.job} bytes={100} /> <span class="dim">{need.run.id}</span>
        </>
      );
    case 'to-correct':
      return (
        <>
          <a href={runPath(need.run.id)}>{countOf(need.rows, 'row')} to correct</a>{' '}
          <Text of={need.run.job} bytes={100} /> <span class="dim">{need.run.id}</span>
        </>
      );
    case 'held':
      return (
        <>
          <a href={runPath(need.run.id)}>
            <Text of={need.run.job} bytes={100} />
          </a>{' '}
          <StateBadge run={need.run} /> <span class="dim">{need.run.id}</span>
        </>
      );
    case 'refused':
      return (
        <>
          refused file <Text of={need.file} bytes={150} />: <Text of={need.why} />
        </>
      );
    default:
      return need satisfies never;
  }
}

function Coming({ overview: { coming } }: Props) {
  return (
    <section>
      <h2>Comes next</h2>
      {coming.length === 0 ? <Empty>Nothing waits, and no schedule is set.</Empty> : null}
      <ul class="needs">
        {coming.map(({ at, what, why }) => (
          <li>
            {at === null ? null : (
              <>
                <Time at={at} />{' '}
              </>
            )}
            <Text of={what} bytes={150} />{' '}
            <span class="dim">
              <Text of={why} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Going({ run }: { readonly run: GoingRun }) {
  return (
    <section class="going">
      <p>
        <RunName run={run} />
      </p>
      <div>
        <Bar outcomes={run.outcomes} rows={run.rows} />
        <p>
          {numberShown(countSettled(run.outcomes))} of {numberShown(run.rows)} · <StateBadge run={run} />{' '}
          {run.perSecond === 0 ? '' : `· ${numberShown(run.perSecond)} rows/s`}
          {run.left === '' ? '' : ` · ${run.left} left`}
        </p>
      </div>
      <Spark paces={run.paces} />
    </section>
  );
}

/** How the pace has been, without numbers: they stand beside it. */
function Spark({ paces }: { readonly paces: readonly number[] }) {
  const most = Math.max(1, ...paces);
  return (
    <svg viewBox="0 0 120 24" preserveAspectRatio="none" class="spark" aria-hidden="true">
      {paces.slice(-60).map((pace, i) => {
        const height = Math.round((24 * pace) / most);
        return <rect class="f-bar" x={i * 2} y={24 - height} width="1.6" height={height} />;
      })}
    </svg>
  );
}
