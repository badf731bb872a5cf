/**
 * What a person reads in a terminal. All text leaves the process through these functions, which let
 * no sign through that acts on a terminal or hides in it. On a terminal lines are folded at the
 * window's edge and coloured; into a file or a pipe they go as they are.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { clearLine, clearScreenDown, cursorTo } from 'node:readline';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { orElse } from './errors.ts';
import type { Times } from './times.ts';

/** Of a terminal; `columns`: the width of its window. */
type Window = { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
/** `failure`: why nothing can be written now. */
export type Screen = Writable & Window & { readonly failure?: Error | null };

export type Io = {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Where a person answers questions; without it nobody is asked. */
  readonly stdin?: Readable & { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command line as typed, to name the command that goes on. */
  readonly typed: string;
  /** How printed commands call the program; default `onboard`. */
  readonly command?: string;
  /** Fires at the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Ends the command with that error, wherever it stands: it would wait for ever. */
  readonly giveUp?: (why: Error) => void;
  readonly times?: Times;
};

/** Results for people. Line breaks within one are spelled out: no name makes a line. */
export function say(io: Io, ...lines: readonly string[]): void {
  write(io, io.stdout, inLines(lines, io, io.stdout));
}

/** What is going on, apart from the results. */
export function tell(io: Io, ...lines: readonly string[]): void {
  write(io, io.stderr, inLines(lines, io, io.stderr));
}

/** As `say`; on a terminal it replaces the window's content. */
export function sayAnew(io: Io, ...lines: readonly string[]): void {
  if (io.stdout.isTTY === true) {
    cursorTo(io.stdout, 0, 0);
    clearScreenDown(io.stdout);
  }
  say(io, ...lines);
}

/** Results for programs, JSON values or parts of one: the same on a terminal as in a pipe. */
export function sayJson(io: Io, ...lines: readonly string[]): void {
  write(io, io.stdout, lines.map((line) => `${printable(line)}\n`).join(''));
}

/** When all results so far are written, or why they can't be. A reader may take his time. */
export async function resultsWritten({ stdout }: Io): Promise<Error | null> {
  await new Promise<void>((resolve) => stdout.write('', () => resolve()));
  return stdout.failure ?? null;
}

/** Log lines for programs: the same on a terminal as in a pipe. */
export function tellJson(io: Io, text: string): void {
  write(io, io.stderr, printableLines(text));
}

const STATUS = new WeakMap<Writable, string>();

/** Stays below all output and replaces the one before; `null`: none any more. */
export function showStatus({ stderr }: Io, line: string | null): void {
  if (stderr.isTTY !== true || STATUS.get(stderr) === (line ?? undefined)) return;
  if (STATUS.has(stderr)) eraseLine(stderr);
  if (line === null) STATUS.delete(stderr);
  else STATUS.set(stderr, line);
  drawStatus(stderr);
}

export function statusShown({ stderr }: Pick<Io, 'stderr'>): string | null {
  return STATUS.get(stderr) ?? null;
}

function drawStatus(stderr: Screen): void {
  const line = STATUS.get(stderr);
  // A full line would make the terminal go on to the next one.
  if (line !== undefined) stderr.write(shorten(line, windowOf(stderr) - 1));
}

function eraseLine(screen: Screen): void {
  cursorTo(screen, 0);
  clearLine(screen, 0);
}

function write({ stderr }: Io, screen: Screen, text: string): void {
  const isBelow = STATUS.has(stderr) && (screen === stderr || screen.isTTY === true);
  if (isBelow) eraseLine(stderr);
  screen.write(text);
  if (isBelow) drawStatus(stderr);
}

const USUAL_COLUMNS = 80;
const LEAST_COLUMNS = 20;

export function windowOf(screen: Screen): number {
  // A window of unknown size has 0 columns.
  return Math.max(LEAST_COLUMNS, (screen.isTTY === true ? screen.columns : 0) || USUAL_COLUMNS);
}

/** By NO_COLOR and FORCE_COLOR, else where a terminal has colours. */
function hasColours({ env }: Pick<Io, 'env'>, screen: Screen): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return (refused ?? '') === '' && screen.isTTY === true && env.TERM !== 'dumb';
}

/** `null`: there is no terminal to ask at. An interruption is a no. */
export async function confirm(io: Io, question: string): Promise<boolean | null> {
  const { stdin, stderr, interrupted } = io;
  if (stdin?.isTTY !== true || stderr.isTTY !== true) return null;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    // Ctrl-C at the question, and Ctrl-D, which ends the input without an answer.
    const ended = new Promise<string>((resolve) => {
      lines.once('SIGINT', () => resolve(''));
      lines.once('close', () => resolve(''));
    });
    const shown = printableLines(`${question} [y/N]`)
      .split('\n')
      .map((line) => fold(line, windowOf(stderr)));
    const asked = lines.question(`${shown.join('\n')} `, { signal: interrupted }).catch(() => '');
    return /^y(es)?$/i.test((await Promise.race([asked, ended])).trim());
  } finally {
    lines.close();
  }
}

