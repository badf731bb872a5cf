import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createReleases, createSchedules, nextTime, startScheduleWorker } from '../../src/queue/schedules.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

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
  {
    what: 'stays at 22:00 by the clock on the wall when summer begins',
    cron: '0 22 * * *',
    from: '2027-03-27T12:00:00Z',
    expected: ['2027-03-27T22:00:00.000Z', '2027-03-28T21:00:00.000Z', '2027-03-29T21:00:00.000Z'],
  },
  {
    what: 'stays at 22:00 by the clock on the wall when summer ends',
    cron: '0 22 * * *',
    from: '2026-10-24T12:00:00Z',
    expected: ['2026-10-24T21:00:00.000Z', '2026-10-25T22:00:00.000Z', '2026-10-26T22:00:00.000Z'],
  },
  {
    what: 'fires once, an hour later by the wall, in the night whose 01:30 does not exist',
    cron: '30 1 * * *',
    from: '2027-03-27T12:00:00Z',
    expected: ['2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
  },
  {
    what: 'fires once in the night that has 01:30 twice',
    cron: '30 1 * * *',
    from: '2026-10-24T12:00:00Z',
    expected: ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
  },
  {
    what: 'of every hour fires in both hours that are called 1',
    cron: '0 * * * *',
    from: '2026-10-24T23:10:00Z',
    expected: ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00.000Z'],
  },
])('a schedule in Europe/London $what', ({ cron, from, expected }) => {
  expect(times(cron, from, expected.length)).toEqual(expected);
});

test("a scheduler's next time is the one of the wall clock in its time zone", async () => {
  const { schedules } = open();
  const schedule = { job: 'night', cron: '0 22 * * *', timezone: 'Europe/London' };
  await schedules.keep([schedule]);
  expect((await schedules.next()).get('night')).toEqual(nextTime(schedule, new Date()));
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
