#!/usr/bin/env node
// Prints the failed tests of a vitest JSON report, each with the first lines of what was wrong;
// nothing where none failed.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Of one test: what a program said on its way out is among them. */
const LINES = 25;

const path = process.argv[2];
if (existsSync(path))
  for (const line of failedLines(JSON.parse(readFileSync(path, 'utf8')))) process.stdout.write(`${line}\n`);

function failedLines({ testResults }) {
  return testResults.filter(({ status }) => status === 'failed').flatMap(linesOf);
}

/** A file that could not be loaded has no tests, only a message. */
function linesOf({ name, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [`failed: ${file}: ${firstLines(message)}`];
  return failed.map(
    ({ fullName, failureMessages }) => `failed: ${file}: ${fullName}: ${firstLines(failureMessages[0])}`,
  );
}

/** Of a test that timed out vitest reports the trace of a placeholder instead of a message. */
function firstLines(text = '') {
  const [first, ...rest] = text.split('\n').slice(0, LINES);
  return [first.replace('Error: STACK_TRACE_ERROR', 'timed out'), ...rest].join('\n    ');
}
