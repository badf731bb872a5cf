import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventBody, type NotifiedEvent } from '../../../src/faces/notify/event.ts';
import { openCommand } from '../../../src/faces/notify/notifier.ts';
import { ownFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

const EVENT: NotifiedEvent = {
  id: 'msg_1',
  type: 'run.finished',
  at: new Date(0),
  data: { run: 'r-1', target: 'https://api.example.com' },
};
const ENV = { PATH: process.env.PATH, MSB_TOKEN: 'secret', REDIS_URL: 'redis://:pw@x', MINE: 'kept' };
const NEVER = new AbortController().signal;

const tell = (command: string, { event = EVENT, timeoutMs = 60_000, stop = NEVER } = {}) =>
  openCommand({ command, env: ENV, timeoutMs }).tell(event, stop);

test('a command has the event on its input, what it is about in its environment, and no credentials', async () => {
  const out = join(await ownFolder(), 'out');
  await tell(`{ cat; env; } > ${out}`);
  const [first, ...lines] = (await readFile(out, 'utf8')).split('\n');
  expect(first).toBe(eventBody(EVENT));
  const expected = ['ONBOARD_EVENT=run.finished', 'ONBOARD_EVENT_ID=msg_1', 'ONBOARD_RUN=r-1', 'MINE=kept'];
  expect(lines).toEqual(expect.arrayContaining(expected));
  expect(lines.filter((line) => /^(?:MSB|REDIS)_/.test(line))).toEqual([]);
});

test('a command that reads nothing and ends well has told', async () => {
  const event = { ...EVENT, data: { ...EVENT.data, text: 'x'.repeat(200_000) } };
  await expect(tell('exit 0', { event })).resolves.toBeUndefined();
});

test.each([
  ['exit 3', 'it ended with status 3'],
  ['kill -9 $$', 'it was ended by SIGKILL'],
])('a command that does not end well has failed: %s', async (command, why) => {
  await expect(tell(command)).rejects.toThrow(why);
});

test.each([
  ['that takes too long', () => ({ timeoutMs: 300 })],
  ['that the end of its process cuts short', () => ({ stop: AbortSignal.timeout(300) })],
])('a command %s is killed, with what it started', async (_, given) => {
  const out = join(await ownFolder(), 'pid');
  await expect(tell(`sleep 600 & echo $! > ${out}; wait`, given())).rejects.toThrow('it did not end within');
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
