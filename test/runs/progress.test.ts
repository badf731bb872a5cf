import { describe, expect, test } from 'vitest';
import { passStep } from '../../src/lib/steps.ts';
import { showStatus } from '../../src/lib/terminal.ts';
import { noOutcomes, type OutcomeCounts } from '../../src/model/outcome.ts';
import { createProgress, outcomesOf, showSteps } from '../../src/runs/progress.ts';
import { MemoryStream, memoryIo } from '../faces/cli/memory-io.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';

const counts = (over: Partial<OutcomeCounts>) => ({ outcomes: { ...noOutcomes(), ...over } });

/** Progress on a run of 1,000 rows, without a terminal, on a clock that only the test moves. */
function lineProgress(first: Partial<OutcomeCounts> = {}) {
  const io = memoryIo();
  const clock = { ms: 0 };
  const progress = createProgress(io, sampleRun({ rows: 1000, ...counts(first) }), () => clock.ms);
  const lines = () => io.stderr.text.split('\n').slice(0, -1);
  const at = (ms: number, over: Partial<OutcomeCounts>, isServiceAway = false) => {
    clock.ms = ms;
    progress.update(sampleRun({ rows: 1000, ...counts(over) }), isServiceAway);
  };
  return { io, progress, lines, at };
}

describe('without a terminal', () => {
  test('a line comes every five seconds, whatever the number of looks', () => {
    const { at, lines } = lineProgress();
    for (let ms = 0; ms < 5000; ms += 200) at(ms, { created: 1 });
    expect(lines()).toEqual([]);
    at(5000, { created: 100 });
    at(5200, { created: 110 });
    at(9999, { created: 200 });
    at(10_000, { created: 300 });
    expect(lines()).toEqual([
      '100 of 1000 rows, 20/s, 45 s left: created 100',
      '300 of 1000 rows, 30/s, 24 s left: created 300',
    ]);
  });

  test('nothing goes to stdout, and the end says nothing more', () => {
    const { at, io, progress } = lineProgress();
    at(5000, { created: 1 });
    const before = io.stderr.text;
    progress.stop();
    expect([io.stdout.text, io.stderr.text]).toEqual(['', before]);
  });

  test('while rows wait for the service it says so, and names no time', () => {
    const { lines, at } = lineProgress();
    at(5000, { created: 100 }, true);
    expect(lines()).toEqual(['100 of 1000 rows, waiting for the service: created 100']);
  });

  test.each([
    [{ created: 1000 }, 5000, '0 s left'],
    [{ created: 990 }, 10_000, '1 s left'],
    [{ created: 10 }, 10_000, '16 min 30 s left'],
    [{ created: 1 }, 10_000, '2 h 46 min left'],
  ])('%j after %i ms: %s', (over, ms, left) => {
    const { at, lines } = lineProgress();
    at(ms, over);
    expect(lines()[0]).toContain(left);
  });
});

test('in a terminal there is a status line, which is gone at the end', () => {
  const stderr = new MemoryStream(true);
  const io = { ...memoryIo(), stderr };
  const progress = createProgress(io, sampleRun({ rows: 1000 }), () => 0);
  expect(stderr.text).toContain('0/1,000');
  progress.stop();
  expect(stderr.text.endsWith('\u001b[2K')).toBe(true);
});

test('the outcomes so far are those that there are, in the order of the contract', () => {
  expect(outcomesOf(counts({}))).toBe('no row done yet');
  expect(outcomesOf(counts({ 'in-doubt': 1, created: 90, rejected: 3 }))).toBe(
    'created 90, rejected 3, in-doubt 1',
  );
});

/** The pace of a run of 1,000 rows, looked at every second; answers what it says every five seconds. */
function looks(settled: readonly number[]): string[] {
  const { at, lines } = lineProgress();
  for (const [i, created] of settled.entries()) at((i + 1) * 1_000, { created });
  return lines().map((line) => /rows, (.*):/.exec(line)?.[1] ?? '');
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const steady = (first: number, perLook: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + perLook * (i + 1));

test('while rows go, it is their mean and the time left at that', () => {
  expect(looks(steady(0, 10, 5)).at(-1)).toBe('10/s, 1 min 35 s left');
});

test('where no row has come for half a minute, the run waits and no time is named', () => {
  const said = looks([...steady(0, 10, 5), ...times(60, 50)]);
  expect(said[4]).toMatch(/left$/);
  expect(new Set(said.slice(6))).toEqual(new Set(['waiting']));
});

test('half a minute after a standstill it is as if the standstill had not been', () => {
  const said = looks([...steady(0, 10, 5), ...times(600, 50), ...steady(50, 20, 31)]);
  expect(said.at(-1)).toBe('20/s, 18 s left');
});

/** A command at a terminal that takes a step of 100, on a clock that only the test moves. */
function stepping() {
  const stderr = new MemoryStream(true);
  const io = { ...memoryIo(), stderr };
  const clock = { ms: 0 };
  const end = showSteps(io, () => clock.ms);
  const at = (ms: number, done: number) => {
    clock.ms = ms;
    passStep({ doing: 'reading a.csv', done, all: 100 });
  };
  return { io, stderr, at, end };
}

const GONE = '\u001b[2K';

test('a step that takes more than a second has its bar in a terminal, which is gone at its end', () => {
  const { stderr, at, end } = stepping();
  at(0, 1);
  at(999, 40);
  expect(stderr.text).toBe('');
  at(1_000, 42);
  expect(stderr.text).toContain('████░░░░░░ 42%  reading a.csv');
  at(1_010, 43);
  expect(stderr.text).not.toContain('43%');
  at(1_300, 100);
  expect(stderr.text.endsWith(GONE)).toBe(true);
  at(2_000, 50);
  end();
  expect(stderr.text.endsWith(GONE)).toBe(true);
  at(3_000, 60);
  expect(stderr.text).not.toContain('60%');
});

test('the bar of a run stays, whatever is read meanwhile', () => {
  const { io, stderr, at, end } = stepping();
  showStatus(io, 'the run');
  at(0, 1);
  at(2_000, 50);
  end();
  expect(stderr.text).toBe('the run');
});

test('outside of a terminal no step is shown', () => {
  const io = memoryIo();
  const end = showSteps(io, () => 5_000);
  passStep({ doing: 'reading a.csv', done: 1, all: 2 });
  end();
  expect(io.stderr.text).toBe('');
});
