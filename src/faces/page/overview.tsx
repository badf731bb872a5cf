/**
 * The first page: what needs attention, is running and is scheduled, and how the last runs ended.
 * Folders, schedules and needs are read every five seconds at most, however many look; what moves
 * is read each time.
 */
import { basename } from 'node:path';
import { readDoing } from '../../engine/ledger/display.ts';
import { Prose, Text } from '../../lib/html-text.tsx';
import { countOf, numberShown } from '../../lib/terminal.ts';
import { isOver } from '../../model/run.ts';
import { differingWords, type Overview, sharingWords } from '../../runs/inbox/overview.ts';
import { Time } from '../../runs/report/html/parts.tsx';
import { openWords } from '../../runs/report/words.ts';
import { goingOnWith, isRead, stateOf } from '../../runs/status.ts';
import type { Reply } from '../web/visit.ts';
import { Empty } from '../web/words.tsx';
import type { PageContext, PageRoute, PageVisit } from './page-context.ts';
import { briefsOf, type ListedRun, RunTable, runPath, SandboxBadge } from './runs.tsx';

const OPEN_RUNS = 20;
const RECENT_RUNS = 30;
const ENDED_SHOWN = 12;
const NEEDS_SHOWN = 30;
const COMING_SHOWN = 20;

export const overviewRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/', role: 'viewer', isLive: true, answer: show },
];

async function show({ page, visitor }: PageVisit): Promise<Reply> {
  const live = <Standing seen={await lookAround(page)} isOperator={visitor.role === 'operator'} />;
  return { kind: 'page', title: 'Overview', body: <h1>Overview</h1>, live };
}

async function lookAround(page: PageContext) {
  const { ledger, target } = page;
  const overview = await page.overview();
  const looks = [
    lookAtRuns(page, overview),
    readDoing(ledger.redis, ledger.of(target).keys, Date.now()),
    page.chunks.counts(),
  ] as const;
  const [runs, workers, chunks] = await Promise.all(looks);
  return { overview, ...runs, workers, chunks: chunks.states };
}

type Seen = Awaited<ReturnType<typeof lookAround>>;

/** All open runs, and the newest ones. */
async function lookAtRuns({ ledger, paceOf }: PageContext, { runs }: Overview) {
  const open = runs.map(({ run }) => ({ run: run.id, target: run.target }));
  const newest = await ledger.index.latest(RECENT_RUNS);
  const known = new Set(newest.map(({ run }) => run));
  const briefs = await briefsOf(ledger, [...newest, ...open.filter(({ run }) => !known.has(run))]);
  const moving = briefs.filter(({ state }) => state === 'running' || state === 'queued');
  const going = moving.slice(0, OPEN_RUNS).map(async (run) => {
    const isLeased = await isRead(run.id, ledger.of(run.target).store);
    return { run, state: stateOf(run, isLeased), pace: paceOf(run) };
  });
  const ended = briefs.filter(isOver).slice(0, ENDED_SHOWN);
  return {
    isNew: briefs.length === 0,
    running: moving.length,
    going: await Promise.all(going),
    ended: ended.map((run) => ({ run })),
  };
}

type StandingProps = { readonly seen: Seen; readonly isOperator: boolean };

function Standing({ seen, isOperator }: StandingProps) {
  const { overview, workers, chunks, going, ended, isNew } = seen;
  const perSecond = workers.reduce((sum, { rate }) => sum + rate, 0);
  return (
    <>
      <Figures seen={seen} />
      <p>
        {countOf(workers.length, 'worker')} · {countOf(perSecond, 'request')} a second ·{' '}
        {countOf(chunks.waiting + chunks.delayed, 'chunk')} waiting, {numberShown(chunks.active)} in work
      </p>
      {isNew && isOperator ? (
        <p class="notice">
          <a href="/upload" class="btn go">
            Upload a file
          </a>{' '}
          You see what would be sent of it, and can rehearse it, before anything is sent.
        </p>
      ) : null}
      <div class="two">
        <Needs needs={overview.needs} />
        <Coming overview={overview} />
      </div>
      <h2 id="running">Running</h2>
      <RunTable name="Running" runs={going} none="Nothing is running." />
      <h2>The last runs</h2>
      <RunTable name="The last runs" runs={ended} none="No run has ended yet." />
      <p>
        <a href="/runs">All runs</a>
      </p>
    </>
  );
}

