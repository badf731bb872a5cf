import { expect, test } from 'vitest';
import type { WeatherReport } from '../../src/ledger/weather.ts';
import { serviceWords } from '../../src/runs/service-words.ts';

const WELL: WeatherReport = {
  state: 'well',
  failuresInARow: 0,
  cause: null,
  since: null,
  isProbing: false,
  nextAt: null,
};
const since = '2026-11-21T20:30:51.000Z';
const nextAt = '2026-11-21T20:31:07.000Z';
const cause = "The service's name could not be resolved. Nothing was sent (ENOTFOUND)";

test.each<[Partial<WeatherReport>, string]>([
  [{}, 'no outage known'],
  [{ state: 'failing', failuresInARow: 1, since }, '1 failure in a row since 20:30:51 UTC'],
  [
    { state: 'failing', failuresInARow: 2, since, cause: 'The service answered 503.' },
    '2 failures in a row since 20:30:51 UTC. The service answered 503',
  ],
  [{ state: 'held', nextAt }, 'asked to be left alone until 20:31:07 UTC'],
  [
    { state: 'away', failuresInARow: 12, since, nextAt, cause },
    `away since 20:30:51 UTC, 12 failures in a row; one row tries at 20:31:07 UTC, the others wait. ${cause}`,
  ],
  [
    { state: 'away', failuresInARow: 12, since, isProbing: true, nextAt },
    'away since 20:30:51 UTC, 12 failures in a row; one row is trying, the others wait',
  ],
  [
    { state: 'away', failuresInARow: 12, since, cause },
    `away since 20:30:51 UTC, 12 failures in a row; the next row tries. ${cause}`,
  ],
])('of %j says %s', (report, words) => {
  expect(serviceWords({ ...WELL, ...report })).toBe(words);
});
