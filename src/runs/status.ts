/**
 * How runs stand: a run by its id, the newest ones, what a state means, the command that goes on
 * with a run, and the one form in which programs get a run. Changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JobDefinition } from '../config/job-definition.ts';
import { type BreakerReport, createSharedBreaker } from '../engine/ledger/breaker.ts';
import { type RunBrief, readBriefs } from '../engine/ledger/run-record.ts';
import { holdsUpLaterJobs, type RunStore } from '../engine/ledger/run-store.ts';
import type { ChunkQueue } from '../engine/queue/chunk-queue.ts';
import type { Registration } from '../engine/recovery/registration.ts';
import { batchesOf } from '../lib/batches.ts';
import { didYouMean } from '../lib/did-you-mean.ts';
import { countOf } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isDeadHere } from '../lib/worker-id.ts';
import { countSettled, countUnsuccessful } from '../model/outcome.ts';
import { isMoving, isOver, isUnderWay, pendingRows, type Run, type RunProgress } from '../model/run.ts';
import type { Ledger } from '../session.ts';
import { goOnCommand } from './report/advice.ts';
import { readSummary } from './report/report.ts';
import { type Summary, summarize } from './report/summary.ts';

/** Runs searched for the ending of an id, and for one like a mistyped one. */
const RUNS_LOOKED_THROUGH = 10_000;
const AMBIGUOUS_SHOWN = 5;
export const LATEST = 'latest';

/** By id, a unique ending of it, or `latest`, at any target. A UsageError names similar ones. */
export async function findRun(ledger: Ledger, named: string): Promise<Run> {
  const exact = await runOf(ledger, named);
  if (exact !== null) return exact;
  const known = (await ledger.index.latest(RUNS_LOOKED_THROUGH)).map(({ run }) => run);
  const [newest] = known;
  if (named === LATEST && newest === undefined)
    throw new UsageError(`There is no run in the ledger of ${ledger.name} yet.`);
  const meant =
    named === LATEST ? known.slice(0, 1) : known.filter((id) => named !== '' && id.endsWith(named));
  const [only, another] = meant;
  if (another !== undefined) throw new UsageError(ambiguous(named, meant));
  const run = only === undefined ? null : await runOf(ledger, only);
  if (run !== null) return run;
  const hint = didYouMean(named, known);
  throw new UsageError(
    `There is no run "${named}" in the ledger of ${ledger.name}.${hint} \`onboard runs\` lists them.`,
  );
}

/** `null`: no run has exactly that id. */
export async function runOf(ledger: Ledger, id: string): Promise<Run | null> {
  const target = await ledger.index.targetOf(id);
  return target === null ? null : ledger.of(target).store.get(id);
}

export async function hasRunsAt(target: string, { of }: Pick<Ledger, 'of'>): Promise<boolean> {
  return (await of(target).store.list(1)).length > 0;
}

function ambiguous(named: string, ids: readonly string[]): string {
  const more = ids.length > AMBIGUOUS_SHOWN ? ` and ${ids.length - AMBIGUOUS_SHOWN} more` : '';
  return (
    `"${named}" is the ending of ${countOf(ids.length, 'run')}: ` +
    `${ids.slice(0, AMBIGUOUS_SHOWN).join(', ')}${more}. Expected more of the id.`
  );
}

/** The one that a run began with, whatever its job has become. */
export async function definitionOf(
  { id, target }: Run,
  ledger: Pick<Ledger, 'of'>,
  find: Registration['find'] = (look) => look(),
): Promise<JobDefinition> {
  const definition = await find(() => ledger.of(target).store.definition(id));
  if (definition === null) throw new Error(`run ${id} is gone from the ledger`);
  return definition;
}

export type Executed = { readonly run: Run; readonly summary: Summary };

/** For people; `owner`: the process that reads the run's rows. */
export type ShownState = { readonly words: string; readonly owner: 'alive' | 'gone' | 'none' };

