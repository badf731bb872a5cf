import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/lib/log.ts';

/** A log into memory, on a clock that only the test moves. */
function memoryLog(level = 'debug') {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const log = createLog(level, { write: (line: string) => void lines.push(line) }, () => clock.ms);
  const entries = (): Array<Record<string, unknown>> => lines.map((line) => JSON.parse(line));
  return { log, lines, entries, clock };
}

test('a line is one JSON object with the level, the time, the event and its fields', () => {
  const { log, entries, lines } = memoryLog();
  log.warn('run paused', { run: 'r1', rows: 3, mine: true, reason: null });
  expect(entries()).toEqual([
    {
      level: 40,
      time: expect.any(Number),
      pid: process.pid,
      msg: 'run paused',
      run: 'r1',
      rows: 3,
      mine: true,
      reason: null,
    },
  ]);
  expect(lines[0]?.endsWith('\n')).toBe(true);
});

describe('secrets', () => {
  test.each(['authorization', 'token', 'password', 'body', 'cells', 'text', 'value'])(
    'a field named %s is blacked out',
    (name) => {
      const { log, lines } = memoryLog();
      log.error('something', { [name]: 's3cret' });
      expect(lines.join()).not.toContain('s3cret');
      expect(lines.join()).toContain('something');
    },
  );

  test('objects, errors and lists are no fields: the compiler refuses them', () => {
    const { log, entries } = memoryLog();
    // @ts-expect-error a request would carry its token with it
    log.info('nested', { request: { headers: { authorization: 'x' } } });
    // @ts-expect-error an error's message or cause may quote a row
    log.info('error', { error: new Error('x') });
    // @ts-expect-error cells are personal data
    log.info('list', { row: ['x'] });
    expect(entries()).toHaveLength(3);
  });
});

describe('a problem that repeats', () => {
  test('is told again after 1, 2, 4 minutes and so on, with how often it came since', () => {
    const { log, entries, clock } = memoryLog();
    for (clock.ms = 0; clock.ms <= 7 * 60_000; clock.ms += 500)
      log.warn('redis connection', { problem: 'connect ECONNREFUSED' });
    expect(entries().map((e) => e.repeated)).toEqual([undefined, 119, 239, 479]);
  });

  test('is told each hour at last, and as at first when it comes back', () => {
    const { log, lines, clock } = memoryLog();
    const minutes: number[] = [];
    const lasts = (from: number, to: number) => {
      for (clock.ms = from * 60_000; clock.ms <= to * 60_000; clock.ms += 5_000) {
        const before = lines.length;
        log.warn('the embedded Redis is gone', { problem: 'ENOSPC: no space left on device, write' });
        if (lines.length > before) minutes.push(clock.ms / 60_000);
      }
    };
    lasts(0, 200);
    lasts(300, 302);
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 300, 301]);
  });

  test('is the same where it differs in numbers alone', () => {
    const { log, entries, clock } = memoryLog();
    for (clock.ms = 0; clock.ms < 60_000; clock.ms += 500)
      log.warn('worker', { problem: `could not renew lock for job r-c${clock.ms}` });
    expect(entries()).toHaveLength(1);
  });

  test('is another one after ten seconds without it', () => {
    const { log, entries, clock } = memoryLog();
    for (clock.ms of [0, 9000, 19_000]) log.warn('run paused', { run: 'r1' });
    expect(entries().map((e) => e.repeated)).toEqual([undefined, 1]);
  });

  test('is not the same on another level', () => {
    const { log, entries } = memoryLog();
    log.warn('page', { problem: 'gone' });
    log.error('page', { problem: 'gone' });
    expect(entries().map((e) => e.level)).toEqual([40, 50]);
  });

  test('is remembered beside as many of other events as come', () => {
    const { log, entries, clock } = memoryLog();
    log.warn('worker', { n: 0 });
    for (; clock.ms <= 8000; clock.ms += 100) log.warn('schedules', { n: clock.ms });
    log.warn('worker', { n: 0 });
    expect(entries().filter((e) => e.msg === 'worker')).toHaveLength(1);
  });
});

test('different problems of one event are at most one line a second, with the number of the others', () => {
  const { log, entries, clock } = memoryLog();
  for (let line = 1; line <= 1000; line += 1) log.warn('a damaged line is passed over', { line });
  log.warn('worker', { problem: 'gone' });
  clock.ms = 1000;
  log.warn('a damaged line is passed over', { line: 1001 });
  expect(entries().map(({ msg, line, others }) => [msg, line, others])).toEqual([
    ['a damaged line is passed over', 1, undefined],
    ['worker', undefined, undefined],
    ['a damaged line is passed over', 1001, 999],
  ]);
});

test('what somebody does is a line each time', () => {
  const { log, entries } = memoryLog();
  for (const _ of [1, 2]) log.info('a row was looked at', { run: 'r1', row: 7, by: 'jo' });
  expect(entries()).toHaveLength(2);
});

test('below the level there is no line', () => {
  const { log, entries } = memoryLog('error');
  log.warn('worker', { n: 0 });
  log.info('worker', { n: 0 });
  expect(entries()).toEqual([]);
});
