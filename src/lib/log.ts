/**
 * The log: JSON lines for machines. A lasting problem (a full Redis reports 120 times a second) is
 * logged when it begins and once a minute, with its number of occurrences since.
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
      const counts = held(`${method} ${event} ${textOf(fields)}`);
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
  return JSON.stringify(fields, (name, value: unknown) =>
    typeof value === 'number' || name === 'problem' ? String(value).replaceAll(/\d+/g, '#') : value,
  );
}

const REMIND_MS = 60_000;
const TEXTS_MAX = 500;

/** `repeated`: how often it came since it was told last; `null`: it is held back now. */
function createRepeatGuard(now: () => number): (text: string) => { readonly repeated?: number } | null {
  const texts = createRecentMap<string, { readonly saidAt: number; repeated: number }>(TEXTS_MAX);
  return (text) => {
    const told = texts.get(text);
    const at = now();
    if (told !== undefined && at - told.saidAt < REMIND_MS) {
      told.repeated += 1;
      return null;
    }
    texts.set(text, { saidAt: at, repeated: 0 });
    return told === undefined || told.repeated === 0 ? {} : { repeated: told.repeated };
  };
}
