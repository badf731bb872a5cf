import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nextTime } from '../../src/queue/schedule-times.ts';
import { createReleases, createSchedules, startScheduleWorker } from '../../src/queue/schedules.ts';
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
function times(cron: string, from: string, count: number, timezone = 'Europe/London'): string[] {
  const found: string[] = [];
  let at = new Date(from);
  while (found.length < count) {
    const next = nextTime({ cron, timezone }, at);
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
  ['fires once in the night whose 01:30 does not exist', '30 1 * * *', '2027-03-27T12', '28T01:00 29T00:30'],
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

test.each([
  ['whose 02:00 does not exist', 'Australia/Lord_Howe', '0 2 * * *', '2026-10-02T20', '03T15:30 04T15:00'],
  ['whose 02:15 does not exist', 'Australia/Lord_Howe', '15 2 * * *', '2026-10-02T20', '03T15:30 04T15:15'],
  ['on a weekday', 'Australia/Lord_Howe', '0 2 * * sun', '2026-10-01T20', '03T15:30'],
  ['whose midnight does not exist', 'America/Santiago', '0 0 * * *', '2026-09-05T12', '06T04:00 07T03:00'],
  ['on a date', 'America/Santiago', '30 0 6 9 *', '2026-09-05T12', '06T04:00'],
  [
    'whose midnight does not exist',
    'Africa/Cairo',
    '0 0 * * *',
    '2026-04-22T12',
    '22T22:00 23T22:00 24T21:00',
  ],
  ['of four times that do not exist', 'Europe/London', '*/15 1 * * *', '2027-03-27T12', '28T01:00 29T00:00'],
  ['that has 01:45 twice', 'Australia/Lord_Howe', '45 1 * * *', '2027-04-03T12', '03T14:45 04T15:15'],
  ['that has 23:30 twice', 'America/Santiago', '30 23 * * *', '2027-04-03T12', '04T02:30 05T03:30'],
  ['that has 01:00 twice', 'Europe/London', '0,30 1 * * *', '2026-10-24T12', '25T00:00 25T00:30 26T01:00'],
])('a schedule fires once, at the next moment that there is, in a night %s: %s, %s', (...given) => {
  const [, zone, cron, from, expected] = given;
  const instants = expected.split(' ').map((time) => `${from.slice(0, 8)}${time}:00.000Z`);
  expect(times(cron, `${from}:10:00Z`, instants.length, zone)).toEqual(instants);
});

test("a scheduler's next time is the one of the wall clock in its time zone", async () => {
  const { schedules } = open();
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-10-03T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const schedule = { job: 'night', cron: '0 2 * * *', timezone: 'Australia/Lord_Howe' };
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
