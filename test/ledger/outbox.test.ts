import { expect, test } from 'vitest';
import { createOutbox } from '../../src/ledger/outbox.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();
const ownOutbox = () => createOutbox(own().redis, ownKeys());

test('an event is put once, however many processes see it', async () => {
  const outbox = ownOutbox();
  const puts = [1, 2, 3].map(() => outbox.put('msg_1', '{}', ['webhook']));
  expect((await Promise.all(puts)).filter(Boolean)).toEqual([true]);
  expect(await outbox.take('webhook', 60_000)).toEqual({ id: 'msg_1', body: '{}', tries: 0 });
});

test('an event is put once although it was told in between', async () => {
  const outbox = ownOutbox();
  await outbox.put('msg_1', '{}', ['webhook']);
  await outbox.drop('webhook', 'msg_1');
  expect(await outbox.put('msg_1', '{}', ['webhook'])).toBe(false);
  expect(await outbox.take('webhook', 60_000)).toBeNull();
});

test('each channel has its own, and one process at a time is given it', async () => {
  const outbox = ownOutbox();
  await outbox.put('msg_1', '{}', ['webhook', 'command']);
  expect((await outbox.take('webhook', 60_000))?.id).toBe('msg_1');
  expect(await outbox.take('webhook', 60_000)).toBeNull();
  expect((await outbox.take('command', 60_000))?.id).toBe('msg_1');
});

test('a process that died with an event leaves it to the next one, when its lease is over', async () => {
  const outbox = ownOutbox();
  await outbox.put('msg_1', '{}', ['webhook']);
  await outbox.take('webhook', 30);
  await until(async () => (await outbox.take('webhook', 60_000)) !== null);
});

test('an event that could not be told comes again when its pause is over, with its tries', async () => {
  const outbox = ownOutbox();
  await outbox.put('msg_1', 'text', ['webhook']);
  const entry = await outbox.take('webhook', 60_000);
  if (entry === null) throw new Error('nothing is due');
  await outbox.putOff('webhook', { ...entry, tries: 1 }, 3_600_000);
  expect(await outbox.take('webhook', 60_000)).toBeNull();
  expect(await outbox.countLeft(['msg_1', 'msg_2'], ['webhook', 'command'])).toBe(1);
  await outbox.putOff('webhook', { ...entry, tries: 2 }, 0);
  expect(await outbox.take('webhook', 60_000)).toEqual({ id: 'msg_1', body: 'text', tries: 2 });
});

test('an event that another process has told meanwhile is not put off', async () => {
  const outbox = ownOutbox();
  await outbox.put('msg_1', '{}', ['webhook']);
  const entry = await outbox.take('webhook', 60_000);
  if (entry === null) throw new Error('nothing is due');
  await outbox.drop('webhook', 'msg_1');
  await outbox.putOff('webhook', entry, 0);
  expect(await outbox.take('webhook', 60_000)).toBeNull();
});

test('when events began to be wanted is said once', async () => {
  const outbox = ownOutbox();
  const since = await outbox.since();
  expect(Math.abs(Date.now() - since)).toBeLessThan(60_000);
  expect(await outbox.since()).toBe(since);
});
