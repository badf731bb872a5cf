import { expect, test } from 'vitest';
import { createTeller, type EndedFile, sharedIo } from '../../src/inbox/watcher.ts';
import { memoryIo } from '../cli/memory-io.ts';

test('of each thing that waits its words are said once, and again only after it was over', () => {
  const io = memoryIo();
  const teller = createTeller(io, false);
  const lines = new Map([['a', 'a waits']]);
  for (const told of [lines, lines, new Map(), lines]) teller.waiting(told);
  expect(io.stderr.text).toBe('a waits\na waits\n');
});

test('no name of a file moves the cursor', () => {
  const io = memoryIo();
  createTeller(io, false).line('a\u001b[2J.csv: taken');
  expect(io.stderr.text).toBe('a\\u001b[2J.csv: taken\n');
});

test.each<[string, (teller: ReturnType<typeof createTeller>) => void]>([
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

test('what several runs say one after the other is said once', () => {
  const io = memoryIo();
  const shared = sharedIo(io);
  for (const text of ['away\n', 'away\n', 'back\n', 'back\n', 'away\n']) shared.stderr.write(text);
  expect(io.stderr.text).toBe('away\nback\naway\n');
});
