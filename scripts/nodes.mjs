#!/usr/bin/env node
// npm run test:nodes: the built program on every Node that it is said to work on, and on every
// server (Redis, Valkey) that is here. Nodes come from npm, into the user's cache. `--server
// <program>` adds a server that is not on the PATH.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PARTS } from './nodes/parts.mjs';
import { findPlatforms, pathWith } from './nodes/platforms.mjs';
import { printTried } from './nodes/print-tried.mjs';

const SECOND_MS = 1000;

const { values } = parseArgs({ options: { server: { type: 'string', multiple: true, default: [] } } });
const { platforms, left } = findPlatforms(values.server, say);
const rows = [];
for (const platform of platforms) rows.push({ name: platform.name, results: await tryAll(platform) });
printTried('platform', Object.keys(PARTS), rows);
for (const words of left) say(words);
process.exitCode = rows.every(({ results }) => results.every(({ isOk }) => isOk)) ? 0 : 1;

async function tryAll(platform) {
  const results = [];
  for (const [name, part] of Object.entries(PARTS)) results.push(await tryOne(platform, name, part));
  return results;
}

async function tryOne(platform, name, part) {
  // Short, since a home's socket has its path from it.
  const folder = mkdtempSync(join(tmpdir(), 'onboard-nodes-'));
  const began = performance.now();
  const failure = await part({ node: platform.node, path: pathWith(platform.server, folder), folder }).then(
    () => null,
    (error) => error,
  );
  const seconds = ((performance.now() - began) / SECOND_MS).toFixed(1);
  say(`${platform.name}: ${name} ${failure === null ? 'ok' : 'FAILED'}, ${seconds} s`);
  if (failure === null) rmSync(folder, { recursive: true });
  else say(`${failure.stack ?? failure}\nIts files are in ${folder}.`);
  return { isOk: failure === null, seconds };
}

function say(words) {
  process.stderr.write(`${words}\n`);
}
