import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { confirm, countOf, shownTime } from '../../src/lib/terminal.ts';
import { MemoryStream, memoryIo } from '../cli/memory-io.ts';

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
])('%i of them read as %s', (n, words) => expect(countOf(n, 'row')).toBe(words));

test('a plural of its own is given', () => {
  expect([countOf(1, 'entry', 'entries'), countOf(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries']);
});

const AT = new Date('2026-07-01T21:05:09.500Z');

test.each([
  ['UTC', '2026-07-01 21:05 UTC'],
  ['Europe/London', '2026-07-01 22:05 Europe/London'],
  ['Asia/Tokyo', '2026-07-02 06:05 Asia/Tokyo'],
])('in %s a moment reads as %s', (timeZone, shown) => expect(shownTime(AT, timeZone)).toBe(shown));

test('to the second where that is asked for', () => {
  expect(shownTime(AT, 'UTC', { seconds: true })).toBe('2026-07-01 21:05:09 UTC');
});

describe('a question to the person at the terminal', () => {
  /** What comes of it; `typed`: null for an input that ends. */
  async function asked(typed: string | null, { isTTY = true, isInterrupted = false } = {}) {
    const stdin = Object.assign(new PassThrough(), { isTTY });
    const interruption = new AbortController();
    const io = { ...memoryIo({ interrupted: interruption.signal }), stderr: new MemoryStream(isTTY), stdin };
    const answer = confirm(io, 'Go on?');
    if (isInterrupted) interruption.abort();
    else if (typed === null) stdin.end();
    else stdin.write(typed);
    return [await answer, io.stderr.text.includes('Go on? [y/N] ')];
  }

  test.each([
    ['y\n', true],
    ['Yes\r', true],
    ['n\n', false],
    ['\n', false],
    ['yesterday\n', false],
    ['\u0003', false],
    ['\u0004', false],
    [null, false],
  ])('that is answered with %j is %s', async (typed, said) => {
    expect(await asked(typed)).toEqual([said, true]);
  });

  test('is a no where the process is told to end, and not asked where there is no terminal', async () => {
    expect(await asked('', { isInterrupted: true })).toEqual([false, true]);
    expect(await asked('y\n', { isTTY: false })).toEqual([null, false]);
  });
});
