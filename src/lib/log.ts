/**
 * The log: JSON lines for machines. A lasting problem is logged when it begins and once a minute,
 * each time with its number of occurrences: a full Redis reports 120 times a second.
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
  const repeats = createRepeatGuard(now);
  const log =
    (method: 'error' | 'warn' | 'info' | 'debug') =>
    (event: string, fields: LogFields = {}) => {
      const held = repeats(textOf(event, fields));
      if (held !== null) logger[method](held === 0 ? fields : { ...fields, repeated: held }, event);
    };
  return { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
}

/** Problems that differ only in numbers (a time, a count, a chunk) count as the same. */
function textOf(event: string, fields: LogFields): string {
  const { problem } = fields;
  const same = typeof problem === 'string' ? problem.replaceAll(/\d+/g, '#') : null;
  return JSON.stringify([event, { ...fields, problem: same }]);
}

const REMIND_MS = 60_000;
const TEXTS_MAX = 50;

/** Since the text's last line; `null`: it is held back now. */
function createRepeatGuard(now: () => number): (text: string) => number | null {
  const told = createRecentMap<string, { readonly saidAt: number; held: number }>(TEXTS_MAX);
  return (text) => {
    const known = told.get(text);
    if (known === undefined || now() - known.saidAt >= REMIND_MS) {
      told.set(text, { saidAt: now(), held: 0 });
      return known?.held ?? 0;
    }
    known.held += 1;
    return null;
  };
}
