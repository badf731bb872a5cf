// Preloaded into the program (NODE_OPTIONS=--import): it dies before the n-th file of its report takes its name,
// n being ONBOARD_TEST_CRASH_AT_RENAME.
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { rename } = fs;
let left = Number.POSITIVE_INFINITY;

subscribe('onboard:stage', ({ stage }) => {
  if (stage === 'reporting') left = Number(process.env.ONBOARD_TEST_CRASH_AT_RENAME);
});
fs.rename = (from, to) => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  return rename(from, to);
};
syncBuiltinESMExports();
