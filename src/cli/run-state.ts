import type { Run } from '../model/run.ts';

/** A run's state for people, and whether a process reads its file right now. */
export type ShownState = { readonly words: string; readonly owner: 'alive' | 'gone' | 'none' };

export function stateOf(run: Run, leased: boolean): ShownState {
  if (run.state !== 'running' && run.state !== 'queued') {
    return { words: run.reason === null ? run.state : `${run.state} (${run.reason})`, owner: 'none' };
  }
  return leased ? { words: run.state, owner: 'alive' } : { words: `${run.state}, owner gone`, owner: 'gone' };
}
