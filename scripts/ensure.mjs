#!/usr/bin/env node
// Makes what is missing on a fresh machine: dependencies, the build, a Redis server. Says what it
// does; silent where nothing is missing. Flags: --no-build, --no-redis. Exit status 3 where
// something can't be made from here.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from './setup/find-program.mjs';
import { gatherFacts } from './setup/gather-facts.mjs';
import { planSteps, refuseRedis } from './setup/plan-steps.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const FLAGS = ['--no-build', '--no-redis'];

const DO = {
  refuse: () => 3,
  install: installDependencies,
  build: () => run([process.execPath, join(ROOT, 'scripts', 'build.mjs')]),
  redis: installRedis,
};

process.exitCode = main(process.argv.slice(2));

function main(flags) {
  const unknown = flags.find((flag) => !FLAGS.includes(flag));
  if (unknown !== undefined) return complain(`Unknown flag ${unknown}: expected ${FLAGS.join(' or ')}.`);
  const wanted = { build: !flags.includes('--no-build'), redis: !flags.includes('--no-redis') };
  for (const step of planSteps(gatherFacts(ROOT), wanted)) {
    process.stderr.write(`ensure: ${step.message}\n`);
    const status = DO[step.kind](step);
    if (status !== 0) return status;
  }
  return 0;
}

function installDependencies() {
  // NODE_ENV=production would leave out the compiler and the test runner.
  const status = run([...npm(), 'ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund']);
  return status === 0 ? 0 : complain('npm ci did not succeed: see its message above.');
}

/** Under `npm test` npm says where it lives, which also holds where it is not on the PATH. */
function npm() {
  const path = process.env.npm_execpath ?? '';
  return /npm-cli\.c?js$/.test(path) ? [process.execPath, path] : ['npm'];
}

function installRedis(step) {
  const failed = step.commands.find((command) => run(command) !== 0);
  if (failed !== undefined) return complain(refuseRedis(`and "${failed.join(' ')}" did not succeed`).message);
  if (findProgram('redis-server', 'valkey-server') !== null) return 0;
  return complain(refuseRedis('and the package that was installed brought none').message);
}

/**
 * No standard input: nothing may wait for an answer. RUNLEVEL=1 keeps Debian from starting the
 * service on port 6379.
 */
function run([program, ...rest]) {
  const { status, error } = spawnSync(program, rest, {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  if (error !== undefined) process.stderr.write(`ensure: ${program}: ${error.message}\n`);
  return status ?? 1;
}

function complain(message) {
  process.stderr.write(`ensure: ${message}\n`);
  return 3;
}
