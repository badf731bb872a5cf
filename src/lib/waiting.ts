/** Waiting that can be cut short, and work that can be late. */
import { setTimeout as delay } from 'node:timers/promises';

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}

/** `'late'`: it takes longer than `ms`; the work itself goes on. */
export async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, delay(ms, 'late' as const, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
