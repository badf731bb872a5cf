/**
 * The program as a process: streams, signals, exit status. The first signal lets rows in flight
 * settle for as long as there is time, the second ends at once.
 */
import { setFlagsFromString } from 'node:v8';
import { anywhere, type Io, shellWord, tell } from '../lib/terminal.ts';
import { SHIPPED_TIMES, type Times } from '../lib/times.ts';
import { EXIT } from '../model/exit.ts';
import { commandOf, loadCommands, runProgram } from './program.ts';

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
  const interruption = new AbortController();
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    typed: ['onboard', ...args.map(anywhere).map(shellWord)].join(' '),
    command: commandOf(process.env, process.cwd()),
    interrupted: interruption.signal,
    times,
  };
  // Every row sent has its intent in the ledger, so nothing is lost whenever this comes.
  const leave = (why: string) => {
    tell(io, '', `${why} To go on: ${io.typed}`);
    process.exit(EXIT.interrupted);
  };
  const interrupt = () => {
    if (interruption.signal.aborted) leave('Ended at once.');
    interruption.abort();
    setTimeout(() => leave(`Ended after ${times.deadlineMs / 1000} s.`), times.deadlineMs).unref();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  onLoaded?.();
  // A reader that goes away (`| head`, a closed terminal) ends the reading, not the work.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
  process.exitCode = await runProgram(args, io);
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
