/**
 * The hours in which rows of a job are sent (the setting `window`), in its time zone, and the words for it. Whoever decides by the window
 * (worker, overview, notices) asks here.
 */
import { isOpenAt, nextOpening, parseDailyWindow } from '../lib/daily-window.js';
import { shownTime } from '../lib/terminal.js';
const MINUTE_MS = 60_000;
/** `null`: the job sends at any hour. */
export function createJobWindow(text, now) {
    const window = text === undefined ? null : parseDailyWindow(text);
    if (text === undefined || window === null)
        return null;
    let asked = Number.NaN;
    let open = false;
    return {
        text,
        timeZone: window.timeZone,
        isOpen() {
            const at = now();
            const minute = Math.floor(at.getTime() / MINUTE_MS);
            // Asked for every row: an answer holds for its minute.
            if (minute !== asked)
                open = isOpenAt(window, at);
            asked = minute;
            return open;
        },
        opensAt: () => nextOpening(window, now()),
    };
}
/** What a person is told while the window is closed. */
export function closedWindowWords(window) {
    return `The window ${window.text} is closed: goes on at ${shownTime(window.opensAt(), window.timeZone)}.`;
}
/** What a person is told when it has opened again. */
export function openWindowWords({ text }) {
    return `The window ${text} is open: goes on.`;
}
//# sourceMappingURL=job-window.js.map