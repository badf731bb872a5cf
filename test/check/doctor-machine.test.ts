import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkHome,
  checkNode,
  checkRedis,
  judgeMemory,
  judgeSkew,
  judgeSpace,
} from '../../src/check/doctor-machine.ts';
import type { RedisSettings } from '../../src/redis/settings.ts';
import { ownFolder } from '../support/folder.ts';
import { startRedisServer } from '../support/redis-server.ts';

test.each([
  ['18.20.4', 'problem'],
  ['20.9.0', 'problem'],
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
])('Node %s: %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});

test.each([
  [19_999_999, 'problem', '19 MB free, expected 500 MB or more'],
  [20_000_000, 'warning', '20 MB free, expected 500 MB or more'],
  [499_999_999, 'warning', '499 MB free, expected 500 MB or more'],
  [500_000_000, 'ok', '500 MB free'],
])('%i bytes free: %s', (free, status, finding) => {
  expect(judgeSpace(free)).toMatchObject({ check: 'disk', status, finding });
});

test('a home that is not there yet is fine where it can be made', async () => {
  const folder = await ownFolder();
  const found = await checkHome(join(folder, 'a', 'b'));
  expect(found.map(({ check, status }) => `${check} ${status}`)).toEqual(['home ok', 'disk ok']);
  expect(await readdir(folder)).toEqual([]);
});

test('a home that can not be made names what is in the way', async () => {
  const file = join(await ownFolder(), 'file');
  await writeFile(file, '');
  expect(await checkHome(join(file, 'home'))).toEqual([
    expect.objectContaining({ status: 'problem', finding: `this user may not write to ${file}` }),
  ]);
});

test('folders that others may read are a warning with the command that closes them', async () => {
  const home = await ownFolder();
  const reports = join(home, 'reports');
  await mkdir(reports);
  await chmod(reports, 0o750);
  expect((await checkHome(home))[0]).toMatchObject({ status: 'warning', advice: `chmod go-rwx ${reports}` });
  const named = join(await ownFolder(), "a \u001b'b");
  await mkdir(named);
  await chmod(named, 0o750);
  const quoted = `$'${named.replace("\u001b'", '\\033\\047')}'`;
  expect((await checkHome(named))[0]).toMatchObject({ advice: `chmod go-rwx ${quoted}` });
  await chmod(reports, 0o700);
  expect((await checkHome(home))[0]).toMatchObject({ status: 'ok' });
});

const memory = (usedMemoryBytes: number | null, maxMemoryBytes: number | null): RedisSettings => ({
  version: null,
  appendOnly: null,
  loadsTornEnd: null,
  mayRewrite: false,
  evictionPolicy: null,
  fsync: null,
  usedMemoryBytes,
  maxMemoryBytes,
  fencing: null,
});

test.each([
  ['no limit', memory(5_000_000, 0), ['ok']],
  ['80 %', memory(80_000_000, 100_000_000), ['ok']],
  ['more than 80 %', memory(81_000_000, 100_000_000), ['warning']],
  ['not told', memory(null, null), []],
])('memory, %s', (_, settings, expected) => {
  expect(judgeMemory(settings).map(({ status }) => status)).toEqual(expected);
});

test.each([
  [0, 'ok', /agree/],
  [-5_000, 'ok', /agree/],
  [5_600, 'warning', /6 s behind/],
  [-60_000, 'warning', /60 s ahead of/],
])('a clock %i ms off: %s', (skew, status, finding) => {
  expect(judgeSkew(skew)).toMatchObject({ status, finding: expect.stringMatching(finding) });
});

test('settings that a run refuses are problems', async () => {
  const { redis } = await startRedisServer({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
  const findings = await checkRedis(redis, 'redis://here');
  expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'redis ok',
    'redis settings problem',
    'redis settings problem',
    'redis memory ok',
    'clock ok',
  ]);
});
