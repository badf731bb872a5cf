#!/usr/bin/env node
/**
 * The program. A signal that comes while it is still being loaded, when nothing has begun, ends it
 * with the status of every other interruption; whatever nobody catches, with that of a defect.
 */
import process from 'node:process';

/** Of EXIT, whose module comes with half of the program. */
const INTERRUPTED = 4;
const DEFECT = 70;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

process.on('uncaughtExceptionMonitor', () => {
  process.once('exit', () => {
    process.exitCode = DEFECT;
  });
});
// Node would open its debugger, which everybody on this machine can reach.
process.on('SIGUSR1', () => undefined);
const end = () => process.exit(INTERRUPTED);
for (const signal of SIGNALS) process.on(signal, end);
const { runProcess } = await import('./faces/cli/process.ts');
await runProcess(undefined, () => {
  for (const signal of SIGNALS) process.off(signal, end);
});
