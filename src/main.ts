#!/usr/bin/env node
import { runProcess } from './cli/process.ts';

await runProcess();
