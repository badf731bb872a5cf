import { setTimeout as delay } from 'node:timers/promises';

/** The work's result, or `'late'` when it takes longer than `ms`; the work itself goes on. */
export async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, delay(ms, 'late' as const, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
