import { endOfDamage } from './csv-damage.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { afterNewline } from './csv-dialect.ts';
import type { Stray } from './csv-record.ts';
import { cutRecord } from './csv-record.ts';
import { MAX_RECORD_CHARS } from './limits.ts';
import { TOO_LONG } from './unreadable-row.ts';

/** How the file is written and how many cells a record has (0: not known yet). */
export type CsvShape = { readonly dialect: CsvDialect; readonly columns: number };

/** What to do with the record at the front of a text. */
export type CsvStep =
  | { readonly kind: 'record'; readonly next: number }
  /**
   * `ended`: the record ends before `next`; else its line end is to be looked for from there.
   * `doubtful`: the lines from `next` up to that index may be parts of it or records of their own.
   */
  | {
      readonly kind: 'bad';
      readonly next: number;
      readonly ended: boolean;
      readonly problem: string;
      readonly doubtful: number;
    }
  /** A comment begins here. */
  | { readonly kind: 'comment' }
  /** The quote at `quote` isn't closed: before the end of the file, or within the longest record. */
  | { readonly kind: 'unclosed'; readonly quote: number }
  /** More text is needed to tell. */
  | { readonly kind: 'wait' };

const STRAY_QUOTE =
  'a quote in the middle of a cell: expected quotes only around a whole cell, and doubled inside it';

/** How far beyond a stray quote its record's end is looked for, so that the answer doesn't hang on block sizes. */
const LOOKAHEAD_CHARS = 64 * 1024;

/** Judges the record that starts at `start`; the answer is the same however the file was cut into blocks. */
export function stepAt(text: string, start: number, final: boolean, { dialect, columns }: CsvShape): CsvStep {
  if (text.charAt(start) === dialect.comment) return { kind: 'comment' };
  const end = Math.min(text.length, start + MAX_RECORD_CHARS);
  const cut = cutRecord({ text, end, final: final && end === text.length }, start, dialect);
  const tooLong = end < text.length;
  switch (cut.kind) {
    case 'record':
      return { kind: 'record', next: cut.next };
    case 'open':
      return tooLong || final ? { kind: 'unclosed', quote: cut.quote } : { kind: 'wait' };
    case 'part':
      return tooLong ? unended(end, TOO_LONG) : { kind: 'wait' };
    case 'stray':
      return stepOverDamage(text, cut, final, { dialect, columns });
    default:
      return cut satisfies never;
  }
}

function stepOverDamage(text: string, stray: Stray, final: boolean, { dialect, columns }: CsvShape): CsvStep {
  const end = Math.min(text.length, stray.at + LOOKAHEAD_CHARS);
  if (end === text.length && !final) return { kind: 'wait' };
  const view = { text, end, final: final && end === text.length };
  const { at, doubtful } = endOfDamage({ view, dialect, columns }, stray);
  const problem = `${STRAY_QUOTE} (cell ${stray.cells + 1})`;
  if (at === null) return unended(end, problem);
  const next = afterNewline(text, at);
  return { kind: 'bad', next, ended: true, problem, doubtful: Math.max(next, doubtful) };
}

function unended(next: number, problem: string): CsvStep {
  return { kind: 'bad', next, ended: false, problem, doubtful: next };
}
