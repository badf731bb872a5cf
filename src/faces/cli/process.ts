/**
 * The program as a process: streams, signals, exit status. The first signal lets rows in flight
 * settle for as long as there is time, the second ends at once. A stream that can't be written (a
 * full disk, a reader that is gone) costs nothing but lines; what nobody catches ends the program
 * as a defect.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { errorCode, errorOf, hasCode, orElse } from '../../lib/errors.ts';
import { anywhere, type Io, resultsWritten, type Screen, shellWord, tell } from '../../lib/terminal.ts';
import { SHIPPED_TIMES, type Times } from '../../lib/times.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import { commandOf, explain, explainDefect, loadCommands, runProgram } from './program.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What is left to be closed when a command has ended must not keep its terminal. */
const LINGER_MS = 2_000;

/** `onLoaded`: signals are answered here from then on. */
export async function runProcess(times: Times = SHIPPED_TIMES, onLoaded?: () => void): Promise<void> {
  // Rows pass through: by default V8 lets four times what is in use pile up, for no gain.
  setFlagsFromString('--heap-growing-percent=100');
  // Young objects are few: threads that collect them cost more than they save.
  setFlagsFromString('--no-parallel-scavenge');
  const args = process.argv.slice(2);
  await loadCommands(args);
  // Loading has left room for young objects (8 MB a half), and a check needs no more: it keeps
  // nothing of a row.
  if (args[0] === 'check') setFlagsFromString('--semi-space-growth-factor=1');
  const interruption = new AbortController();
  const folder = orElse(null, () => process.cwd());
  const stderr = openStandardStream(process.stderr, 2);
  const io: Io = {
    stdout: openStandardStream(process.stdout, 1, stderr),
    stderr,
    stdin: process.stdin,
    env: process.env,
    typed: ['onboard', ...args.map(anywhere).map(shellWord)].join(' '),
    command: commandOf(process.env, folder ?? '/'),
    interrupted: interruption.signal,
    times,
  };
  // Other words may wait until they can be told, the last ones don't.
  const lastly: Io = { ...io, stderr: process.stderr };
  process.on('uncaughtException', (error) => process.exit(explainDefect(error, lastly)));
  // Every row sent has its intent in the ledger, so nothing is lost whenever this comes.
  const leave = (why: string) => {
    tell(lastly, '', `${why} To go on: ${io.typed}`);
    process.exit(EXIT.interrupted);
  };
  const interrupt = () => {
    if (interruption.signal.aborted) leave('Ended at once.');
    interruption.abort();
    setTimeout(() => leave(`Ended after ${times.deadlineMs / 1000} s.`), times.deadlineMs).unref();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  onLoaded?.();
  const exitCode = folder === null ? explain(new UsageError(NOWHERE), io) : await runProgram(args, io);
  process.exitCode = (await isTold(io)) || !PRINTS.test(args[0] ?? '') ? exitCode : EXIT.notStarted;
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

const NOWHERE =
  'The working folder was removed: expected one that is there. Change to it (cd), and give the command again.';

/** Where its words can't be written, such a command has failed; others have acted. */
const PRINTS = /^(?:help|preview|check|status|runs|report|audit|account|map|template|schema|doctor|-.*)?$/;

/** A reader that went away (`| head`) had enough. */
async function isTold(io: Io): Promise<boolean> {
  const failure = await resultsWritten(io);
  if (failure === null || hasCode(failure, 'EPIPE', 'ECONNRESET')) return true;
  tell(io, `onboard: standard output can't be written (${errorCode(failure)}): its words are lost.`);
  return false;
}

const KEPT_LINES = 1_000;
const RETRY_MS = 1_000;

/**
 * Emits no error, and calls back in any case. What can't be written is kept, the first line and the
 * last 1,000, and written once that works again; `log` is told how many are missing, by default in
 * the stream itself. A terminal stays as it is.
 */
export function openStandardStream(stream: Screen, fd: number, log?: Screen): Screen {
  stream.on('error', () => undefined);
  if (stream.isTTY === true) return stream;
  /** Byte for byte (Latin-1); the first may be the rest of a line, which another would tear. */
  let kept: string[] = [];
  let lost = 0;
  let failure: Error | null = null;

  const send = (done: () => void) => {
    const bytes = Buffer.from(kept.join(''), 'latin1');
    const end = ([written, problem]: Written) => {
      const isBack = problem === null && failure !== null;
      kept = linesOf(bytes.subarray(written));
      failure = problem;
      if (isBack) tellLost();
      done();
    };
    if (stream instanceof Socket)
      stream.write(bytes, (error) => end(error ? [0, error] : [bytes.length, null]));
    else end(writeAll(fd, bytes));
  };
  const tellLost = () => {
    const name = log === undefined ? 'the log' : 'standard output';
    (log ?? outlet).write(`onboard: ${name} could not be written for a while; lines missing: ${lost}\n`);
    lost = 0;
  };
  const outlet = new Writable({
    write(chunk: Buffer, _encoding, done) {
      kept = [...kept, ...linesOf(chunk)];
      // Where it fails, once in a while is enough.
      if (failure === null || chunk.length === 0) return send(done);
      lost += kept.splice(1, kept.length - 1 - KEPT_LINES).length;
      done();
    },
  });
  setInterval(() => failure === null || outlet.write(''), RETRY_MS).unref();
  return Object.defineProperty(outlet, 'failure', { get: () => failure });
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** How many bytes, and why not all. */
type Written = readonly [number, Error | null];

/** Node's own stream for files takes what was half written for whole. */
function writeAll(fd: number, bytes: Buffer): Written {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    return [written, null];
  } catch (error) {
    return [written, errorOf(error)];
  }
}
