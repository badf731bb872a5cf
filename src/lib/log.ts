import { type DestinationStream, pino } from 'pino';

/** Only plain values reach a log line, never a row, a request or an error object: those carry personal data and tokens. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export type Log = {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
};

/** Names that must not appear even by mistake. */
const REDACTED = ['authorization', 'token', 'password', 'body', 'cells', 'text', 'value'];

/** JSON lines for machines; one line per event and second at most, since a Redis that is full reports 120 times a second. */
export function createLog(level: string, destination: DestinationStream, now: () => number): Log {
  const logger = pino({ level, redact: REDACTED, base: { pid: process.pid } }, destination);
  const repeats = createRepeatGuard(now);
  const write =
    (method: 'error' | 'warn' | 'info' | 'debug') =>
    (event: string, fields: LogFields = {}) => {
      const held = repeats(`${method} ${event}`);
      if (held !== null) logger[method](held === 0 ? fields : { ...fields, repeated: held }, event);
    };
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
}

const REPEAT_MS = 1000;

/** How often the event was held back since its last line, or `null` where it is to be held back now. */
function createRepeatGuard(now: () => number): (event: string) => number | null {
  const last = new Map<string, { at: number; held: number }>();
  return (event) => {
    const known = last.get(event);
    if (known !== undefined && now() - known.at < REPEAT_MS) {
      known.held += 1;
      return null;
    }
    last.set(event, { at: now(), held: 0 });
    return known?.held ?? 0;
  };
}
