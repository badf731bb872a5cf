import { expect, test } from 'vitest';
import { createServiceWeather } from '../../src/delivery/service-weather.ts';

/** Weather on a clock that only the test moves. */
function weatherAt() {
  const clock = { ms: 0 };
  return { clock, weather: createServiceWeather(() => clock.ms) };
}

test('at first nobody has got through, and nobody has failed to', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 99;
  expect([weather.awayFor(), weather.answeredSince(0), weather.answeredSince(-1e9)]).toEqual([
    0,
    false,
    false,
  ]);
});

test('the service is away since the first stumble that no answer has followed', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 100;
  weather.stumbled();
  clock.ms = 250;
  weather.stumbled();
  clock.ms = 400;
  expect(weather.awayFor()).toBe(300);
});

test('an answer ends it, and the next stumble begins anew', () => {
  const { weather, clock } = weatherAt();
  weather.stumbled();
  clock.ms = 1000;
  weather.answered();
  clock.ms = 5000;
  expect(weather.awayFor()).toBe(0);
  weather.stumbled();
  clock.ms = 5001;
  expect(weather.awayFor()).toBe(1);
});

test('an answer counts for who began at that time or before, not for who began after it', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 50;
  weather.answered();
  clock.ms = 90;
  expect([49, 50, 51].map(weather.answeredSince)).toEqual([true, true, false]);
});

test('a stumble does not undo that somebody got through', () => {
  const { weather, clock } = weatherAt();
  clock.ms = 50;
  weather.answered();
  clock.ms = 60;
  weather.stumbled();
  expect(weather.answeredSince(40)).toBe(true);
});
