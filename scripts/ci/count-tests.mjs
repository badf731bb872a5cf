#!/usr/bin/env node
// Prints "<passed> <failed>" of a vitest JSON report; fails where there is none, or where it holds
// no test.
import { readFileSync } from 'node:fs';

const { numPassedTests, numFailedTests } = readReport(process.argv[2]);
if (numPassedTests + numFailedTests > 0) process.stdout.write(`${numPassedTests} ${numFailedTests}\n`);
else process.exitCode = 1;

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    process.stderr.write(`count-tests: no report of the tests: ${error.message}\n`);
    return { numPassedTests: 0, numFailedTests: 0 };
  }
}
