import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { ownFolder } from '../../support/folder.ts';
import { onboard } from './memory-io.ts';

const findingsSchema = z.array(
  z.strictObject({
    check: z.string(),
    status: z.enum(['ok', 'warning', 'problem']),
    finding: z.string(),
    advice: z.string().nullable(),
  }),
);

async function ownStart() {
  const sandbox = await startSandbox({ tokens: ['t'] });
  onTestFinished(() => sandbox.close());
  const home = join(await ownFolder(), 'home');
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

test('a problem has what to do below it, and the exit status is 3', async () => {
  const { env, home } = await ownStart();
  const said = await onboard(['doctor'], { ...env, MSB_BASE_URL: '', MSB_TOKEN: '' });
  // To look makes nothing.
  expect(existsSync(home)).toBe(false);
  expect(said.exitCode).toBe(3);
  expect(said.stdout).toMatch(/^problem {2}service: MSB_BASE_URL is not set\n {9}→ Set it/m);
  expect(said.stdout).toMatch(/\n2 problems, 0 warnings: /);
});

test('a malformed value is told first, without the value', async () => {
  const { env } = await ownStart();
  const said = await onboard(['doctor', '--json'], { ...env, REDIS_URL: 'secret-word', MSB_TOKEN_FILE: 'x' });
  expect(said.exitCode).toBe(3);
  const found = findingsSchema.parse(JSON.parse(said.stdout));
  expect(found.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'node ok',
    'environment problem',
    'environment problem',
  ]);
  expect(said.stdout).not.toContain('secret-word');
});
