/**
 * How runs stand: a run by its id, the newest ones, what a state means for people, and the command that goes on
 * with a run. Nothing is changed here.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import type { Registration } from '../delivery/registration.ts';
import { type BreakerReport, createSharedBreaker } from '../ledger/breaker.ts';
import { didYouMean } from '../lib/did-you-mean.ts';
import { countOf } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isOver, type Run } from '../model/run.ts';
import type { Ledger } from '../session.ts';

/** As many runs are looked through for the ending of an id, and for one that is like a mistyped one. */
const RUNS_LOOKED_THROUGH = 10_000;
const AMBIGUOUS_SHOWN = 5;
const LATEST = 'latest';

/** The run that somebody names by its id, an ending of it that no other has, or `latest`; whatever its target. A UsageError says which there are like it. */
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

async function runOf(ledger: Ledger, id: string): Promise<Run | null> {
  const target = await ledger.index.targetOf(id);
  return target === null ? null : ledger.of(target).store.get(id);
}

function ambiguous(named: string, ids: readonly string[]): string {
  const more = ids.length > AMBIGUOUS_SHOWN ? ` and ${ids.length - AMBIGUOUS_SHOWN} more` : '';
  return `"${named}" is the ending of ${countOf(ids.length, 'run')}: ${ids.slice(0, AMBIGUOUS_SHOWN).join(', ')}${more}. Expected more of the id.`;
}

/** The definition that a run began with, and goes on with whatever its job has become. */
export async function definitionOf(
  { id, target }: Run,
  ledger: Pick<Ledger, 'of'>,
  find: Registration['find'] = (look) => look(),
): Promise<JobDefinition> {
  const definition = await find(() => ledger.of(target).store.definition(id));
  if (definition === null) throw new Error(`run ${id} is gone from the ledger`);
  return definition;
}

/** A run's state for people, and whether a process reads its rows right now. */
export type ShownState = { readonly words: string; readonly owner: 'alive' | 'gone' | 'none' };

export type ShownRun = { readonly run: Run; readonly state: ShownState };

/** Newest first. */
export async function latestRuns(ledger: Ledger, limit: number): Promise<ShownRun[]> {
  const newest = await ledger.index.latest(limit);
  const shown = await Promise.all(
    newest.map(async ({ run: id, target }) => {
      const { store } = ledger.of(target);
      const run = await store.get(id);
      return run === null ? [] : [{ run, state: stateOf(run, await store.hasLease(id)) }];
    }),
  );
  return shown.flat();
}

/** `leased`: a process reads the run's rows. */
export function stateOf(run: Run, leased: boolean): ShownState {
  if (run.state === 'cancelled' && !isOver(run)) {
    const owner = leased ? 'alive' : 'gone';
    return { words: leased ? 'cancelled, winding up' : 'cancelled, owner gone', owner };
  }
  if (run.state !== 'running' && run.state !== 'queued') {
    // The process that follows the run lets it go on when its window opens.
    const owner = leased && run.reason === 'window' ? 'alive' : 'none';
    return { words: run.reason === null ? run.state : `${run.state} (${run.reason})`, owner };
  }
  return leased ? { words: run.state, owner: 'alive' } : { words: `${run.state}, owner gone`, owner: 'gone' };
}

/** The command that goes on with the run, `null` where it goes on by itself or is over. */
export function goingOnWith({ id, state }: Pick<Run, 'id' | 'state'>, { owner }: ShownState): string | null {
  if (owner === 'gone') return state === 'cancelled' ? `onboard cancel ${id}` : `onboard resume ${id}`;
  if (owner === 'alive') return null;
  return state === 'paused' || state === 'stopped' ? `onboard resume ${id}` : null;
}

/** How the service of a target is doing, as all workers have found it. */
export function serviceReport({ redis, of }: Ledger, target: string): Promise<BreakerReport> {
  return createSharedBreaker(redis, of(target).keys).read();
}
