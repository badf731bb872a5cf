import { afterNewline } from './csv-dialect.ts';
import { lenientEnd } from './csv-lenient.ts';
import type { RecordGround } from './csv-lines.ts';
import { isRecordAt, newlineOrEnd } from './csv-lines.ts';
import type { Stray } from './csv-record.ts';
import { cutRecord } from './csv-record.ts';

/** A record whose end isn't found within so many lines is taken to have one line: it would swallow too many good ones. */
const MOST_LINES = 50;

/** From the end of a damaged record's first line to the start of the next good record. */
type Between = { readonly lineEnd: number; readonly until: number };

/**
 * Where a record ends whose closing quote is missing while a good record starts at `until`: on its first line where its
 * cells are complete there (`null`), else on the first line that completes them, else with the record at `until`.
 */
export function endOfUnclosed(ground: RecordGround, stray: Stray, between: Between): number | null {
  if (isWholeLine(ground, stray)) return null;
  return stray.cells + 1 === ground.columns
    ? endOfTornLines(ground, between)
    : endOfCells(ground, stray, between);
}

/** Whether the first line of a damaged cell has the rest of the record's cells, so that the cell isn't the last one. */
export function isWholeLine({ view, dialect, columns }: RecordGround, stray: Stray): boolean {
  const wanted = columns - stray.cells;
  // More where separators stand in the cell that isn't closed.
  return wanted > 1 && (lenientEnd(view, stray.cellStart + 1, dialect)?.cells ?? 0) >= wanted;
}

function endOfCells(ground: RecordGround, stray: Stray, { lineEnd, until }: Between): number | null {
  const { view, dialect, columns } = ground;
  let line = afterNewline(view.text, lineEnd);
  for (let n = 0; line < until && n < MOST_LINES; n += 1) {
    const cut = cutRecord(view, line, dialect);
    if (cut.kind === 'record' && cut.cells === columns - stray.cells) return cut.end;
    line = afterNewline(view.text, newlineOrEnd(ground, line) ?? until);
  }
  const last = cutRecord(view, until, dialect);
  return line < until || last.kind !== 'record' ? null : last.end;
}

/** The last cell has no separators behind it to count: its lines go on to the last one that is no record. */
function endOfTornLines(ground: RecordGround, { lineEnd, until }: Between): number | null {
  let end: number | null = null;
  let line = afterNewline(ground.view.text, lineEnd);
  for (let n = 0; line < until && n < MOST_LINES; n += 1) {
    const next = newlineOrEnd(ground, line) ?? until;
    if (!isRecordAt(ground, line)) end = next;
    line = afterNewline(ground.view.text, next);
  }
  return end;
}
