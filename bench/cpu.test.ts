import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseMachineTimes, parseProcessTimes, spentBetween, startMeter, type Times } from './cpu.ts';

describe('the times of a process', () => {
  test.each([
    ['42 (redis-server) S 1 42 42 0 -1 4194560 100 0 0 0 150 30 20 5 20 0 4 0 99', 1_800_000, 250_000],
    ['42 (a ) b) c) R 1 42 42 0 -1 4194304 100 0 0 0 7 0 0 0 20 0 1 0 99', 70_000, 0],
  ])('are read from %s', (stat, own, ended) => {
    expect(parseProcessTimes(stat)).toEqual({ own, ended });
  });
});

test('the machine is busy but where it idles or waits for a disk, and guests are counted once', () => {
  const stat = 'cpu  100 20 30 400 50 1 2 3 90 9\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
  expect(parseMachineTimes(stat)).toEqual({ busy: 1_560_000, all: 6_060_000 });
});

describe('what a span took', () => {
  const times = (busy: number, { bench = 0, started = 0, redis = 0 } = {}): Times => ({
    machine: { busy, all: 10 * busy },
    bench,
    started,
    parts: { redis },
  });

  test('of the machine is shared out between the bench, with all it started, and the others', () => {
    const before = times(100, { bench: 5, started: 50, redis: 10 });
    const after = times(1_100, { bench: 105, started: 650, redis: 210 });
    expect(spentBetween(before, after)).toEqual({
      micros: 600,
      partMicros: { redis: 200 },
      busy: 0.1,
      others: 0.03,
    });
  });

  test('never comes to less than nothing for the others', () => {
    expect(spentBetween(times(100), times(200, { started: 110 })).others).toBe(0);
  });

  test('is nothing where no time has passed', () => {
    expect(spentBetween(times(100), times(100))).toMatchObject({ busy: 0, others: 0 });
  });
});

test.runIf(existsSync('/proc/stat'))('a child that has ended is counted, with its own children', async () => {
  const spent = await startMeter();
  const burn = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);';
  const nested = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}])`;
  spawnSync(process.execPath, ['-e', nested]);
  expect((await spent())?.micros).toBeGreaterThan(200_000);
});
