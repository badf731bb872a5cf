import { expect, test } from 'vitest';
import { createServiceWeather, type Stumble } from '../../src/delivery/service-weather.ts';
import type { SharedWeather } from '../../src/ledger/weather.ts';
import { deferred } from '../support/deferred.ts';

type Told = Parameters<SharedWeather['stumbled']>[0];

const CAUSE = 'The connection was lost.';
const NO_ANSWER: Stumble = { mark: 'i me.1 1.1', status: null, afterMs: null, cause: CAUSE };

/** Weather on a clock that only the test moves; `away` is what all workers together say of it. */
function weatherAt() {
  const clock = { ms: 0 };
  const shared = { away: 0, told: [] as Told[] };
  const weather = createServiceWeather(() => clock.ms, {
    async stumbled(attempt) {
      shared.told.push(attempt);
      return shared.away;
    },
  });
  return { clock, shared, weather };
}

test('at first nobody has got through, and nobody has failed to', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 99;
  const answered = [weather.answeredSince(0), weather.answeredSince(-1e9)];
  expect([weather.awayFor(), answered]).toEqual([0, [false, false]]);
});

test('the service is away for as long as it is for all workers, and longer with the time', async () => {
  const { weather, clock, shared } = weatherAt();
  clock.ms = 100;
  await weather.stumbled(NO_ANSWER);
  clock.ms = 20_000;
  shared.away = 9_000;
  await weather.stumbled(NO_ANSWER);
  clock.ms = 20_150;
  expect(weather.awayFor()).toBe(9_150);
});

test('an outage of long ago is no news: a run that goes on counts from its own beginning', async () => {
  const { weather, clock, shared } = weatherAt();
  clock.ms = 400;
  shared.away = 86_400_000;
  await weather.stumbled(NO_ANSWER);
  expect(weather.awayFor()).toBe(400);
});

test('a refused token and a limit are answers: they do not count as failures', async () => {
  const { weather, shared } = weatherAt();
  await weather.stumbled({ mark: 'i w 1', status: 401, afterMs: null, cause: '' });
  await weather.stumbled({ mark: 'i w 2', status: 429, afterMs: 1_000, cause: CAUSE });
  await weather.stumbled({ mark: 'i w 3', status: 503, afterMs: 1_000, cause: CAUSE });
  const told = shared.told.map(({ isFailure, holdMs }) => `${isFailure} ${holdMs}`);
  expect(told).toEqual(['false 0', 'false 1000', 'true 0']);
});

test('an answer ends it, and the next stumble begins anew', async () => {
  const { weather, clock } = weatherAt();
  await weather.stumbled(NO_ANSWER);
  clock.ms = 1000;
  weather.answered(0);
  clock.ms = 5000;
  expect(weather.awayFor()).toBe(0);
  await weather.stumbled(NO_ANSWER);
  clock.ms = 5001;
  expect(weather.awayFor()).toBe(1);
});

test('an answer that comes while the others are told of a stumble is the newer news', async () => {
  const told = deferred<number>();
  const weather = createServiceWeather(() => 100, { stumbled: () => told.promise });
  const stumbling = weather.stumbled(NO_ANSWER);
  weather.answered(0);
  told.resolve(60_000);
  await stumbling;
  expect(weather.awayFor()).toBe(0);
});

test('an answer counts for who began at that time or before, not for who began after it', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 50;
  weather.answered(0);
  clock.ms = 90;
  expect([49, 50, 51].map(weather.answeredSince)).toEqual([true, true, false]);
});

test('an answer to what was begun long ago does not say that one gets through now', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 50;
  weather.answered(20);
  clock.ms = 60;
  weather.answered(55);
  expect([29, 30, 31].map(weather.getsThroughSince)).toEqual([true, true, false]);
});

test('a stumble does not undo that somebody got through', async () => {
  const { weather, clock } = weatherAt();
  clock.ms = 50;
  weather.answered(0);
  clock.ms = 60;
  await weather.stumbled(NO_ANSWER);
  expect(weather.answeredSince(40)).toBe(true);
});

test.each([
  ['no answer at all', { status: null, afterMs: null }, { isFailure: true, holdMs: 0 }],
  ['503, though it names a time', { status: 503, afterMs: 9_000 }, { isFailure: true, holdMs: 0 }],
  ['429 that names a time', { status: 429, afterMs: 9_000 }, { isFailure: false, holdMs: 9_000 }],
  ['429 that names none', { status: 429, afterMs: null }, { isFailure: false, holdMs: 0 }],
])('what all workers are told of %s', async (_, stumble, expected) => {
  const { weather, shared } = weatherAt();
  await weather.stumbled({ mark: 'i me.1 3.1', cause: CAUSE, ...stumble });
  expect(shared.told).toEqual([{ mark: 'i me.1 3.1', cause: CAUSE, ...expected }]);
});
