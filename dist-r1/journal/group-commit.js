/**
 * Group commit: while one group of lines is being written, what is asked for meanwhile collects and makes the next, so that many rows share
 * one sync of the disk. Who waits is told of a failure at once; notes are kept and tried again, up to a bound in memory.
 */
const NOTE_MS = 50;
const RETRY_MS = 1_000;
/** What a full disk may leave waiting in memory, in characters. */
const KEPT_MAX = 16 * 1024 * 1024;
const NOTHING = { text: '', run: '', kind: 'none' };
export function createGroupCommit({ commit, onTrouble }) {
    let queue = [];
    let busy = false;
    let stopped = false;
    let timer = null;
    const later = (ms) => {
        if (!stopped)
            timer ??= setTimeout(() => void drain(), ms);
    };
    const drain = async () => {
        if (timer !== null)
            clearTimeout(timer);
        timer = null;
        if (busy)
            return;
        busy = true;
        let failed = false;
        // After a failure only those who wait for an answer are worth another try at once.
        while (queue.some((line) => !failed || !line.kept))
            failed = !(await commitGroup());
        busy = false;
        if (queue.length > 0)
            later(RETRY_MS);
    };
    const commitGroup = async () => {
        const group = queue;
        queue = [];
        try {
            await commit(group);
            for (const line of group)
                line.resolve();
            return true;
        }
        catch (cause) {
            const error = cause instanceof Error ? cause : new Error(String(cause));
            onTrouble('the journal could not be written', error);
            for (const line of group)
                line.reject(error);
            queue = [...bounded(group.filter((line) => line.kept)), ...queue];
            return false;
        }
    };
    const bounded = (lines) => {
        const kept = newest(lines, KEPT_MAX);
        const dropped = lines.length - kept.length;
        // Safe to lose: without its end a row that was about to be sent is in doubt, never free.
        if (dropped > 0)
            onTrouble('the journal has dropped what it could not write', new Error(`${dropped} records`));
        return kept;
    };
    const write = (line) => new Promise((resolve, reject) => {
        queue.push({ ...line, kept: false, resolve, reject });
        if (!busy)
            void drain();
    });
    return {
        write,
        note(line) {
            queue.push({ ...line, kept: true, resolve: () => { }, reject: () => { } });
            if (!busy)
                later(NOTE_MS);
        },
        flush: () => write(NOTHING),
        stop() {
            stopped = true;
            if (timer !== null)
                clearTimeout(timer);
            timer = null;
        },
    };
}
function newest(lines, max) {
    let size = 0;
    const first = lines.findLastIndex((line) => {
        size += line.text.length;
        return size > max;
    });
    return lines.slice(first + 1);
}
//# sourceMappingURL=group-commit.js.map