import { execFile, execFileSync, spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Flow, startFlow, subclientsCsv } from '../support/flow.ts';
import { newestRun, statusOf } from '../support/run-control.ts';
import { until } from '../support/until.ts';

/** The program, as `"$@"`, is started by a shell. */
const inShell = (script: string, name = 'sh') => ['/bin/bash', '-o', 'pipefail', '-c', script, name];

const START = ['start', '--rest', '0', '--no-web'];

async function drop(flow: Flow, rows: number): Promise<void> {
  await mkdir(join(flow.home, 'inbox'), { recursive: true });
  await writeFile(join(flow.home, 'inbox', 'subclients-create.csv'), subclientsCsv(rows, 'B'));
}

describe('a log and results that nobody can write or reads', () => {
  test.each([
    ['no room for the log', 'exec "$@" 2>/dev/full'],
    ['no room for either', 'exec "$@" >/dev/full 2>&1'],
    ['a reader of both that goes away', '"$@" 2>&1 | head -c 1'],
  ])('cost no row and change no status: %s', async (_, script) => {
    const flow = await startFlow({ faults: ['latency=10ms'], env: { LOG_LEVEL: 'debug' } });
    const file = await flow.file('a.csv', subclientsCsv(300));
    await drop(flow, 100);
    const run = await flow.start(['run', 'subclients-create', file], {}, inShell(script)).ended;
    const start = await flow.start([...START, '--once'], {}, inShell(script)).ended;
    expect([run.exitCode, start.exitCode]).toEqual([0, 0]);
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 400 }, duplicateKeys: 0 });
    const { outcomes } = await statusOf(flow, await newestRun(flow));
    expect([outcomes.created, outcomes['in-doubt']]).toEqual([100, 0]);
  });

  test('are told to the next reader of the log, and the files are loaded meanwhile', async () => {
    const flow = await startFlow();
    const log = join(flow.home, 'log');
    execFileSync('mkfifo', [log]);
    const { child, ended } = flow.start(START, {}, inShell('exec "$@" 2>"$0"', log));
    expect((await promisify(execFile)('head', ['-n', '1', log])).stdout).toContain('Watching');
    await drop(flow, 20);
    await until(async () => (await readdir(join(flow.home, 'done')).catch(() => [])).length === 2);
    let said = '';
    spawn('cat', [log]).stdout.on('data', (text) => {
      said += text;
    });
    await until(() => said.includes('lines missing: 0'));
    expect(said).toMatch(/^subclients-create\.csv: taken as run .*\n/);
    child.kill('SIGTERM');
    expect([(await ended).exitCode, flow.sandbox.stats().made.subclients]).toEqual([4, 20]);
  });

  test('fail a command that only prints, unless its reader has enough, which ends it at once', async () => {
    const flow = await startFlow();
    const preview = ['preview', await flow.file('a.csv', subclientsCsv(20_000)), '--all', '--json'];
    for (const args of [['runs'], preview, ['help']]) {
      const { exitCode, stderr } = await flow.start(args, {}, inShell('exec "$@" >/dev/full')).ended;
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringMatching(/^onboard: standard output .*\(ENOSPC\).*\n$/),
      ]);
    }
    const { exitCode, stdout, stderr } = await flow.start(preview, {}, inShell('"$@" | head -n 1')).ended;
    expect([exitCode, stdout.split('\n').length, stderr]).toEqual([0, 2, '']);
  });
});

test.each([
  ['an error', 'throw new TypeError("Jane")', 'TypeError'],
  [
    'a rejection',
    'Promise.reject(Object.assign(new Error("Jane"), { code: "E", args: ["Jane"] }))',
    'Error E',
  ],
])('%s that nobody caught has a status of its own, and is told by its place alone', async (_, what, name) => {
  const flow = await startFlow({ faults: ['latency=1s'], recordRequests: 1 });
  const file = await flow.file('a.csv', subclientsCsv(1));
  const preload = await flow.file('preload.mjs', `process.on('SIGUSR2', () => { ${what}; });`);
  const env = { NODE_OPTIONS: `--import=${preload}` };
  const { child, ended } = flow.start(['run', 'subclients-create', file], env);
  await until(() => flow.sandbox.requests().length > 0);
  child.kill('SIGUSR2');
  const { exitCode, stderr } = await ended;
  expect([exitCode, stderr.includes('Jane')]).toEqual([70, false]);
  expect(stderr).toMatch(
    new RegExp(`^onboard: a defect of the program,.* \\(${name}\\):\n +at .*preload`, 'm'),
  );
});

test('a program that can not be loaded whole has not the status of a run', async () => {
  const flow = await startFlow();
  const main = await flow.file('main.mjs', '');
  await copyFile(new URL('../../dist/main.js', import.meta.url), main);
  expect((await flow.start([], {}, inShell('exec "$1" "$0"', main)).ended).exitCode).toBe(70);
});

test('SIGUSR1 opens no debugger, neither in the program nor in its page', async () => {
  const flow = await startFlow();
  const { child, ended, said } = flow.start(['start', '--rest', '0', '--web', '127.0.0.1:0']);
  await until(() => said().includes('The page:'));
  const page = execFileSync('pgrep', ['-P', String(child.pid), '-f', 'main.js web']).toString();
  for (const pid of [child.pid, page]) process.kill(Number(pid), 'SIGUSR1');
  await drop(flow, 5);
  await until(() => flow.sandbox.stats().made.subclients === 5);
  child.kill('SIGTERM');
  expect((await ended).exitCode).toBe(4);
  expect(said()).not.toMatch(/debugger|inspector/i);
});

test('a working folder that was removed is refused in a sentence', async () => {
  const flow = await startFlow();
  const within = inShell('mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"', join(flow.home, 'gone'));
  const { exitCode, stderr } = await flow.start(['runs'], {}, within).ended;
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringMatching(/^onboard: The working folder was removed.*\n$/),
  ]);
});
