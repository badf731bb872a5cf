import { closedWindowWords, type JobWindow, openWindowWords } from '../delivery/job-window.ts';
import type { RunStore } from '../ledger/run-store.ts';
import type { Run } from '../model/run.ts';
import type { Reading } from './run-reading.ts';

type WindowEdges = {
  readonly id: string;
  readonly store: Pick<RunStore, 'transition' | 'goOn'>;
  readonly window: JobWindow | null;
  /** The window has closed, or opened again: in words for people. */
  onWindow(words: string): void;
};

/** Whether the run is paused only until its window opens, which whoever follows it waits for. */
export function waitsForWindow({ state, reason }: Run, window: JobWindow | null): boolean {
  return window !== null && state === 'paused' && reason === 'window';
}

/**
 * Keeps a run paused while its window is closed, and lets it go on when it opens. Asked at each look at a run that is
 * running or waits for its window; answers whether rows may be sent now.
 */
export function createWindowKeeper(
  { id, store, window, onWindow }: WindowEdges,
  reading: Pick<Reading, 'rest'>,
): (run: Run) => Promise<boolean> {
  if (window === null) return async () => true;
  let told = false;
  const goOn = async () => {
    told = false;
    // Whoever reads the file lets it go on, unless a person has paused it meanwhile.
    const goesOn = (await reading.rest()) && (await store.goOn(id, 'window'));
    if (goesOn) onWindow(openWindowWords(window));
  };
  const hold = async (state: Run['state']) => {
    await reading.rest();
    if (state === 'running') await store.transition(id, 'paused', 'window');
    if (!told) onWindow(closedWindowWords(window));
    told = true;
  };
  return async ({ state }) => {
    const isOpen = window.isOpen();
    if (isOpen && state === 'running') return true;
    await (isOpen ? goOn() : hold(state));
    return false;
  };
}
