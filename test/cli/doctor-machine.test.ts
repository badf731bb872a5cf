import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkHome, checkNode, judgeSpace } from '../../src/cli/doctor-machine.ts';

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

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
  expect(found.map(({ check, status }) => [check, status])).toEqual([
    ['home', 'ok'],
    ['disk', 'ok'],
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test('a home that can not be made names what is in the way', async () => {
  const file = join(await ownFolder(), 'file');
  await writeFile(file, '');
  expect(await checkHome(join(file, 'home'))).toEqual([
    expect.objectContaining({ status: 'problem', finding: `this user may not write to ${file}` }),
  ]);
});

test.runIf(existsSync('/proc/self'))(
  'a home where nothing can be made is a problem, whatever the rights say',
  async () => {
    expect(await checkHome('/proc/onboard')).toEqual([
      expect.objectContaining({ status: 'problem', finding: 'this user may not write to /proc' }),
    ]);
  },
);

test('folders that others may read are a warning with the command that closes them', async () => {
  const home = await ownFolder();
  const reports = join(home, 'reports');
  await mkdir(reports);
  await chmod(reports, 0o750);
  expect((await checkHome(home))[0]).toMatchObject({ status: 'warning', advice: `chmod go-rwx ${reports}` });
  await chmod(reports, 0o700);
  expect((await checkHome(home))[0]).toMatchObject({ status: 'ok' });
});