export type ShownRun = { readonly run: Run; readonly state: ShownState };

/** Newest first. */
export async function latestRuns(ledger: Ledger, limit: number): Promise<ShownRun[]> {
  const newest = await ledger.index.latest(limit);
  const shown = newest.map(({ run, target }) => shownRun(run, ledger.of(target).store));
  return (await Promise.all(shown)).flat();
}

const AT_ONCE = 500;

/** `isLatest`: of its job, whose next file tells what it told of known records. */
export type RunToSeeTo = ShownRun & { readonly isLatest: boolean };

/**
 * Newest first: those that are not over, those with rows that did not succeed, and of each job the
 * latest with rows of known records.
 */
export async function runsToSeeTo(ledger: Ledger): Promise<RunToSeeTo[]> {
  const briefOf = async ({ run, target }: { readonly run: string; readonly target: string }) => {
    const [brief] = await readBriefs(ledger.redis, ledger.of(target).keys, [run]);
    return brief ?? [];
  };
  const met = new Set<string>();
  const shown: RunToSeeTo[] = [];
  for (const batch of batchesOf(await ledger.index.latest(RUNS_LOOKED_THROUGH), AT_ONCE)) {
    const briefs = (await Promise.all(batch.map(briefOf))).flat().map((brief) => {
      const name = `${brief.target} ${brief.job}`;
      const isDelivery = brief.parent === null && brief.standsFor === undefined;
      const isLatest = isDelivery && !met.has(name);
      if (isDelivery) met.add(name);
      return { brief, isLatest };
    });
    const looks = briefs.filter(({ brief, isLatest }) => needsALook(brief, isLatest));
    const found = looks.map(async ({ brief, isLatest }) => {
      const { store } = ledger.of(brief.target);
      const runs = await (isOver(brief) ? endedRun(brief.id, store) : shownRun(brief.id, store));
      return runs.map((run) => ({ ...run, isLatest }));
    });
    shown.push(...(await Promise.all(found)).flat());
  }
  return shown;
}

function needsALook(run: RunBrief, isLatest: boolean): boolean {
  if (!isOver(run) || countUnsuccessful(run.outcomes) > 0) return true;
  return isLatest && run.outcomes.skipped + run.outcomes.updated > 0;
}

/** Of these jobs, oldest first: the jobs that come after them wait for these. */
export async function openRuns(
  jobs: readonly string[],
  target: string,
  { of }: Pick<Ledger, 'of'>,
): Promise<ShownRun[]> {
  const { store } = of(target);
  const ids = await store.holdingUp(new Set(jobs));
  const shown = await Promise.all(ids.map((id) => shownRun(id, store)));
  return shown.flat().filter(({ run }) => holdsUpLaterJobs(run.state));
}

/** None where it is gone. */
async function shownRun(id: string, store: RunStore): Promise<ShownRun[]> {
  const [run, leased] = await Promise.all([store.get(id), isRead(id, store)]);
  return run === null ? [] : [{ run, state: stateOf(run, leased) }];
}

/** Nobody reads it any more. */
async function endedRun(id: string, store: RunStore): Promise<ShownRun[]> {
  const run = await store.get(id);
  return run === null ? [] : [{ run, state: stateOf(run, false) }];
}

/** Whether a process reads the run's rows; one that was killed on this machine doesn't. */
export async function isRead(id: string, store: Pick<RunStore, 'leaseOf'>): Promise<boolean> {
  const lease = await store.leaseOf(id);
  return lease !== null && !isDeadHere(lease.holder);
}

/** `leased`: a process reads the run's rows. */
export function stateOf(run: Pick<Run, 'reason'> & RunProgress, leased: boolean): ShownState {
  if (run.state === 'cancelled' && !isOver(run)) {
    const owner = leased ? 'alive' : 'gone';
    return { words: leased ? 'cancelled, winding up' : 'cancelled, owner gone', owner };
  }
  if (!isUnderWay(run)) {
    // The process that follows the run resumes it when its window opens.
    const owner = leased && run.reason === 'window' ? 'alive' : 'none';
    return { words: run.reason === null ? run.state : `${run.state} (${run.reason})`, owner };
  }
  if (leased) return { words: run.state, owner: 'alive' };
  return { words: `${run.state}, owner gone`, owner: 'gone' };
}

