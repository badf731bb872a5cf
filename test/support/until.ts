import { TestRunner } from 'vitest';

/** Before the time-out of the test itself, which can't say what was waited for. */
const MARGIN_MS = 1_000;
/** In a hook, and where the time-out is not known. */
const ELSEWHERE_MS = 50_000;
/** Concurrent tests can't be told apart by then: it may be another's time that is looked at. */
const SHARE_OF_CONCURRENT = 0.8;

const witnesses = new Set<() => string>();

/** Who can say what was going on when something was waited for in vain; answers how to take it back. */
export function addWitness(witness: () => string): () => void {
  witnesses.add(witness);
  return () => void witnesses.delete(witness);
}

/** Waits until something can be observed. It gives up shortly before the test's own time-out, and says what it waited for. */
export async function until(observe: () => Promise<boolean> | boolean): Promise<void> {
  const forMs = patienceMs();
  const state = { isOver: false };
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(vain(observe, forMs)), forMs);
  });
  try {
    await Promise.race([observed(observe, state), givenUp]);
  } finally {
    state.isOver = true;
    clearTimeout(timer);
  }
}

async function observed(
  observe: () => Promise<boolean> | boolean,
  state: { readonly isOver: boolean },
): Promise<void> {
  while (!(await observe()) && !state.isOver) await new Promise((resolve) => setTimeout(resolve, 10));
}

function patienceMs(): number {
  const current = TestRunner.getCurrentTest();
  if (current === undefined) return ELSEWHERE_MS;
  if (current.concurrent === true) return SHARE_OF_CONCURRENT * current.timeout;
  const sinceMs = Date.now() - (current.result?.startTime ?? Date.now());
  return Math.max(0, current.timeout - sinceMs - MARGIN_MS);
}

function vain(observe: () => unknown, forMs: number): Error {
  const waited = `waited ${(forMs / 1000).toFixed(1)} s in vain for ${observe}`;
  return new Error([waited, ...[...witnesses].map((witness) => witness())].join('\n\n'));
}

/** Tells whether a promise has settled by now. */
export function watchEnd(ending: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  ending.then(end, end);
  return () => isOver;
}
