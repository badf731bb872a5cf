/**
 * The one rule of salvage: a line that doesn't fit the header's width is an unreadable row of its
 * own. Two exceptions, so that no record is sent cut: a short line takes the record above it along,
 * whatever empty lines lie between, since that record's last cell may go on there; and what a
 * damaged line leaves open in quotes goes on to the closing quote.
 */
import { MAX_UNREADABLE_CHARS } from '../row.ts';
import { type CsvDialect, countNewlines } from './grammar.ts';
import type { CsvRecord } from './records.ts';

export type FittingRecord = Pick<CsvRecord, 'cells' | 'line' | 'text'>;

/** Another width than the header's, or no well-formed record begins on the line. */
type Misfit = {
  readonly text: string;
  readonly line: number;
  readonly cells: number;
  readonly problem: string;
  /** Its quotes are not in good order. */
  readonly isDamaged: boolean;
};

type Piece = FittingRecord | Misfit;

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
  /** A short line right below would take it along. */
  let above: FittingRecord | null = null;
  let open: OpenCell | null = null;

  const follow = (record: FittingRecord | null) => {
    if (above !== null) found.record(above);
    above = record;
  };
  const close = ({ unreadable, records }: Ending) => {
    open = null;
    for (const one of unreadable) found.unreadable(one);
    for (const record of records) follow(record);
  };
  const isInOpenCell = (piece: Piece) => {
    const ending = open?.below(piece);
    if (ending === undefined || ending === 'goes on') return ending !== undefined;
    close(ending);
    return ending.isTaken;
  };

  return {
    fits(record) {
      if (!isInOpenCell(record)) follow(record);
    },
    misfits(misfit) {
      if (isInOpenCell(misfit)) return;
      const taken = misfit.cells < width ? above : null;
      if (taken === null) follow(null);
      above = null;
      const damage = damageOf(misfit, taken, dialect);
      const leavesOpen = misfit.isDamaged && isOpenBelow(misfit.text, false, dialect);
      if (leavesOpen) open = openCell(damage, restBelow(misfit.cells, width), dialect);
      else found.unreadable(unreadableOf(damage));
    },
    end() {
      if (open !== null) close(open.end());
      follow(null);
    },
  };
}

type Damage = {
  readonly line: number;
  readonly lastLine: number;
  readonly problem: string;
  readonly text: string;
  /** The record above that is taken along with the line `by`. */
  readonly taken: { readonly line: number; readonly by: number } | null;
};

function damageOf(misfit: Misfit, taken: FittingRecord | null, dialect: CsvDialect): Damage {
  const { text, line, problem } = misfit;
  const lastLine = lastLineOf(misfit, dialect);
  if (taken === null) return { line, lastLine, problem, text, taken };
  const begun = { line: taken.line, lastLine: taken.line, problem, text: taken.text };
  return { ...joined(begun, [misfit], dialect), taken: { line: taken.line, by: line } };
}

type Lines = Pick<Damage, 'line' | 'lastLine' | 'problem' | 'text'>;

function joined<T extends Lines>(damage: T, below: readonly Piece[], dialect: CsvDialect): T {
  const text = [damage.text, ...below.map((piece) => piece.text)].join('\n');
  const last = below.at(-1);
  const lastLine = last === undefined ? damage.lastLine : lastLineOf(last, dialect);
  return { ...damage, lastLine, text: text.slice(0, MAX_UNREADABLE_CHARS + 1) };
}

function lastLineOf({ text, line }: Piece, { newline }: CsvDialect): number {
  return line + countNewlines(text, { from: 0, to: text.length }, newline);
}

function unreadableOf({ text, line, problem, taken, lastLine }: Damage): Unreadable {
  const lines = lastLine === line ? '' : `lines ${line} to ${lastLine}: `;
  const advice =
    taken === null
      ? ''
      : `; line ${taken.by} may be the rest of the record of line ${taken.line}, so neither is read: put quotes around a cell of several lines or, if that record is whole, complete line ${taken.by} or take it out`;
  return { text, line, problem: `${lines}${problem}${advice}` };
}

/** Below a quote that a damaged line left open. */
type OpenCell = { below(piece: Piece): Ending | 'goes on'; end(): Ending };

type Ending = {
  /** Whether the piece at which it ends is part of it. */
  readonly isTaken: boolean;
  readonly unreadable: readonly Unreadable[];
  /** Lines that turned out to be rows. */
  readonly records: readonly FittingRecord[];
};

/** A cell of more lines would take too many good records with it. */
const MOST_HELD = 50;

/**
 * `rest`: the cells that a line needs to complete the damaged record; `null`: it is complete. The
 * cell ends at the next closing quote. Where that never comes, each line down to the last that
 * doesn't fit is an unreadable row: it may have been inside.
 */
function openCell(begun: Damage, missing: number | null, dialect: CsvDialect): OpenCell {
  let damage = begun;
  let rest = missing;
  let held: Piece[] = [];

  const endWith = (piece: Piece): Ending => {
    const whole = joined(damage, [...held, piece], dialect);
    return { isTaken: true, unreadable: [unreadableOf(whole)], records: [] };
  };
  const giveUp = (): Ending => {
    const inside = held.slice(0, 1 + held.findLastIndex(isMisfit));
    const records = held.slice(inside.length).flatMap((piece) => (isMisfit(piece) ? [] : [piece]));
    const unreadable = inside.map((piece) => ({
      text: piece.text,
      line: piece.line,
      problem: isMisfit(piece) ? piece.problem : insideProblem(damage.line),
    }));
    return { isTaken: false, unreadable: [unreadableOf(damage), ...unreadable], records };
  };

  const complete = () => {
    damage = joined(damage, held, dialect);
    rest = null;
    held = [];
  };
  const endsAt = (piece: Piece) =>
    isMisfit(piece)
      ? piece.isDamaged && !isOpenBelow(piece.text, true, dialect)
      : piece.text.includes(dialect.quote);

  return {
    below(piece) {
      if (held.length >= MOST_HELD) return giveUp();
      if (endsAt(piece)) {
        // Of a record that is complete by then, a closing quote was missing above.
        const isBelow = rest === null && !isMisfit(piece);
        return isBelow ? giveUp() : endWith(piece);
      }
      held.push(piece);
      if (isMisfit(piece) && piece.cells === rest) complete();
      return 'goes on';
    },
    end: giveUp,
  };
}

function isMisfit(piece: Piece): piece is Misfit {
  return 'problem' in piece;
}

function restBelow(cells: number, width: number): number | null {
  return cells < width ? width - cells + 1 : null;
}

function insideProblem(line: number): string {
  return `below line ${line}, which leaves a quote open: this line may be inside; correct the quotes there`;
}

/**
 * Whether a cell may go on below a damaged line. One more quote at a cell's end closes what was
 * open before. A quote at a cell's start opens a cell; a single one within may, unless it stands
 * for inches.
 */
function isOpenBelow(line: string, wasOpen: boolean, { quote, delimiter }: CsvDialect): boolean {
  const at = line.lastIndexOf(quote);
  if (at === -1) return wasOpen;
  const before = line.slice(0, at).split(delimiter).at(-1)?.trimStart() ?? '';
  const [after = ''] = line.slice(at + 1).split(delimiter, 1);
  const isOdd = line.split(quote).length % 2 === 0;
  const isEnd = after.trim() === '';
  const isInch = /\d$/.test(before) && /^[^\p{L}\p{N}]/u.test(after);
  if (before === '') return true;
  return wasOpen ? !(isOdd && isEnd) : isOdd && !isEnd && !isInch;
}
