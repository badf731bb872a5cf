/**
 * The one rule of salvage: a line that doesn't fit the header's width begins one unreadable row, up
 * to the next line that fits. If it has fewer cells, the record above may have been cut at a line
 * break and goes with it, unless an empty line is between.
 */
import { MAX_UNREADABLE_CHARS } from '../row.ts';
import { type CsvDialect, countNewlines } from './grammar.ts';
import type { CsvRecord } from './records.ts';

export type FittingRecord = Pick<CsvRecord, 'cells' | 'line' | 'text'>;

/** Another width than the header's, or no well-formed record begins on the line. */
export type Misfit = {
  readonly text: string;
  readonly line: number;
  readonly cells: number;
  readonly problem: string;
  readonly isAfterBlank: boolean;
  /** Its quotes are not in good order. */
  readonly isDamaged: boolean;
};

type Unreadable = { readonly text: string; readonly line: number; readonly problem: string };

/** Called in file order. */
export type Found = {
  record(record: FittingRecord): void;
  unreadable(unreadable: Unreadable): void;
};

type Salvage = {
  fits(record: FittingRecord): void;
  misfits(misfit: Misfit): void;
  end(): void;
};

export function createSalvage(dialect: CsvDialect, width: number, found: Found): Salvage {
  /** What a misfit below may still take: the last record, or all since a quote was left open. */
  const held: FittingRecord[] = [];
  let damage: Damage | null = null;
  const release = () => {
    if (damage !== null) found.unreadable(unreadableOf(damage));
    for (const record of held) found.record(record);
    damage = null;
    held.length = 0;
  };
  const begin = (misfit: Misfit) => {
    const before = misfit.cells < width ? held.pop() : undefined;
    release();
    damage = beginDamage(misfit, before, dialect, width);
  };
  return {
    fits(record) {
      const fate = damage?.isOpen === true ? fateBelow(damage, record, held.length, dialect) : 'outside';
      if (fate === 'outside') release();
      held.push(record);
      if (fate !== 'inside' || damage === null) return;
      // This record ends the open cell.
      addLines(damage, held.splice(0), dialect);
      damage.isOpen = false;
    },
    misfits(misfit) {
      if (misfit.isAfterBlank && damage?.isOpen !== true) release();
      if (damage === null) begin(misfit);
      else extendDamage(damage, held.splice(0), misfit, dialect, width);
    },
    end: release,
  };
}

/** A cell of more lines below an open quote would take too many good records with it. */
const MOST_HELD = 50;

type Damage = {
  readonly line: number;
  readonly problem: string;
  /** The record above that is taken with the line `by`. */
  readonly taken: { readonly line: number; readonly by: number } | null;
  /** Cells that a line needs to complete the damaged record; `null`: it is complete. */
  rest: number | null;
  text: string;
  lastLine: number;
  /** A quote was left open: records below may be lines of its cell. */
  isOpen: boolean;
};

/**
 * Whether a record below an open quote is a line of its cell. It is if the next quote stands on a
 * misfit. If that stands in a good record, a closing quote was missing: the damaged record ends
 * above, if it is complete by then.
 */
function fateBelow(
  { rest }: Damage,
  record: FittingRecord,
  above: number,
  { quote }: CsvDialect,
): 'inside' | 'outside' | 'open' {
  if (above >= MOST_HELD) return 'outside';
  if (!record.text.includes(quote)) return 'open';
  return rest === null ? 'outside' : 'inside';
}

function beginDamage(
  { text, line, cells, problem, isDamaged }: Misfit,
  before: FittingRecord | undefined,
  dialect: CsvDialect,
  width: number,
): Damage {
  return {
    line: before?.line ?? line,
    problem,
    taken: before === undefined ? null : { line: before.line, by: line },
    rest: restBelow(cells, width),
    text: bounded(before === undefined ? text : `${before.text}\n${text}`),
    lastLine: lastLineOf({ text, line }, dialect),
    isOpen: isDamaged && leavesOpen(text, false, dialect),
  };
}

function restBelow(cells: number, width: number): number | null {
  return cells < width ? width - cells + 1 : null;
}

function extendDamage(
  damage: Damage,
  inside: readonly FittingRecord[],
  misfit: Misfit,
  dialect: CsvDialect,
  width: number,
): void {
  const { text, cells, isDamaged } = misfit;
  if (!damage.isOpen) damage.rest = restBelow(cells, width);
  else if (cells === damage.rest) damage.rest = null;
  addLines(damage, [...inside, misfit], dialect);
  if (isDamaged) damage.isOpen = leavesOpen(text, damage.isOpen, dialect);
}

type Lines = Pick<Misfit, 'text' | 'line'>;

function addLines(damage: Damage, added: readonly Lines[], dialect: CsvDialect): void {
  for (const lines of added.slice(-1)) damage.lastLine = lastLineOf(lines, dialect);
  if (damage.text.length < MAX_UNREADABLE_CHARS)
    damage.text = bounded([damage.text, ...added.map(({ text }) => text)].join('\n'));
}

function bounded(text: string): string {
  return text.slice(0, MAX_UNREADABLE_CHARS);
}

function lastLineOf({ text, line }: Lines, { newline }: CsvDialect): number {
  return line + countNewlines(text, { from: 0, to: text.length }, newline);
}

/**
 * Whether a cell may go on below a damaged line. One more quote at a cell's end closes what was
 * open before. A quote at a cell's start opens a cell; a single one within may, unless it stands
 * for inches.
 */
function leavesOpen(line: string, isOpen: boolean, { quote, delimiter }: CsvDialect): boolean {
  const at = line.lastIndexOf(quote);
  if (at === -1) return isOpen;
  const before = line.slice(0, at).split(delimiter).at(-1)?.trimStart() ?? '';
  const [after = ''] = line.slice(at + 1).split(delimiter, 1);
  const isOdd = line.split(quote).length % 2 === 0;
  const isEnd = after.trim() === '';
  const isInch = /\d$/.test(before) && /^[^\p{L}\p{N}]/u.test(after);
  if (before === '') return true;
  return isOpen ? !(isOdd && isEnd) : isOdd && !isEnd && !isInch;
}

function unreadableOf({ text, line, problem, taken, lastLine }: Damage): Unreadable {
  const lines = lastLine === line ? '' : `lines ${line} to ${lastLine}: `;
  const advice =
    taken === null
      ? ''
      : `; line ${taken.by} may be the rest of the record of line ${taken.line}, so neither is read: put quotes around a cell of several lines or, if that record is whole, an empty line below it`;
  return { text, line, problem: `${lines}${problem}${advice}` };
}
