#!/usr/bin/env node
// npm run test:redis: what rests on the server (the ledger, the queue, and faults of Redis) on every
// Redis and Valkey that is here: those on the PATH, and those that REDIS_SERVER names (programs,
// with `:` between).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findServers, serverName } from './nodes/platforms.mjs';
import { printTried } from './nodes/print-tried.mjs';

const SUITES = {
  ledger: ['test/engine/ledger', 'test/engine/redis'],
  queue: ['test/engine/queue'],
  // Smoke parts, as in `npm test`.
  faults: ['test/faults/torn-log.test.ts', 'test/faults/redis-away.test.ts'],
};
const SECOND_MS = 1000;

const named = (process.env.REDIS_SERVER ?? '').split(delimiter).filter((path) => path !== '');
const { servers, left } = findServers(named);
const rows = [];
for (const server of servers) rows.push({ name: serverName(server), results: tryAll(server) });
printTried('server', Object.keys(SUITES), rows);
for (const words of left) process.stderr.write(`${words}\n`);
process.exitCode = rows.every(({ results }) => results.every(({ isOk }) => isOk)) ? 0 : 1;

function tryAll(server) {
  const folder = mkdtempSync(join(tmpdir(), 'onboard-redis-'));
  // The name that is looked for first on the whole PATH: Valkey takes the same commands.
  symlinkSync(server, join(folder, 'redis-server'));
  // The embedded server's own way of mending a torn file is the tool beside it.
  symlinkSync(server.replace(/-server$/, '-check-aof'), join(folder, 'redis-check-aof'));
  const path = [folder, process.env.PATH].join(delimiter);
  const results = Object.values(SUITES).map((files) => {
    const began = performance.now();
    const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, PATH: path, REDIS_SERVER: '' },
    });
    const seconds = ((performance.now() - began) / SECOND_MS).toFixed(1);
    return { isOk: status === 0, seconds };
  });
  rmSync(folder, { recursive: true });
  return results;
}
