import { createSharedBreaker } from '../ledger/breaker.js';
import { didYouMean } from '../lib/did-you-mean.js';
import { UsageError } from '../lib/usage-error.js';
import { isOver } from '../model/run.js';
const RUNS_FOR_SUGGESTIONS = 200;
/** The run of that id, whatever its target; a UsageError says which ones there are like it. */
export async function findRun(ledger, id) {
    const target = await ledger.index.targetOf(id);
    const run = target === null ? null : await ledger.of(target).store.get(id);
    if (run !== null)
        return run;
    const known = await ledger.index.latest(RUNS_FOR_SUGGESTIONS);
    const hint = didYouMean(id, known.map((k) => k.run));
    throw new UsageError(`There is no run "${id}" in this ledger.${hint} \`onboard runs\` lists them.`);
}
/** The definition that a run began with, and goes on with whatever its job has become. */
export async function definitionOf({ id, target }, ledger) {
    const definition = await ledger.of(target).store.definition(id);
    if (definition === null)
        throw new Error(`run ${id} is gone from the ledger`);
    return definition;
}
/** Newest first. */
export async function latestRuns(ledger, limit) {
    const newest = await ledger.index.latest(limit);
    const shown = await Promise.all(newest.map(async ({ run: id, target }) => {
        const { store } = ledger.of(target);
        const run = await store.get(id);
        return run === null ? [] : [{ run, state: stateOf(run, await store.hasLease(id)) }];
    }));
    return shown.flat();
}
/** `leased`: a process reads the run's rows. */
export function stateOf(run, leased) {
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
export function goingOnWith({ id, state }, { owner }) {
    if (owner === 'gone')
        return state === 'cancelled' ? `onboard cancel ${id}` : `onboard resume ${id}`;
    if (owner === 'alive')
        return null;
    return state === 'paused' || state === 'stopped' ? `onboard resume ${id}` : null;
}
/** How the service of a target is doing, as all workers have found it. */
export function serviceReport({ redis, of }, target) {
    return createSharedBreaker(redis, of(target).keys).read();
}
//# sourceMappingURL=status.js.map