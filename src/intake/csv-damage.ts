import type { CsvDialect } from './csv-dialect.ts';
import { endOfDoubt } from './csv-doubt.ts';
import { lenientEnd } from './csv-lenient.ts';
import type { RecordGround } from './csv-lines.ts';
import { isRecordAt, newlineOrEnd, startOfLine } from './csv-lines.ts';
import type { Stray, TextView } from './csv-record.ts';
import { cellEndAt } from './csv-record.ts';
import { endOfUnclosed, isWholeLine } from './csv-unclosed.ts';

/** How far the damage of a stray quote reaches. */
export type Damage = {
  /** Index of the line end of the damaged record, or of the end of the file; `null` where the stretch ends first. */
  readonly at: number | null;
  /** Index of the end of the last line that may belong to the record as well; 0 where there is none. */
  readonly doubtful: number;
};

/**
 * Where a record with a stray quote ends. As a rule that is the line on which the damaged cell starts, so that the
 * records after it aren't swallowed. Its own further lines belong to it too, or they could come out as records:
 * - those of a later quoted cell, where that cell is closed properly;
 * - those of a damaged cell of several lines, where its quotes are unescaped (the line of the stray quote is no record
 *   by itself; if it is, the closing quote is missing) and the cells come out at `columns` that way.
 * Where nothing tells the two apart, the lines up to the one that closes the quotes are doubtful.
 */
export function endOfDamage(ground: RecordGround, stray: Stray): Damage {
  const lineEnd = newlineOrEnd(ground, stray.cellStart);
  return lineEnd === null || stray.at < lineEnd
    ? damageInOneLine(ground, stray, lineEnd)
    : damageOverLines(ground, stray, lineEnd);
}

function damageInOneLine(ground: RecordGround, stray: Stray, lineEnd: number | null): Damage {
  const at = lenientEnd(ground.view, stray.at + 1, ground.dialect)?.at ?? lineEnd;
  // Its end may be the CR before that line end.
  if (at === null || lineEnd === null || at > lineEnd || !mayOpen(ground, stray)) return { at, doubtful: 0 };
  return { at, doubtful: endOfDoubt(ground, stray, lineEnd) ?? 0 };
}

/**
 * Whether the damaged cell may have been meant as a quoted one. Not where its quote ends it, nor where it stands
 * for inches or seconds: behind a digit and before no letter or digit.
 */
function mayOpen({ view, dialect }: RecordGround, { cellStart, at }: Stray): boolean {
  const before = view.text.slice(cellStart, at).trimStart();
  if (before === '' || before.startsWith(dialect.quote)) return true;
  if (cellEndAt(view, at + 1, dialect) !== null) return false;
  return !/\d$/.test(before) || /[\p{L}\p{N}]/u.test(view.text.charAt(at + 1));
}

function damageOverLines(ground: RecordGround, stray: Stray, lineEnd: number): Damage {
  const { view, dialect, columns } = ground;
  const strayLine = startOfLine(ground, stray.at);
  if (isRecordAt(ground, strayLine)) {
    return { at: lineEnd, doubtful: endOfUnclosed(ground, stray, { lineEnd, until: strayLine }) ?? 0 };
  }
  const close = nextClosing(view, stray.at, dialect);
  const ending = close === null ? null : lenientEnd(view, close + 1, dialect);
  if (ending !== null && stray.cells + ending.cells === columns) return { at: ending.at, doubtful: 0 };
  if (isWholeLine(ground, stray)) return { at: lineEnd, doubtful: 0 };
  const strayEnd = newlineOrEnd(ground, stray.at) ?? view.end;
  return { at: lineEnd, doubtful: endOfDoubt(ground, stray, strayEnd) ?? strayEnd };
}

/** The next quote that a cell end follows. */
function nextClosing(view: TextView, from: number, dialect: CsvDialect): number | null {
  let at = view.text.indexOf(dialect.quote, from + 1);
  while (at !== -1 && at < view.end) {
    if (cellEndAt(view, at + 1, dialect) !== null) return at;
    at = view.text.indexOf(dialect.quote, at + 1);
  }
  return null;
}
