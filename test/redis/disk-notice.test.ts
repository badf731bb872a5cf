import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDiskNotice } from '../../src/redis/embedded.ts';
import { ownFolder } from '../support/folder.ts';

const START = '7:C * oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo\n';
const SHORT = '7:M # Short write while writing to the AOF file: (nwritten=3, expected=9)\n';

async function ownNotice() {
  const folder = await ownFolder();
  const clock = { now: 0 };
  const told: string[] = [];
  const notice = createDiskNotice(folder, () => clock.now);
  notice.onFull((text) => told.push(text));
  return { notice, told, clock, log: (text: string) => appendFile(join(folder, 'redis.log'), text) };
}

test('a server that ended for want of room is told once, and again only after it was well for long', async () => {
  const { notice, told, clock, log } = await ownNotice();
  await log(START + SHORT);
  expect(await notice.around(async () => true)).toBe(true);
  await notice.around(async () => true);
  expect(told).toEqual([expect.stringMatching(/the disk of ONBOARD_HOME is full .* goes on by itself/)]);
  clock.now = 600_001;
  await notice.around(async () => true);
  expect(told).toHaveLength(2);
});

test('a server that finds no room when it starts is told, and the failure is passed on', async () => {
  const { notice, told, log } = await ownNotice();
  await log(START);
  const revive = async () => {
    await log(`${START}7:M # Fatal: can't open the append-only dir: No space left on device\n`);
    throw new Error('it ended');
  };
  await expect(notice.around(revive)).rejects.toThrow('it ended');
  expect(told).toHaveLength(1);
});

test('what an earlier server said of the disk is past', async () => {
  const { notice, told, log } = await ownNotice();
  await log(START + SHORT + START);
  await notice.around(async () => true);
  expect(told).toEqual([]);
});