/** To be read from two metres. */
function Figures({ seen: { overview, running } }: Pick<StandingProps, 'seen'>) {
  const { needs } = overview;
  const inDoubt = needs.runs.reduce((sum, one) => sum + one.inDoubt, 0);
  const figures = [
    [openIn(needs), 'open rows', 'bad', '#attention'],
    [inDoubt, 'in doubt', 'doubt', '#attention'],
    [running, 'running', 'none', '#running'],
  ] as const;
  return (
    <ul class="figures">
      {figures.map(([count, words, tone, to]) => (
        <li class={count === 0 ? 'dim' : `t-${tone}`}>
          <a href={to}>
            <b>{numberShown(count)}</b> {words}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** As accounts count them: to correct, and in doubt. */
function openIn({ runs }: Overview['needs']): number {
  return runs.reduce((sum, { toCorrect, notSent, inDoubt }) => sum + toCorrect + notSent + inDoubt, 0);
}

function Needs({ needs: { disk, runs, refused } }: Pick<Overview, 'needs'>) {
  const inDoubt = runs.filter((one) => one.inDoubt > 0);
  const halted = runs.filter(({ run, state }) => goingOnWith(run, state) !== null);
  const open = runs.filter((one) => one.toCorrect + one.notSent > 0);
  const differing = runs.filter((one) => one.differing > 0);
  const sharing = runs.filter((one) => one.sharing > 0);
  const needs = [
    ...(disk === null ? [] : [disk]),
    ...inDoubt.map((one) => (
      <Need run={one.run} under="/doubts" words={`${countOf(one.inDoubt, 'row')} in doubt`} />
    )),
    ...halted.map(({ run, state }) => <Need run={run} words={state.words} />),
    ...refused.map(({ file, note }) => (
      <>
        refused file <Text of={basename(file)} bytes={150} />
        {note === null ? null : '; the note beside it says why'}
      </>
    )),
    ...open.map((one) => <Need run={one.run} words={openWords(one, one.run).join(', ')} />),
    ...differing.map((one) => <Need run={one.run} words={differingWords(one.differing)} />),
    ...sharing.map((one) => <Need run={one.run} words={sharingWords(one.sharing)} />),
  ];
  return (
    <section>
      <h2 id="attention">Needs attention</h2>
      {needs.length === 0 ? <Empty>Nothing needs attention.</Empty> : null}
      <ul class="needs">
        {needs.slice(0, NEEDS_SHOWN).map((need) => (
          <li>{need}</li>
        ))}
      </ul>
    </section>
  );
}

type NeedProps = Pick<ListedRun, 'run'> & { readonly under?: string; readonly words: string };

function Need({ run: { id, job, target }, under = '', words }: NeedProps) {
  return (
    <>
      <SandboxBadge target={target} /> <a href={runPath(id, under)}>{words}</a> <Text of={job} bytes={100} />{' '}
      <span class="dim">{id}</span>
    </>
  );
}

function Coming({ overview: { schedules, waiting, windows } }: { readonly overview: Overview }) {
  const coming = [
    ...waiting.map(({ file, words }) => ({ at: null, what: basename(file), why: words })),
    ...windows.flatMap(({ job, window, isOpen, opensAt }) =>
      isOpen ? [] : [{ at: opensAt, what: job, why: `its window opens (${window})` }],
    ),
    ...schedules.map(({ job, next, timezone }) => ({ at: next, what: job, why: `scheduled, ${timezone}` })),
  ].sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  return (
    <section>
      <h2>Scheduled</h2>
      {coming.length === 0 ? <Empty>Nothing waits, and no schedule is set.</Empty> : null}
      <ul class="needs">
        {coming.slice(0, COMING_SHOWN).map(({ at, what, why }) => (
          <li>
            {at === null ? null : <Time at={at} />} <Text of={what} bytes={150} />{' '}
            <span class="dim">
              <Prose of={why} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
