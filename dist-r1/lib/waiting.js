/** Waiting that can be cut short, and work that can be late. */
import { setTimeout as delay } from 'node:timers/promises';
/** Waits `ms`; ends early, without an error, when the signal fires. */
export async function sleep(ms, signal) {
    try {
        await delay(ms, undefined, signal === undefined ? {} : { signal });
    }
    catch (error) {
        if (!(error instanceof Error && error.name === 'AbortError'))
            throw error;
    }
}
/** The work's result, or `'late'` when it takes longer than `ms`; the work itself goes on. */
export async function withDeadline(work, ms) {
    const timer = new AbortController();
    try {
        return await Promise.race([work, delay(ms, 'late', { signal: timer.signal })]);
    }
    finally {
        timer.abort();
    }
}
//# sourceMappingURL=waiting.js.map