/** What the rows of a running run wait for; `null`: it is over, or halted. */
export async function waitsFor(
  run: Run,
  ledger: Ledger,
  queue: Pick<ChunkQueue, 'placesOf'>,
): Promise<string | null> {
  if (!isMoving(run)) return null;
  const open = await ledger.of(run.target).store.openChunks(run.id);
  const places = await queue.placesOf(run.id, open);
  const told = Object.entries(places).flatMap(([place, count]) =>
    count === 0 ? [] : `${countOf(count, 'chunk')} ${PLACES[place] ?? place}`,
  );
  return told.join(', ') || 'the rest of its file to be read';
}

const PLACES: Readonly<Record<string, string>> = {
  'in hand': 'in hand of a worker',
  waiting: 'waiting for a worker',
  'put back': 'put back for some seconds',
  lost: 'lost by the queue, added anew while the run is followed',
};

export function goingOnWith(run: Pick<Run, 'id' | 'state' | 'reason'>, { owner }: ShownState): string | null {
  const isHalted = owner === 'none' && (run.state === 'paused' || run.state === 'stopped');
  return owner === 'gone' || isHalted ? goOnCommand(run) : null;
}

/** The same for people, with what comes before the command. */
export function goOnWords(run: Pick<Run, 'id' | 'state' | 'reason'>, state: ShownState): string | null {
  const command = goingOnWith(run, state);
  if (command === null) return null;
  if (run.reason === 'service-hold') return `once its pause is over: ${command}`;
  if (run.reason === 'unusual') return `once its file was looked at: ${command}`;
  return command;
}

/** From the run's report where that is true, else from the ledger. */
export async function summaryOf(run: Run, report: string): Promise<Summary> {
  return (await reportedSummary(run, report)) ?? summarize(run, new Date());
}

/** `null`: there is no report, or the run is not as it was then. */
export async function reportedSummary(run: Run, report: string): Promise<Summary | null> {
  const known = await readSummary(report);
  const told = ({ state, reason, request, outcomes }: Summary) => ({ state, reason, request, outcomes });
  const now = summarize(run, new Date());
  return known !== null && isDeepStrictEqual(told(known), told(now)) ? known : null;
}

/** As `--json` shows it: `summary.json`, and how it stands right now. */
export type RunStatus = ReturnType<typeof runStatus>;

export function runStatus({ run, state }: ShownRun, summary: Summary, report: string) {
  const { createdAt } = run;
  const end = run.finishedAt === null ? Date.now() : Date.parse(run.finishedAt);
  const goesOn = state.owner === 'alive' && run.state === 'running' && summary.rowsPerSecond > 0;
  return {
    ...summary,
    createdAt,
    /** Whether a process reads the run's rows right now. */
    owner: state.owner,
    /** Rows with an outcome, of all. */
    percent: run.rows === 0 ? 100 : Math.floor((countSettled(run.outcomes) / run.rows) * 100),
    seconds:
      run.startedAt === null ? null : Math.max(0, Math.round((end - Date.parse(run.startedAt)) / 1000)),
    secondsLeft: goesOn ? Math.ceil(pendingRows(run) / summary.rowsPerSecond) : null,
    report,
    /** `null`: it goes on by itself or is over. */
    command: goingOnWith(run, state),
  };
}

export async function readRunStatus(shown: ShownRun, report: string): Promise<RunStatus> {
  return runStatus(shown, await summaryOf(shown.run, report), report);
}

export function serviceReport({ redis, of }: Ledger, target: string): Promise<BreakerReport> {
  return createSharedBreaker(redis, of(target).keys).read();
}
