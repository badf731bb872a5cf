import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  confirm,
  countOf,
  printable,
  sayContent,
  shellWord,
  shownTime,
  tellOverBar,
} from '../../src/lib/terminal.ts';
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

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
/** Text in which signs that act on a terminal, hide in it, or mean something to a shell are frequent; no NUL, which no name has. */
const awkward = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        ...'\u001b\u009b\u007f\r\n\t\u202e\u2066\u2028\u200b\ufeff\'"\\!$`*?~#&;|<>(){}[] -=07é€😀',
      ),
      fc.constant('\u{e0041}'),
      fc.string({ unit: 'grapheme', minLength: 1 }),
    ),
  })
  .filter((text) => !text.includes('\0'));

test('printable text has no sign that acts on a terminal or is not seen, and JSON stays the value it was', () => {
  fc.assert(
    fc.property(awkward, (text) => {
      const json = JSON.stringify({ [text]: text });
      expect(printable(json)).not.toMatch(UNSEEN);
      expect(JSON.parse(printable(json))).toEqual(JSON.parse(json));
      expect(printable(printable(text))).toBe(printable(text));
    }),
  );
});

test('what is printable stays as it is', () => {
  expect(printable('Ünïcødé 漢字 😀 "C:\\new" · …')).toBe('Ünïcødé 漢字 😀 "C:\\new" · …');
});

test('words of a shell have no such sign either, and a shell reads the same bytes back', () => {
  const words = fc.sample(awkward, 300);
  const typed = words.map(shellWord);
  expect(typed.filter((word) => UNSEEN.test(word))).toEqual([]);
  const read = execFileSync('bash', ['-c', `printf '%s\\0' ${typed.join(' ')}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});

test.each([
  ['plain-1.csv', 'plain-1.csv'],
  ["it's here.csv", "'it'\\''s here.csv'"],
  ["a\u001b[2J\n!'\\7.csv", "$'a\\033[2J\\012\\041\\047\\1347.csv'"],
])('the word %j is typed as %s', (text, typed) => expect(shellWord(text)).toBe(typed));

test('a line over the bar clears the bar itself, and nothing in the line does', () => {
  const io = { ...memoryIo(), stderr: new MemoryStream(true) };
  tellOverBar(io, 'a\r\u001b[Kb', 'c');
  expect(io.stderr.text).toBe('\r\u001b[Ka\\r\\u001b[Kb\nc\n');
});

test('the content of a file goes into a file or a pipe as it is, and onto a terminal as text', () => {
  const piped = memoryIo();
  sayContent(piped, 'a\u001b\n');
  const shown = { ...memoryIo(), stdout: new MemoryStream(true) };
  sayContent(shown, Buffer.from('a\u001b\n'));
  expect([piped.stdout.text, shown.stdout.text]).toEqual(['a\u001b\n', 'a\\u001b\n']);
});