/** Signs at the beginning of result lines: for eyes, not for scripts. */
export function hasSigns(io: Pick<Io, 'env' | 'stdout'>): boolean {
  return io.stdout.isTTY === true || hasColours(io, io.stdout);
}

/** A file's content: byte for byte into a file or pipe, on a terminal as harmless text. */
export function sayContent(io: Io, content: string | Uint8Array): void {
  io.stdout.write(io.stdout.isTTY === true ? printableLines(Buffer.from(content).toString('utf8')) : content);
}

function inLines(lines: readonly string[], io: Io, screen: Screen): string {
  const width = screen.isTTY === true ? windowOf(screen) : Number.POSITIVE_INFINITY;
  const coloured = hasColours(io, screen) ? withColours : (line: string) => line;
  return lines.map((line) => `${coloured(fold(asCalled(printable(line), io), width))}\n`).join('');
}

/** With its commands called as this program was; those that are stay as they are. */
export function asCalled(text: string, { command = 'onboard' }: Pick<Io, 'command'>): string {
  return text.includes(`${command} `) ? text : text.replaceAll(CALLS, () => `${command} `);
}

const CALLS =
  /(?<=^|[\s`'"(])onboard (?=(?:run|runs|adopt|preview|check|start|watch|work|status|report|account|reply|write-off|release|rerun|resolve|approve|pause|resume|cancel|template|map|doctor|sandbox|web|try|audit|purge|rekey|schema|completion|completion-server)(?:[\s`'",.;:)]|$))/g;

const COLOURS = [
  [/^ *✓(?= )/, 'green'],
  [/^ *(✗|onboard:)(?= )/, 'red'],
  [/^ *([?!]|warning:)(?= )/, 'yellow'],
] as const;

function withColours(text: string): string {
  const found = COLOURS.find(([beginning]) => beginning.test(text));
  if (found === undefined) return text;
  const [beginning, colour] = found;
  // hasColours has decided already.
  return text.replace(beginning, (word) => styleText(colour, word, { validateStream: false }));
}

const HANGING = 2;
const MOST_HANGING = 16;
/** Stays on one line: a word, or a command, which is copied. */
const UNITS = / *(`[^`]*`\S*|(?:\S+=\S+ |npx )*onboard [a-z]+(?: .*)?$|chmod .*$|[^ ]+)/g;

/** Longer words and commands stay whole. */
function fold(line: string, width: number): string {
  if (lengthOf(line) <= width) return line;
  // Below the text after a label, or a little to the right of the line's beginning.
  const label = /^ *\S+ {2,}/.exec(line)?.[0].length;
  const indent = line.length - line.trimStart().length + HANGING;
  const hanging = ' '.repeat(Math.min(MOST_HANGING, label ?? indent));
  const lines: string[] = [];
  let last = '';
  for (const [unit] of line.matchAll(UNITS)) {
    if (last.trim() !== '' && lengthOf(last + unit) > width) {
      lines.push(last);
      last = hanging + unit.trimStart();
    } else last += unit;
  }
  return [...lines, last].join('\n');
}

/** For texts in which every line break is the program's own. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/**
 * C0, C1, DEL, signs that turn text or are invisible, line separators, and halves of characters:
 * all that acts on a terminal or makes one name look like another.
 */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}`;
const EACH_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

/** Such signs are spelled as in JSON, so that JSON stays valid. */
export function printable(text: string): string {
  return text.replaceAll(EACH_UNSEEN, spelled);
}

const SHORT = new Map([
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
]);

function spelled(sign: string): string {
  const unit = (at: number) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return SHORT.get(sign) ?? [...sign.split('').keys()].map(unit).join('');
}

/** At most `width` characters of printable text, the last of them `…` where it was cut. */
export function shorten(text: string, width: number): string {
  // A character has at most two units, and spelled-out line ends only make the text longer.
  const characters = [...printable(text.slice(0, 2 * width + 2))];
  if (characters.length <= width) return characters.join('');
  // Not within a word, but for one that is longer than the half.
  const end = characters.lastIndexOf(' ', width - 1);
  return `${characters.slice(0, end > width / 2 ? end : width - 1).join('')}…`;
}

const GAP = '  ';
const MAX_CELL = 24;

/** At most `width` characters a line; a last line counts the columns that don't fit. */
export function renderTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): string[] {
  const table = [head, ...body].map((cells) =>
    cells.map((cell) => shorten(cell, width === Infinity ? width : MAX_CELL)),
  );
  const widths = fitting(
    head.map((_, column) => widest(table, column)),
    width,
  );
  const lines = table.map((cells) =>
    widths
      .map((w, column) => pad(cells[column] ?? '', w))
      .join(GAP)
      .trimEnd(),
  );
  const hidden = head.length - widths.length;
  return hidden === 0 ? lines : [...lines, `and ${hidden} more ${hidden === 1 ? 'column' : 'columns'}`];
}

function widest(table: readonly (readonly string[])[], column: number): number {
  return table.reduce((most, cells) => Math.max(most, lengthOf(cells[column] ?? '')), 0);
}

function fitting(widths: readonly number[], width: number): readonly number[] {
  let used = -GAP.length;
  const last = widths.findIndex((w) => {
    used += w + GAP.length;
    return used > width;
  });
  return last === -1 ? widths : widths.slice(0, Math.max(1, last));
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - lengthOf(cell));
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** All lines but the first are indented; a longer word has a line of its own. */
export function wrap(
  words: readonly string[],
  { width, indent }: { readonly width: number; readonly indent: string },
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = width - (lines.length === 0 ? 0 : indent.length);
    if (line === '' || longer.length <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((text, i) => (i === 0 ? text : indent + text));
}

/** `1 row`, `2 rows`; `many`: a plural that isn't made by an `s`. */
export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${numberShown(n)} ${n === 1 ? one : many}`;
}

export function numberShown(n: number): string {
  return n.toLocaleString('en-GB');
}

export function numberColumn(numbers: readonly number[]): string[] {
  const shown = numbers.map(numberShown);
  const width = Math.max(0, ...shown.map((text) => text.length));
  return shown.map((text) => text.padStart(width));
}

/** `2026-11-21 22:00 Europe/London`; with `seconds` to the second. */
export function shownTime(at: Date, timeZone: string, { seconds = false } = {}): string {
  // Sweden writes dates as in ISO 8601.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: seconds ? 'medium' : 'short',
  });
  return `${clock.format(at)} ${timeZone}`;
}

/** `45 s`, `1 min 30 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A word that holds in every folder: a file by its whole path. */
export function anywhere(word: string): string {
  return orElse(word, () => (statSync(word).isFile() ? resolve(word) : word));
}

/**
 * One word of a shell: in single quotes where a shell would split or expand it; invisible signs as
 * octal bytes in `$'…'`, as bash, zsh, ksh and POSIX (2024) read them.
 */
export function shellWord(text: string): string {
  if (SOME_UNSEEN.test(text)) return `$'${text.replaceAll(FOR_OCTAL, octal)}'`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const SOME_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
/** Also what ends or changes such a word, and `!`, which an interactive shell replaces. */
const FOR_OCTAL = new RegExp(String.raw`[${UNSEEN}'\\!]`, 'gu');

function octal(sign: string): string {
  return [...Buffer.from(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
