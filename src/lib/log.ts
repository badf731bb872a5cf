/**
 * The log: JSON lines for machines. A lasting problem is logged when it begins and once a minute,
 * each time with its number of occurrences: a full Redis reports 120 times a second. A change is
 * logged at once, at most one line per event and second.
 */
import { type DestinationStream, pino } from 'pino';
import { printableLines } from './terminal.ts';

/** Never a row, a request or an error object: those carry personal data and tokens. */
type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export type Log = {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
};

/** Must not appear even by mistake. */
const REDACTED = ['authorization', 'token', 'password', 'body', 'cells', 'text', 'value'];

export function createLog(level: string, destination: DestinationStream, now: () => number): Log {
  // A log is read in a terminal too; its lines stay valid JSON.
  const write = (line: string) => destination.write(printableLines(line));
  const logger = pino({ level, redact: REDACTED, base: { pid: process.pid } }, { write });
  const repeats = createRepeatGuard(now);
  const log =
    (method: 'error' | 'warn' | 'info' | 'debug') =>
    (event: string, fields: LogFields = {}) => {
      const held = repeats(`${method} ${event}`, textOf(fields));
      if (held !== null) logger[method](held === 0 ? fields : { ...fields, repeated: held }, event);
    };
  return { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
}

/** Problems that differ only in numbers (a time, a count, a chunk) count as the same. */
function textOf(fields: LogFields): string {
  const { problem } = fields;
  if (typeof problem !== 'string') return JSON.stringify(fields);
  return JSON.stringify({ ...fields, problem: problem.replaceAll(/\d+/g, '#') });
}

const REPEAT_MS = 1_000;
const REMIND_MS = 60_000;
/** A problem not reported for this long is over. Reconnecting tries at least once a second. */
const OVER_MS = 10_000;
const TEXTS_MAX = 50;

type Told = { readonly saidAt: number; heardAt: number };
type Event = { saidAt: number; held: number; readonly told: Map<string, Told> };

/** How often the event was held back since its last line; `null`: it is held back now. */
function createRepeatGuard(now: () => number): (name: string, text: string) => number | null {
  const events = new Map<string, Event>();
  return (name, text) => {
    const time = now();
    const event = events.get(name) ?? { saidAt: Number.NEGATIVE_INFINITY, held: 0, told: new Map() };
    events.set(name, event);
    if (goesOn(event.told.get(text), time) || time - event.saidAt < REPEAT_MS) {
      event.held += 1;
      return null;
    }
    const { held } = event;
    event.saidAt = time;
    event.held = 0;
    remember(event.told, text, time);
    return held;
  };
}

/** Logged less than a minute ago, and reported without a break since. */
function goesOn(told: Told | undefined, time: number): boolean {
  if (told === undefined) return false;
  const isOver = time - told.heardAt >= OVER_MS;
  told.heardAt = time;
  return !isOver && time - told.saidAt < REMIND_MS;
}

function remember(told: Map<string, Told>, text: string, time: number): void {
  told.delete(text);
  const [oldest] = told.keys();
  if (told.size >= TEXTS_MAX && oldest !== undefined) told.delete(oldest);
  told.set(text, { saidAt: time, heardAt: time });
}
