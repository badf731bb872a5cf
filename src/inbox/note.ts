import type { Written } from '../lib/file-stamp.ts';
import { wrap } from '../lib/wrap.ts';

/** What a note beside a file says; no cell values. */
export type Note = {
  /** What the note is about: a file's path. */
  readonly subject: string;
  /** The rest of that sentence: what became of it. */
  readonly headline: string;
  /** Names and their values, in order. */
  readonly facts: ReadonlyArray<readonly [string, string]>;
  /** Sentences: why, and what to do next. What begins with a space stands as it is: a command, or a path. */
  readonly lines: readonly string[];
};

const WIDTH = 80;

/** The text of a note: at most 80 columns, but for paths and commands, which are never broken. */
export function renderNote({ subject, headline, facts, lines }: Note): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const table = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const first = wrap([subject, ...headline.split(' ')], { width: WIDTH, indent: '' });
  return [first, '', ...table, ...(lines.length === 0 ? [] : ['', ...lines.map(wrapped)]), ''].join('\n');
}

function wrapped(line: string): string {
  return line.startsWith(' ') ? line : wrap(line.split(' '), { width: WIDTH, indent: '' });
}

/** The value of the note's line about it. */
export function writtenWords({ bytes, ms }: Written): string {
  return `${bytes} bytes, last written ${new Date(ms).toISOString()}`;
}

const WRITTEN = /(\d+) bytes, last written (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** What a note records of it; `null`: nothing. */
export function writtenIn(note: string): Written | null {
  const found = WRITTEN.exec(note);
  return found === null ? null : { bytes: Number(found[1]), ms: Date.parse(found[2] ?? '') };
}
