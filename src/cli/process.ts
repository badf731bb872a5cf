/**
 * The program as a process: its command line, its streams, its signals and its exit status. The first signal lets rows in flight settle
 * for as long as there is time, the second ends at once.
 */
import { setFlagsFromString } from 'node:v8';
import { type Io, shellWord } from '../lib/terminal.ts';
import { SHIPPED_TIMES, type Times } from '../lib/times.ts';
import { EXIT } from '../model/exit.ts';
import { interruptionNotice, runProgram } from './program.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What is left to be closed when a command has ended must not keep its terminal. */
const LINGER_MS = 2_000;

/** Carries this process' command line out and sets its exit status. */
export async function runProcess(times: Times = SHIPPED_TIMES): Promise<void> {
  // Rows pass through: V8 would let four times what is in use pile up before it clears away, for no gain that can be measured.
  setFlagsFromString('--heap-growing-percent=100');
  const args = process.argv.slice(2);
  const interruption = new AbortController();
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    typed: ['onboard', ...args.map(shellWord)].join(' '),
    interrupted: interruption.signal,
    times,
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // The second signal ends at once: every row sent has its intent in the ledger, so nothing is lost even then.
      if (interruption.signal.aborted) {
        process.stderr.write(`\nEnded at once. To go on: ${io.typed}\n`);
        process.exit(EXIT.interrupted);
      }
      interruption.abort();
      announceEnd(args, times.deadlineMs);
      setTimeout(() => process.exit(EXIT.interrupted), times.deadlineMs).unref();
    });
  }
  // A reader that goes away (`| head`, a closed terminal) ends the reading, not the work.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
  process.exitCode = await runProgram(args, io);
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

function announceEnd(args: readonly string[], deadlineMs: number): void {
  const { text, afterMs } = interruptionNotice(args, deadlineMs);
  // Below the `^C` that the terminal has drawn into the progress.
  const line = `${process.stderr.isTTY ? '\n' : ''}${text}\n`;
  if (afterMs === 0) process.stderr.write(line);
  else setTimeout(() => process.stderr.write(line), afterMs).unref();
}
