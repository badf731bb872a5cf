#!/usr/bin/env node
/**
 * The process around the command line: the first signal lets a command end in good order, the second ends it at once. Whatever the
 * command has left open keeps nobody's terminal.
 */
import { setFlagsFromString } from 'node:v8';
import { interruptionNotice, runProgram } from './cli/program.ts';
import { type Io, shellWord } from './lib/terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED_EXIT = 4;
/** The longest that a command may take to end: with Redis away it can record nothing more, however long it waits. */
const INTERRUPTED_DEADLINE_MS = 30_000;
/** How long the process may live on once its command has ended, if something is still open. */
const LINGER_MS = 2_000;

/** Rows only pass through memory: V8 would let garbage grow to four times what is in use, for no gain that can be measured. */
setFlagsFromString('--heap-growing-percent=100');

const interruption = new AbortController();
for (const signal of SIGNALS) {
  process.on(signal, () => {
    // The second signal ends at once: every row sent has its intent in the ledger, so nothing is lost even then.
    if (interruption.signal.aborted) {
      process.stderr.write(`\nEnded at once. To go on: ${io.typed}\n`);
      process.exit(INTERRUPTED_EXIT);
    }
    interruption.abort();
    announceEnd();
    setTimeout(() => process.exit(INTERRUPTED_EXIT), INTERRUPTED_DEADLINE_MS).unref();
  });
}
// A reader that goes away (`| head`, a closed terminal) ends the reading, not the work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  typed: ['onboard', ...process.argv.slice(2).map(shellWord)].join(' '),
  interrupted: interruption.signal,
};
process.exitCode = await runProgram(process.argv.slice(2), io);
setTimeout(() => process.exit(), LINGER_MS).unref();

function announceEnd(): void {
  const { text, afterMs } = interruptionNotice(process.argv.slice(2), INTERRUPTED_DEADLINE_MS);
  // Below the `^C` that the terminal has drawn into the progress.
  const line = `${process.stderr.isTTY ? '\n' : ''}${text}\n`;
  if (afterMs === 0) process.stderr.write(line);
  else setTimeout(() => process.stderr.write(line), afterMs).unref();
}
