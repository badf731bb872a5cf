import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`; ends early, without an error, when the signal fires. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}
