import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anywhere,
  confirm,
  countOf,
  printable,
  renderTable,
  say,
  sayContent,
  sayJson,
  shellWord,
  shownTime,
  showStatus,
  tell,
  tellJson,
} from '../../src/lib/terminal.ts';
import { MemoryStream, memoryIo } from '../faces/cli/memory-io.ts';

test('a plural of its own is given', () => {
  expect([countOf(1, 'entry', 'entries'), countOf(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries']);
});

const AT = new Date('2026-07-01T21:05:09.500Z');

test.each([
  ['UTC', '2026-07-01 21:05 UTC'],
  ['Europe/London', '2026-07-01 22:05 Europe/London'],
  ['Asia/Tokyo', '2026-07-02 06:05 Asia/Tokyo'],
])('in %s a moment reads as %s', (timeZone, shown) => expect(shownTime(AT, timeZone)).toBe(shown));

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

test('words of a shell have no such sign either, and a shell reads the same bytes back', () => {
  const words = fc.sample(awkward, 300);
  const typed = words.map(shellWord);
  expect(typed.filter((word) => UNSEEN.test(word))).toEqual([]);
  const read = execFileSync('bash', ['-c', `printf '%s\\0' ${typed.join(' ')}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});

/** A terminal of that many columns. */
const terminal = (columns: number, env: Readonly<Record<string, string>> = {}) => {
  const screen = () => Object.assign(new MemoryStream(true), { columns });
  return { ...memoryIo({ env }), stdout: screen(), stderr: screen() };
};

/** What the window shows in the end of what was written: its lines, without trailing spaces. */
function windowShows(text: string): string[] {
  const ERASE = '\u001b[2K';
  return text.split('\n').map((line) => line.slice(line.lastIndexOf(ERASE) + 1).replace('[2K', ''));
}

test('what is written while there is a status line stands whole above it, and the line is drawn again', () => {
  const io = terminal(20);
  showStatus(io, '42% of the rows, and more than there is room for');
  tell(io, 'the service is away for a while');
  say({ ...io, stdout: io.stderr }, 'a result');
  expect(windowShows(io.stderr.text)).toEqual([
    'the service is away',
    '  for a while',
    'a result',
    '42% of the rows,…',
  ]);
  showStatus(io, null);
  tell(io, 'the end');
  expect(windowShows(io.stderr.text).slice(2)).toEqual(['a result', 'the end', '']);
});

test('without a terminal there is no status line, and a line is neither folded nor coloured', () => {
  const io = memoryIo();
  showStatus(io, '42%');
  tell(io, `warning: ${'long '.repeat(40)}`);
  expect(io.stderr.text).toBe(`warning: ${'long '.repeat(40)}\n`);
});

test.each([
  [{}, true, true],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ TERM: 'dumb' }, true, false],
  [{}, false, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
])('with %j, on a terminal %s: colours %s', (env, isTTY, coloured) => {
  const io = { ...memoryIo({ env }), stdout: new MemoryStream(isTTY) };
  say(io, '✓ all is well', '  ✗ not so', 'plain ✗');
  expect(io.stdout.text).toBe(
    coloured
      ? '\u001b[32m✓\u001b[39m all is well\n\u001b[31m  ✗\u001b[39m not so\nplain ✗\n'
      : '✓ all is well\n  ✗ not so\nplain ✗\n',
  );
});

test('commands are printed as the program was called, and nothing else is changed', () => {
  const io = { ...memoryIo(), command: 'ONBOARD_HOME=/o npx onboard' };
  tell(io, 'To go on: onboard resume x, or `onboard web --add`; onboard: an error, by onboard-2 runs.');
  expect(io.stderr.text).toBe(
    'To go on: ONBOARD_HOME=/o npx onboard resume x, or `ONBOARD_HOME=/o npx onboard web --add`; onboard: an error, by onboard-2 runs.\n',
  );
  sayJson(io, '{"advice":"onboard resume x"}');
  expect(io.stdout.text).toBe('{"advice":"onboard resume x"}\n');
});

test('a word that names a file holds in every folder, any other stays', () => {
  expect(['package.json', 'src', 'resume', 'a\0b', 'x'.repeat(5000)].map(anywhere)).toEqual([
    resolve('package.json'),
    'src',
    'resume',
    'a\0b',
    'x'.repeat(5000),
  ]);
});

test('lines for programs are the same on a terminal, however long', () => {
  const io = terminal(20);
  sayJson(io, '{"text":"a long one, ✓ and all","n":1}');
  tellJson(io, '{"level":50}\n');
  expect([io.stdout.text, io.stderr.text]).toEqual([
    '{"text":"a long one, ✓ and all","n":1}\n',
    '{"level":50}\n',
  ]);
});

/** A line as it stands in a window of that width. */
function folded(line: string, width: number): string {
  const io = terminal(width);
  say(io, line);
  return io.stdout.text.slice(0, -1);
}

test.each([
  ['short enough', 'short enough'],
  ['a line that is much too long', 'a line that is much\n  too long'],
  [
    '  note      a line that is much too long',
    '  note      a line\n            that is\n            much too\n            long',
  ],
  ['   → say what it is, then', '   → say what it is,\n     then'],
  ['To go on: onboard resume 20261121-034512-k3f9', 'To go on:\n  onboard resume 20261121-034512-k3f9'],
  ['see `onboard runs --limit 5` for a list', 'see\n  `onboard runs --limit 5`\n  for a list'],
])('%j is folded at 20 columns with its commands whole', (line, expected) => {
  expect(folded(line, 20)).toBe(expected);
});

test('folded text is the text, whatever it is', () => {
  const bare = (text: string) => text.replaceAll(/\s/g, '');
  fc.assert(
    fc.property(fc.lorem({ maxCount: 30 }), fc.integer({ min: 20, max: 120 }), (text, width) => {
      expect(bare(folded(text, width))).toBe(bare(text));
      for (const line of folded(text, width).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    }),
  );
});

test('a table fits its window, and what does not fit is counted', () => {
  const body = [
    ['a', '    5', 'x'],
    ['b', '1,000', 'y'],
  ];
  expect(renderTable(['key', 'rows', 'a long heading'], body, 15)).toEqual([
    'key  rows',
    'a        5',
    'b    1,000',
    'and 1 more column',
  ]);
});

test('the content of a file goes into a file or a pipe as it is, and onto a terminal as text', () => {
  const piped = memoryIo();
  sayContent(piped, 'a\u001b\n');
  const shown = { ...memoryIo(), stdout: new MemoryStream(true) };
  sayContent(shown, Buffer.from('a\u001b\n'));
  expect([piped.stdout.text, shown.stdout.text]).toEqual(['a\u001b\n', 'a\\u001b\n']);
});
