#!/usr/bin/env node
/**
 * The program. A signal that comes while it is still being loaded, when nothing has begun, ends it
 * with the status of every other interruption; cli/process.ts replaces that answer.
 */
import process from 'node:process';

/** EXIT.interrupted; its module comes with half of the program. */
const INTERRUPTED = 4;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(INTERRUPTED));
const { runProcess } = await import('./cli/process.ts');
await runProcess();
