import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { judgeRuns } from '../../src/check/doctor.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { createLog } from '../../src/lib/log.ts';
import { createReleasers } from '../../src/lib/releasers.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { openLedger } from '../../src/session.ts';
import { newRun } from '../support/runs.ts';
import { onboard } from './memory-io.ts';
import { sampleRun } from './sample-run.ts';

const findingsSchema = z.array(
  z.strictObject({
    check: z.string(),
    status: z.enum(['ok', 'warning', 'problem']),
    finding: z.string(),
    advice: z.string().nullable(),
  }),
);

async function ownStart() {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-doctor-'));
  const sandbox = await startSandbox({ tokens: ['t'] });
  onTestFinished(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });
  const home = join(folder, 'home');
  const env = {
    ONBOARD_HOME: home,
    ONBOARD_JOBS: 'jobs',
    MSB_BASE_URL: sandbox.url,
    MSB_TOKEN: 'secret-word',
  };
  return { home, env, sandbox };
}

test('where all is well it says so, ends with 0, asks the service nothing and leaves no server behind', async () => {
  const { home, env, sandbox } = await ownStart();
  await mkdir(join(home, 'redis'), { recursive: true, mode: 0o700 });
  await chmod(home, 0o700);
  const said = await onboard(['doctor'], env);
  expect(said.stderr).toBe('');
  expect(said.stdout.trimEnd().split('\n').at(-1)).toBe('All is well.');
  expect(said.exitCode).toBe(0);
  expect(said.stdout).not.toContain('secret-word');
  expect(await readdir(join(home, 'redis', '1', 'users'))).toEqual([]);
  const redis = new Redis(join(home, 'redis', '1', 'redis.sock'), {
    lazyConnect: true,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  await expect(redis.connect()).rejects.toThrow();
  expect(sandbox.stats().requests).toEqual({});
});

test('a token is said to be untried, and tried where a GET is named, of which only the status is shown', async () => {
  const { env, sandbox } = await ownStart();
  const path = '/v1/documents/payments/attachments/pay-0001';
  const untried = await onboard(['doctor', '--json'], env);
  expect(untried.stdout).toContain('whether the service takes it was not tried (--call <path> tries it)');
  const taken = await onboard(['doctor', '--call', path], { ...env, MSB_TOKEN: 't' });
  expect(taken.exitCode).toBe(0);
  expect(taken.stdout).toMatch(/^ok {7}token: GET \S+ was answered with 200: the service takes the token$/m);
  expect(taken.stdout).not.toContain('not tried');
  expect(taken.stdout).not.toContain('documentUri');
  const refused = await onboard(['doctor', '--call', path], env);
  expect(refused.exitCode).toBe(3);
  expect(refused.stdout).toMatch(/^problem {2}token: GET \S+ was answered with 401: .*refuses the token$/m);
  expect(refused.stdout).not.toContain('secret-word');
  expect(sandbox.stats().requests).toMatchObject({});
});

test.each([
  'https://example.com/x',
  '//example.com/x',
  'v1/x',
  '/v1/../x',
  '/v1/%2e%2e/x',
  '/v1/{id}',
  '/v1/x?a=b c',
  '/v1/x#y',
])('--call %s is refused before anything is looked at', async (path) => {
  const said = await onboard(['doctor', '--call', path], {});
  expect([said.exitCode, said.stdout]).toEqual([3, '']);
  expect(said.stderr).toContain("option '--call <path>' argument");
});

test('a problem has what to do below it, and the exit status is 3', async () => {
  const { env, home } = await ownStart();
  const said = await onboard(['doctor'], { ...env, MSB_BASE_URL: '', MSB_TOKEN: '' });
  // To look makes nothing.
  expect(existsSync(home)).toBe(false);
  expect(said.exitCode).toBe(3);
  expect(said.stdout).toMatch(/^problem {2}service: MSB_BASE_URL is not set\n {9}→ Set it/m);
  expect(said.stdout).toMatch(/\n2 problems, 0 warnings: /);
});

test('a malformed value keeps only what rests on it from being checked, and no value is shown', async () => {
  const { env } = await ownStart();
  const said = await onboard(['doctor', '--json'], { ...env, REDIS_URL: 'secret-word', MSB_TOKEN_FILE: 'x' });
  expect(said.exitCode).toBe(3);
  const found = findingsSchema.parse(JSON.parse(said.stdout));
  expect(found.filter(({ status }) => status === 'problem').map(({ check }) => check)).toEqual([
    'environment',
    'environment',
  ]);
  expect(found.map(({ check }) => check)).toEqual(expect.arrayContaining(['node', 'home', 'disk', 'jobs']));
  expect(said.stdout).not.toContain('secret-word');
});

test('a run whose process is gone is a warning with the command that goes on', async () => {
  const { env } = await ownStart();
  const releasers = createReleasers();
  const ledger = await openLedger(
    readEnvironment(env),
    createLog('silent', { write: () => undefined }, Date.now),
    releasers,
  );
  const run = newRun({ target: 'sandbox' });
  const { store } = ledger.of('sandbox');
  await ledger.index.add(run.id, 'sandbox', run.createdAt);
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await releasers.release();

  const said = await onboard(['doctor'], env);
  expect(said.exitCode).toBe(0);
  expect(said.stdout).toContain('warning  runs: 1 unfinished run');
  expect(said.stdout).toContain(`To go on: \`onboard resume ${run.id}\``);
});

const left = (over: Parameters<typeof sampleRun>[0], command = 'onboard resume r') => ({
  run: sampleRun(over),
  command,
});

test('runs that were left, paused or stopped are a warning with the commands that go on', () => {
  expect(
    judgeRuns([left({}), left({ state: 'paused', reason: 'requested' }, 'onboard resume p')]),
  ).toMatchObject({
    status: 'warning',
    finding: '2 unfinished runs: 1 left by a process that is gone, 1 paused or stopped',
    advice: 'To go on: `onboard resume r`, `onboard resume p`',
  });
});

test('a stopped run of which every row has its outcome is none', () => {
  const outcomes = { ...noOutcomes(), created: 10 };
  expect(judgeRuns([left({ state: 'stopped', outcomes })]).status).toBe('ok');
});
