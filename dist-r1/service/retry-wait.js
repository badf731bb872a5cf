/** How long to wait before a request is sent again: as long as the service asks (`Retry-After`), else by backoff. */
/** A first wait short enough for a hiccup, and a cap over which all workers spread when an outage ends. */
const BASE_MS = 250;
const CAP_MS = 30_000;
/**
 * How long to wait before the next attempt: exponential with full jitter, 0 to 250 ms after the first attempt,
 * doubling to 0 to 30 s. `attempt` counts the attempts made so far, from 1; `random` gives 0 up to but not including 1.
 */
export function backoffMs(attempt, random) {
    return Math.floor(random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)));
}
/** A hundred years: a run that is to wait so long is paused, and the moment can still be said as a date. */
const MAX_RETRY_AFTER_MS = 100 * 365 * 24 * 60 * 60 * 1000;
const DELAY_SECONDS = /^\d+$/;
/** The three forms of an HTTP date that a recipient must accept (RFC 9110, 5.6.7); Date.parse alone takes far more. */
const HTTP_DATES = [
    /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
    /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
    /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];
/**
 * Milliseconds to wait from a `Retry-After` value (RFC 9110, 10.2.3), at most a hundred years; `null` where it is absent or unreadable.
 * A date is by the service's clock, whose time now `sentAt`, the answer's own `Date`, tells; without it our clock has to do.
 */
export function retryAfterMs(value, now, sentAt) {
    if (value === undefined)
        return null;
    const text = value.trim();
    if (DELAY_SECONDS.test(text))
        return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
    const at = dateMs(text);
    if (at === null)
        return null;
    return Math.min(Math.max(0, at - (dateMs(sentAt?.trim() ?? '') ?? now())), MAX_RETRY_AFTER_MS);
}
function dateMs(text) {
    if (!HTTP_DATES.some((form) => form.test(text)))
        return null;
    // The asctime form carries no zone and means UTC.
    const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
    return Number.isNaN(ms) ? null : ms;
}
//# sourceMappingURL=retry-wait.js.map