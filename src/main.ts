#!/usr/bin/env node
/** The program. Whatever starts it by path starts this file's bundle; tests start cli/process.ts with times of their own. */
import { runProcess } from './cli/process.ts';

await runProcess();
