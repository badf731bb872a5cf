// Preloaded into the program (NODE_OPTIONS=--import): it dies before the n-th step of files on their way through an inbox,
// n being ONBOARD_TEST_CRASH_IN_INBOX. Folders that others may write to are reached through their numbers.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const WAY = /^\/proc\/self\/fd\/|\/\.processing\/|\/done\/|\/failed\//;
let left = Number(process.env.ONBOARD_TEST_CRASH_IN_INBOX);

for (const name of ['mkdir', 'rename', 'link', 'unlink', 'rm', 'rmdir']) {
  const step = fs[name];
  fs[name] = (path, ...more) => {
    if (WAY.test(String(path))) left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return step(path, ...more);
  };
}
syncBuiltinESMExports();
