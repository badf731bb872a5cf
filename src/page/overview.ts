/**
 * What the first page shows. Folders, schedules and what needs somebody are looked at every five seconds at most, however many look; what
 * moves is read anew each time: the open runs, how the service does, the workers and the chunks.
 */
import { basename } from 'node:path';
import { lookOver, type Overview } from '../inbox/overview.ts';
import { readDoing } from '../ledger/doing.ts';
import { kept } from '../lib/kept.ts';
import { isOver } from '../model/run.ts';
import { watchChunks } from '../queue/chunk-queue.ts';
import { serviceWords } from '../runs/service-notice.ts';
import { type ShownState, serviceReport, stateOf } from '../runs/status.ts';
import type { Need, OverviewPart, OverviewShown } from '../web/overview.tsx';
import type { Desk } from './desk.ts';
import { briefsOf, createPaces, lineOf } from './run-lines.ts';

const EVERY_MS = 5_000;
const OPEN_RUNS = 20;
const RECENT_RUNS = 30;
const ENDED_SHOWN = 12;
const NEEDS_SHOWN = 30;
const COMING_SHOWN = 20;

export function createOverviewPart(desk: Desk): OverviewPart {
  const { ledger, target, log } = desk;
  const { keys } = ledger.of(target);
  const paceOf = createPaces();
  const chunks = watchChunks(ledger.redis, keys.queuePrefix);
  const seldom = kept(EVERY_MS, () =>
    lookOver(desk, target, (problem) => log.debug('a job definition can not be used', { problem })),
  );
  return {
    async overview() {
      const seen = await seldom();
      const now = Date.now();
      const [moving, workers, counts, report] = await Promise.all([
        lookAtRuns(desk, { seen, now, paceOf }),
        readDoing(ledger.redis, keys, now),
        chunks.counts(),
        serviceReport(ledger, target),
      ]);
      return {
        service: { words: `the service: ${serviceWords(report)}`, isWell: report.state === 'well' },
        workers: workers.length,
        perSecond: workers.reduce((sum, { rate }) => sum + rate, 0),
        chunks: { waiting: counts.states.waiting + counts.states.delayed, active: counts.states.active },
        needs: needsOf(seen, now).slice(0, NEEDS_SHOWN),
        coming: comingOf(seen).slice(0, COMING_SHOWN),
        ...moving,
      };
    },
  };
}

/** Those that are open, wherever they stand in the list, and the newest ones. */
async function lookAtRuns(
  { ledger }: Desk,
  {
    seen,
    now,
    paceOf,
  }: { readonly seen: Overview; readonly now: number; readonly paceOf: ReturnType<typeof createPaces> },
): Promise<Pick<OverviewShown, 'going' | 'ended'>> {
  const open = seen.runs.map(({ run }) => ({ run: run.id, target: run.target }));
  const newest = await ledger.index.latest(RECENT_RUNS);
  const known = new Set(newest.map(({ run }) => run));
  const briefs = await briefsOf(ledger, [...newest, ...open.filter(({ run }) => !known.has(run))]);
  const moving = briefs
    .filter((run) => run.state === 'running' || run.state === 'queued')
    .slice(0, OPEN_RUNS);
  const going = moving.map(async (run) => {
    const state = stateOf(run, await ledger.of(run.target).store.hasLease(run.id));
    return { ...lineOf(run, now, state), ...paceOf(run, now) };
  });
  const ended = briefs.filter((run) => isOver(run)).slice(0, ENDED_SHOWN);
  return { going: await Promise.all(going), ended: ended.map((run) => lineOf(run, now)) };
}

/** Rows in doubt before all else. */
function needsOf({ needs }: Overview, now: number): readonly Need[] {
  const needy = needs.runs.map(({ run, state, inDoubt, toCorrect }) => ({
    line: lineOf({ ...run, chunks: 0 }, now, state),
    waits: !isOver(run) && state.owner !== 'alive' && needsPush(run, state),
    inDoubt,
    toCorrect,
  }));
  return [
    ...needy.flatMap(({ line, inDoubt }): Need[] =>
      inDoubt > 0 ? [{ kind: 'doubts', run: line, rows: inDoubt }] : [],
    ),
    ...needy.flatMap(({ line, waits }): Need[] => (waits ? [{ kind: 'held', run: line }] : [])),
    ...needs.refused.map(({ file, why }): Need => ({ kind: 'refused', file: basename(file), why })),
    ...needy.flatMap(({ line, toCorrect }): Need[] =>
      toCorrect > 0 ? [{ kind: 'to-correct', run: line, rows: toCorrect }] : [],
    ),
  ];
}

/** A run that is queued and has no owner yet may be on its way to one. */
function needsPush({ state }: { readonly state: string }, { owner }: ShownState): boolean {
  return state !== 'queued' || owner === 'gone';
}

function comingOf({ schedules, waiting, windows }: Overview): OverviewShown['coming'] {
  return [
    ...waiting.map(({ file, words }) => ({ at: null, what: basename(file), why: words })),
    ...windows.flatMap(({ job, window, isOpen, opensAt }) =>
      isOpen ? [] : [{ at: opensAt, what: job, why: `its window opens (${window})` }],
    ),
    ...schedules.map(({ job, next, timezone }) => ({ at: next, what: job, why: `scheduled, ${timezone}` })),
  ].sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
}
