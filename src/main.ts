#!/usr/bin/env node
/**
 * The program. A signal that comes while it is still being loaded, when nothing has begun, ends it
 * with the status of every other interruption.
 */
import process from 'node:process';

/** EXIT.interrupted; its module comes with half of the program. */
const INTERRUPTED = 4;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const end = () => process.exit(INTERRUPTED);
for (const signal of SIGNALS) process.on(signal, end);
const { runProcess } = await import('./cli/process.ts');
await runProcess(undefined, () => {
  for (const signal of SIGNALS) process.off(signal, end);
});
