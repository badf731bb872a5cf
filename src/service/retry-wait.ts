/** How long to wait before a request is sent again: as the service asks, else by backoff. */

/** Short enough for a hiccup, and a cap over which all workers spread when an outage ends. */
const BASE_MS = 250;
const CAP_MS = 30_000;

/**
 * Exponential, with full jitter: 0 to 250 ms after the first attempt, doubling to 0 to 30 s.
 * `attempt` counts the attempts made so far, from 1.
 */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)));
}

/** A hundred years: a run that is to wait so long pauses, and the moment is still a date. */
const MAX_RETRY_AFTER_MS = 100 * 365 * 24 * 60 * 60 * 1000;

const DELAY_SECONDS = /^\d+$/;
/** The forms of an HTTP date (RFC 9110, 5.6.7); Date.parse alone takes far more. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * Milliseconds to wait (RFC 9110, 10.2.3); `null` where the header is absent or unreadable. A date
 * is by the service's clock: `sentAt`, the answer's own `Date`, tells its time.
 */
export function retryAfterMs(
  value: string | undefined,
  now: () => number,
  sentAt: string | undefined,
): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (DELAY_SECONDS.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  const at = dateMs(text);
  if (at === null) return null;
  return Math.min(Math.max(0, at - (dateMs(sentAt?.trim() ?? '') ?? now())), MAX_RETRY_AFTER_MS);
}

function dateMs(text: string): number | null {
  if (!HTTP_DATES.some((form) => form.test(text))) return null;
  // The asctime form carries no zone and means UTC.
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? null : ms;
}
