/**
 * What a person reads in a terminal: the two streams, text that can't move the cursor, tables and paragraphs of a width,
 * counts, moments, and words that a shell takes as they stand.
 */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { Times } from './times.ts';

/** What a command may touch of the process it runs in. */
export type Io = {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined };
  /** Where a person answers questions; without it nobody is asked. */
  readonly stdin?: Readable & { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command line as the user typed it, to name the command that goes on. */
  readonly typed: string;
  /** Fires at the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Default: the shipped ones. */
  readonly times?: Times;
};

/** A line of results, for people or programs. */
export function say(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

/** A line about what is going on, apart from the results. */
export function tell(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** Whether a person at the terminal says yes; `null`: there is no terminal to ask at. An interruption is a no. */
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
    const asked = lines.question(`${question} [y/N] `, { signal: interrupted }).catch(() => '');
    return /^y(es)?$/i.test((await Promise.race([asked, ended])).trim());
  } finally {
    lines.close();
  }
}

const CLEAR_LINE = '\r\u001b[K';

/** A line in the place of a progress bar, where there is one; the bar draws itself again below. */
export function tellOverBar(io: Io, text: string): void {
  tell(io, io.stderr.isTTY === true ? CLEAR_LINE + text : text);
}

/** Text that can't move a terminal's cursor: line ends and tabs spelled out, other control characters as a dot. */
export function printable(text: string): string {
  return text
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '·');
}

/** At most `width` characters of printable text, the last of them `…` where some were left out. */
export function shorten(text: string, width: number): string {
  // A character has at most two units, and spelled-out line ends only make the text longer.
  const characters = [...printable(text.slice(0, 2 * width + 2))];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

const GAP = '  ';
const MAX_CELL = 24;

/** Aligned columns in lines of at most `width` characters; columns that don't fit are counted in a last line. */
export function renderTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): string[] {
  const table = [head, ...body].map((cells) => cells.map((cell) => shorten(cell, MAX_CELL)));
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

/** The first widths that fit side by side, one at least. */
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

/** Words as lines of at most `width` columns, all but the first indented; a longer word stays whole on a line of its own. */
export function wrap(
  words: readonly string[],
  { width, indent }: { readonly width: number; readonly indent: string },
): string {
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
  return [...lines, line].join(`\n${indent}`);
}

/** A number with what it counts, for people: `1 row`, `2 rows`; a plural that isn't made by an `s` is given. */
export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** A moment for people, by the wall clock of a time zone: `2026-11-21 22:00 Europe/London`; with `seconds` to the second. */
export function shownTime(at: Date, timeZone: string, { seconds = false } = {}): string {
  // Sweden writes dates as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: seconds ? 'medium' : 'short',
  });
  return `${clock.format(at)} ${timeZone}`;
}

/** The text as one word of a shell: in single quotes where a shell would split or expand it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
