#!/usr/bin/env node
import type { Io } from './io.ts';
import { runProgram } from './program.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const INTERRUPTED_EXIT = 4;

const interruption = new AbortController();
for (const signal of SIGNALS) {
  process.on(signal, () => {
    // The second signal ends at once: every row sent has its intent in the ledger, so nothing is lost even then.
    if (interruption.signal.aborted) process.exit(INTERRUPTED_EXIT);
    interruption.abort();
  });
}
// `onboard runs | head` closes the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  typed: ['onboard', ...process.argv.slice(2).map(quoted)].join(' '),
  interrupted: interruption.signal,
};
process.exitCode = await runProgram(process.argv.slice(2), io);

function quoted(argument: string): string {
  return /^[\w./:=@%+,-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
