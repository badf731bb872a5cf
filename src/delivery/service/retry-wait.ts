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

type Head = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Answers that may be a limit on the caller, and then say nothing of the row. */
const LIMITS: ReadonlySet<number> = new Set([403, 429]);

/**
 * When the request may come again, in ms; `null`: the answer names no time. A 403 names one only
 * where it is a limit: with `Retry-After`, or with nothing remaining and a reset to come. All other
 * statuses are read for `Retry-After` alone: some services put the other headers on every answer,
 * where they say nothing of what became of the request.
 */
export function comeBackMs(status: number, head: Head, now: () => number): number | null {
  const value = (name: string) => firstOf(head[name])?.trim() ?? '';
  const named = retryAfterMs(value('retry-after'), now, value('date'));
  if (named !== null || !LIMITS.has(status)) return named;
  const spent = SPENT.exec(value('ratelimit'))?.[1];
  const left = REMAINING.map((name) => Number.parseFloat(value(name)));
  const isSpent = spent !== undefined || left.some((count) => count <= 0);
  // With something left, the reset is not the one of the limit that was met.
  if (status === 403 ? !isSpent : !isSpent && left.some((count) => count > 0)) return null;
  const serviceTime = timeOf(value('date')) ?? now();
  const resets = [spent ?? '', ...RESETS.map(value)].map((text) => untilReset(text, serviceTime));
  const inMs = Number(NUMBER.exec(value('retry-after-ms'))?.[0] ?? 0);
  const ms = [inMs, ...resets].find((until) => until > 0);
  return ms === undefined ? null : bounded(ms);
}

const REMAINING = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining'];
const RESETS = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset'];
/** `RateLimit`, by a late draft `"a";r=0;t=5`, by an early one `limit=9, remaining=0, reset=5`. */
const SPENT = /\b(?:r|remaining)=0\W+(?:t|reset)=(\d+)/;

const NUMBER = /^\d+(?:\.\d+)?$/;

/**
 * Milliseconds to wait (RFC 9110, 10.2.3); `null` where the header is absent or unreadable. A date
 * is by the service's clock: `sentAt`, the answer's own `Date`, tells its time.
 */
export function retryAfterMs(
  value: string | undefined,
  now: () => number,
  sentAt: string | undefined,
): number | null {
  const text = value?.trim() ?? '';
  if (NUMBER.test(text)) return bounded(Number(text) * 1000);
  const at = timeOf(text);
  return at === null ? null : bounded(at - (timeOf(sentAt) ?? now()));
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS);
}

/** From here on a number is no duration (three years) but a time since 1970, in seconds or ms. */
const EPOCH_SECONDS_FROM = 1e8;
const EPOCH_MS_FROM = 1e11;

function untilReset(text: string, serviceTime: number): number {
  if (!NUMBER.test(text)) return (timeOf(text) ?? 0) - serviceTime;
  const number = Number(text);
  if (number < EPOCH_SECONDS_FROM) return number * 1000;
  return (number < EPOCH_MS_FROM ? number * 1000 : number) - serviceTime;
}

/** HTTP dates (RFC 9110, 5.6.7), in any zone, and ISO 8601; Date.parse alone takes far more. */
const DATES = [
  /^(?:[A-Z][a-z]{2,8}, )?\d{1,2}([ -])[A-Z][a-z]{2}\1(?:\d{2}|\d{4}) \d{2}:\d{2}:\d{2} (?:[A-Z]{1,4}|[+-]\d{2}:?\d{2})$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/,
];
/** Zones that Date.parse doesn't know. */
const ZONES: Readonly<Record<string, string>> = { BST: '+0100', CET: '+0100', CEST: '+0200', EET: '+0200' };

/** Ms since 1970. */
function timeOf(given: string | undefined): number | null {
  const text = given?.trim() ?? '';
  if (!DATES.some((form) => form.test(text))) return null;
  // The asctime form carries no zone and means UTC.
  const zoned = / \d{4}$/.test(text)
    ? `${text} GMT`
    : text.replace(/[A-Z]{3,4}$/, (zone) => ZONES[zone] ?? zone);
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? null : ms;
}

export function firstOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header[0] : header;
}
