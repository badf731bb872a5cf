/**
 * The log: JSON lines for machines. A lasting problem (a full Redis reports 120 times a second) is
 * logged when it begins, then after 1, 2, 4 minutes and so on, at last once an hour, with its
 * number of occurrences since, and different problems of one event at most once a second.
 */
import { type DestinationStream, pino } from 'pino';
import { createRecentMap } from './recent.ts';
import { printableLines } from './terminal.ts';

/** Never a row, a request or an error object: those carry personal data and tokens. */
type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export type Log = ReturnType<typeof createLog>;

/** Must not appear even by mistake. */
const REDACTED = ['authorization', 'token', 'password', 'body', 'cells', 'text', 'value'];

export function createLog(level: string, destination: DestinationStream, now: () => number) {
  // A log is read in a terminal too; its lines stay valid JSON.
  const write = (line: string) => destination.write(printableLines(line));
  const logger = pino({ level, redact: REDACTED, base: { pid: process.pid } }, { write });
  const held = createRepeatGuard(now);
  const problem =
    (method: 'error' | 'warn') =>
    (event: string, fields: LogFields = {}) => {
      if (!logger.isLevelEnabled(method)) return;
      const counts = held(`${method} ${event}`, textOf(fields));
      if (counts !== null) logger[method]({ ...fields, ...counts }, event);
    };
  // Each happening is a line: what somebody did or looked at must not be taken for a repeat.
  const happening =
    (method: 'info' | 'debug') =>
    (event: string, fields: LogFields = {}) =>
      logger[method](fields, event);
  return {
    error: problem('error'),
    warn: problem('warn'),
    info: happening('info'),
    debug: happening('debug'),
  };
}

/** Problems that differ only in numbers (a time, a count, a chunk) count as the same. */
function textOf(fields: LogFields): string {
  const { problem } = fields;
  const same = typeof problem === 'string' ? problem.replaceAll(/\d+/g, '#') : null;
  return JSON.stringify({ ...fields, problem: same });
}

const REMIND_MS = 60_000;
/** It doubles up to this. */
const LONGEST_REMIND_MS = 3_600_000;
/** Unheard for so long, a problem is over; when it comes back, it is another one. */
const OVER_MS = 10_000;
const APART_MS = 1000;
const EVENTS_MAX = 50;
const TEXTS_MAX = 50;

type Text = {
  readonly saidAt: number;
  readonly remindMs: number;
  heardAt: number;
  repeated: number;
};

/** What was held back since: of the same text, and of other texts of the event. */
type Counts = { readonly repeated?: number; readonly others?: number };

/** `null`: the text is held back now. */
function createRepeatGuard(now: () => number): (event: string, text: string) => Counts | null {
  const events = createRecentMap<string, ReturnType<typeof createEvent>>(EVENTS_MAX);
  return (name, text) => {
    const event = events.get(name) ?? createEvent();
    const at = now();
    const told = event.texts.get(text);
    const isLasting = told !== undefined && at - told.heardAt < OVER_MS;
    if (isLasting && at - told.saidAt < told.remindMs) {
      told.heardAt = at;
      told.repeated += 1;
      return null;
    }
    if (at - event.saidAt < APART_MS) {
      event.others += 1;
      return null;
    }
    const repeated = told?.repeated ?? 0;
    const { others } = event;
    const remindMs = isLasting ? Math.min(2 * told.remindMs, LONGEST_REMIND_MS) : REMIND_MS;
    event.texts.set(text, { saidAt: at, remindMs, heardAt: at, repeated: 0 });
    event.saidAt = at;
    event.others = 0;
    events.set(name, event);
    return { ...(repeated > 0 && { repeated }), ...(others > 0 && { others }) };
  };
}

function createEvent() {
  return { saidAt: Number.NEGATIVE_INFINITY, others: 0, texts: createRecentMap<string, Text>(TEXTS_MAX) };
}
