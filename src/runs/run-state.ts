import { isOver, type Run } from '../model/run.ts';

/** A run's state for people, and whether a process reads its file right now. */
export type ShownState = { readonly words: string; readonly owner: 'alive' | 'gone' | 'none' };

export function stateOf(run: Run, leased: boolean): ShownState {
  if (run.state === 'cancelled' && !isOver(run)) {
    const owner = leased ? 'alive' : 'gone';
    return { words: leased ? 'cancelled, winding up' : 'cancelled, owner gone', owner };
  }
  if (run.state !== 'running' && run.state !== 'queued') {
    // Whoever follows it lets it go on when its window opens.
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
