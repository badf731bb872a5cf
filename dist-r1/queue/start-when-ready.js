/**
 * How BullMQ's objects are opened, past a trap: one whose first question (INFO) Redis answers with an error, BUSY for example, is never ready.
 * A queue refuses every command then, for as long as it lives; a worker, run all the same, spins without letting a timer or a signal
 * through. So queues do not ask, and a worker is run only once it is ready, and opened anew where it never will be.
 */
import { sleep } from '../lib/waiting.js';
/**
 * BullMQ's option for a queue that does without the question: it asks for the server's version, which `doctor` and the start of a run judge.
 * Not for workers, who would wait in whole seconds for chunks that were put back.
 */
export const UNASKED = { skipVersionCheck: true };
const RETRY_MS = 1_000;
/**
 * Runs what `open` gives as soon as it is ready. Where Redis answers with an error to BullMQ's first question (BUSY, for example),
 * that worker is never ready, and would spin without letting a timer or a signal through if it ran (FACTS.md): then it is
 * closed by `discard`, and another one opened a second later.
 */
export function startWhenReady(options) {
    const { open, discard, onError } = options;
    let current = open();
    let isStopped = false;
    const start = async () => {
        while (!(await isReady(current))) {
            await discard(current);
            await sleep(RETRY_MS);
            if (isStopped)
                return;
            current = open();
        }
        if (!isStopped)
            await current.run();
    };
    void start().catch(onError);
    return {
        current: () => current,
        stop() {
            isStopped = true;
        },
    };
}
function isReady(startable) {
    return startable.waitUntilReady().then(() => true, () => false);
}
//# sourceMappingURL=start-when-ready.js.map