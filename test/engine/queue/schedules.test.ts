import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createReleases,
  createSchedules,
  nextTime,
  startScheduleWorker,
} from '../../../src/engine/queue/schedules.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { ownKeys } from '../../support/runs.ts';

const own = useOwnRedis();

function open(prefix = ownKeys().queuePrefix) {
  const { redis } = own();
  const schedules = createSchedules(redis, prefix, () => undefined);
  onTestFinished(() => schedules.close());
  return { redis, prefix, schedules };
}

/** The times of a schedule, one after the other. */
function times(cron: string, from: string, count: number): string[] {
  const found: string[] = [];
  let at = new Date(from);
  while (found.length < count) {
    const next = nextTime({ cron, timezone: 'Europe/London' }, at);
    if (next === null) break;
    found.push(next.toISOString());
    at = next;
  }
  return found;
}

test.each([
  [
    'stays at 22:00 by the wall when summer begins',
    '0 22 * * *',
    '2027-03-27T12',
    '27T22:00 28T21:00 29T21:00',
  ],
  [
    'stays at 22:00 by the wall when summer ends',
    '0 22 * * *',
    '2026-10-24T12',
    '24T21:00 25T22:00 26T22:00',
  ],
  [
    'fires once, an hour later, in the night whose 01:30 does not exist',
    '30 1 * * *',
    '2027-03-27T12',
    '28T01:30 29T00:30',
  ],
  ['fires once in the night that has 01:30 twice', '30 1 * * *', '2026-10-24T12', '25T00:30 26T01:30'],
  [
    'of every hour fires in both that are called 1',
    '0 * * * *',
    '2026-10-24T23',
    '25T00:00 25T01:00 25T02:00',
  ],
])('a schedule in Europe/London %s', (_, cron, from, expected) => {
  const month = from.slice(0, 8);
  const instants = expected.split(' ').map((time) => `${month}${time}:00.000Z`);
  expect(times(cron, `${from}:10:00Z`, instants.length)).toEqual(instants);
});

test('a schedule whose definition is gone loses its scheduler, a changed one gets its new time', async () => {
  const { schedules } = open();
  const night = { job: 'night', cron: '0 22 * * *', timezone: 'UTC' };
  await schedules.keep([night, { job: 'noon', cron: '0 12 * * *', timezone: 'UTC' }]);
  await schedules.keep([{ ...night, cron: '30 23 * * *' }]);
  const next = await schedules.next();
  expect([...next.keys()]).toEqual(['night']);
  expect(next.get('night')?.toISOString()).toMatch(/T23:30:00.000Z$/);
});

test('a time that was missed while nobody ran fires once, though the schedules are declared again first', async () => {
  const { redis, prefix, schedules } = open();
  const schedule = { job: 'night', cron: '0 22 * * *', timezone: 'UTC' };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3 * 24 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await schedules.keep([schedule]);
  vi.useRealTimers();
  expect((await schedules.next()).get('night')?.getTime()).toBeLessThan(Date.now());
  await schedules.keep([schedule]);

  const releases = createReleases(redis, prefix);
  const fired: string[] = [];
  const worker = startScheduleWorker({
    connection: redis,
    prefix,
    async release(job) {
      fired.push(job);
      await releases.release(job, new Date());
    },
    onError: () => undefined,
  });
  onTestFinished(() => worker.close());
  while ((await releases.all()).size === 0) await delay(10);
  while (((await schedules.next()).get('night')?.getTime() ?? 0) < Date.now()) await delay(10);
  expect(fired).toEqual(['night']);
});
