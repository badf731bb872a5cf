import { expect, test } from 'vitest';
import { createTeller, sharedIo } from '../../../src/runs/inbox/watcher.ts';
import { memoryIo } from '../../faces/cli/memory-io.ts';

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

test('what several runs say one after the other is said once', () => {
  const io = memoryIo();
  const shared = sharedIo(io);
  for (const text of ['away\n', 'away\n', 'back\n', 'back\n', 'away\n']) shared.stderr.write(text);
  expect(io.stderr.text).toBe('away\nback\naway\n');
});
