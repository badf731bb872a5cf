import { pino } from 'pino';
import type { Environment } from '../config/environment.ts';
import { createLog, type Log } from '../lib/log.ts';
import type { Io } from '../lib/terminal.ts';

/** The log on stderr, quiet by default, or in a file, where it says more. */
export function openLog(env: Environment, io: Io, file: string | undefined): Log {
  if (file !== undefined) {
    const destination = pino.destination({ dest: file, sync: true, append: true, mkdir: true, mode: 0o600 });
    return createLog(env.logLevel ?? 'info', destination, Date.now);
  }
  const quiet = io.stderr.isTTY === true ? 'error' : 'warn';
  return createLog(env.logLevel ?? quiet, { write: (line) => void io.stderr.write(line) }, Date.now);
}
