import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommand } from '../../src/notify/command.ts';
import { ownFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';

const MESSAGE = { id: 'msg_1', body: '{"type":"onboard.run.finished","data":{"run":"r-1"}}' };
const ENV = { PATH: process.env.PATH, MSB_TOKEN: 'secret', REDIS_URL: 'redis://:pw@x', MINE: 'kept' };

test('a command has the event on its input, what it is about in its environment, and no credentials', async () => {
  const out = join(await ownFolder(), 'out');
  const command = openCommand({ command: `{ cat; env; } > ${out}`, env: ENV });
  expect(await command.tell(MESSAGE)).toEqual({ kind: 'told' });
  const [first, ...lines] = (await readFile(out, 'utf8')).split('\n');
  expect(first).toBe(MESSAGE.body);
  const expected = ['ONBOARD_EVENT=run.finished', 'ONBOARD_EVENT_ID=msg_1', 'ONBOARD_RUN=r-1', 'MINE=kept'];
  expect(lines).toEqual(expect.arrayContaining(expected));
  expect(lines.filter((line) => /^(?:MSB|REDIS)_/.test(line))).toEqual([]);
});

test('a command that reads nothing and ends well has told', async () => {
  const body = JSON.stringify({ type: 'onboard.service.away', data: { text: 'x'.repeat(200_000) } });
  expect(await openCommand({ command: 'exit 0', env: ENV }).tell({ id: 'msg_1', body })).toEqual({
    kind: 'told',
  });
});

test.each([
  ['exit 3', 'it ended with status 3'],
  ['kill -9 $$', 'it was ended by SIGKILL'],
])('a command that does not end well has failed: %s', async (command, why) => {
  expect(await openCommand({ command, env: ENV }).tell(MESSAGE)).toEqual({
    kind: 'failed',
    why,
    afterMs: null,
  });
});

test('a command that takes too long is killed, with what it started', async () => {
  const out = join(await ownFolder(), 'pid');
  const command = `sleep 60 & echo $! > ${out}; wait`;
  const told = await openCommand({ command, env: ENV, timeoutMs: 300 }).tell(MESSAGE);
  expect(told).toEqual({ kind: 'failed', why: 'it did not end within 0.3 s', afterMs: null });
  const pid = Number(await readFile(out, 'utf8'));
  await until(() => !isAlive(pid));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
