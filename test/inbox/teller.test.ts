import { expect, test } from 'vitest';
import type { Waiting, WaitReason } from '../../src/inbox/placed.ts';
import { createTeller, type EndedFile, type Teller } from '../../src/inbox/teller.ts';
import { leftWords, waitingLines } from '../../src/inbox/waiting.ts';
import { memoryIo } from '../cli/memory-io.ts';

function waiting(path: string, why: WaitReason, job: string | null = 'j'): Waiting {
  const name = Buffer.from(path);
  const entry = { parts: [], name, path, kind: 'file' as const, links: 1, stamp: '', changedMs: 0 };
  return { inbox: { folder: '/in', isMain: true, jobs: [] }, entry, job, why };
}

test('why files wait is said once per job and reason, and again only after it was over', () => {
  const io = memoryIo();
  const teller = createTeller(io, false);
  const next = new Map([['j', new Date('2026-11-21T22:00:00Z')]]);
  const lines = waitingLines([waiting('a', { kind: 'schedule' }), waiting('b', { kind: 'schedule' })], next);
  teller.waiting(lines);
  teller.waiting(lines);
  expect(io.stderr.text).toBe('a and 1 more wait for the schedule of job j, next 2026-11-21 22:00 UTC\n');
  teller.waiting(new Map());
  teller.waiting(lines);
  expect(io.stderr.text.split('\n')).toHaveLength(3);
});

test.each<[WaitReason, string]>([
  [{ kind: 'marker', marker: '.done' }, 'a waits for its marker file, of its own name and .done'],
  [
    { kind: 'after', job: 'first', because: 'x.csv waits in the inbox' },
    'a waits for job first: x.csv waits in the inbox',
  ],
  [{ kind: 'broken', jobs: ['j'] }, 'a waits until the definition of j is mended'],
  [{ kind: 'schedule' }, 'a waits for the schedule of job j, which no watcher has set yet'],
])('%j is said in words', (why, words) => {
  expect([...waitingLines([waiting('a', why)], new Map()).values()]).toEqual([words]);
});

test.each([{ kind: 'writing' }, { kind: 'unfinished' }] as const)(
  'a file that is $kind is no news',
  (why) => {
    expect(waitingLines([waiting('a', why)], new Map()).size).toBe(0);
  },
);

test('at the end all that was left is named, with why', () => {
  const left = [waiting('a.part', { kind: 'unfinished' }), waiting('b', { kind: 'marker', marker: '.done' })];
  expect(leftWords(left, new Map()).split('\n')).toEqual([
    'Left in the inbox:',
    '  a.part waits until it is renamed: its name says that it is not whole yet',
    '  b waits for its marker file, of its own name and .done',
  ]);
  expect(leftWords([], new Map())).toBe('');
});

test('no name of a file moves the cursor', () => {
  const io = memoryIo();
  createTeller(io, false).line('a\u001b[2J.csv: taken');
  expect(io.stderr.text).toBe('a·[2J.csv: taken\n');
});

test.each<[string, (teller: Teller) => void]>([
  ['a line', (teller) => teller.line('a.csv: taken')],
  ['trouble', (teller) => teller.trouble('the inbox is away')],
  ['a file that waits', (teller) => teller.waiting(new Map([['a', 'a waits']]))],
  ['the end of a file', (teller) => teller.ended(ENDED, 'a.csv: done')],
])('whether anything was said is known after %s', (_, speak) => {
  const teller = createTeller(memoryIo(), true);
  teller.waiting(new Map());
  expect(teller.hasTold()).toBe(false);
  speak(teller);
  expect(teller.hasTold()).toBe(true);
});

const ENDED: EndedFile = {
  file: 'a.csv',
  job: 'j',
  result: 'done',
  why: [],
  run: null,
  state: null,
  reason: null,
  rows: null,
  outcomes: null,
  exitCode: 0,
  moved: null,
  note: null,
  report: null,
};
