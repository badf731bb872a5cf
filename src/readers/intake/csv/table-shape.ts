/**
 * Whether the lines below a header are its table: which of them have its width, or are given it by
 * `format.short` and `format.long`. Where too many have not, or another header or table stands
 * among them, the file is not what its header says, and is refused as a whole.
 */
import { countOf } from '../../../lib/terminal.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import { createHeaderLook, looksLikeHeader, otherHeaderProblem } from '../column-names.ts';
import { type ReadFormat, ShapeError, type ShapeSettings } from '../row-feed.ts';
import type { CsvHeader } from './header.ts';

/** More lines than these that don't fit are no oversight. */
const MOST_MISFITS = 20;
const MOST_SHARE = 0.1;
/** So many lines of one width down to the end, the first like a header, are another table. */
const LEAST_TABLE = 3;

export type TableShape = ReturnType<typeof createTableShape>;

type Line = { readonly line: number; readonly cells: readonly string[] };

/** Call `fits` or `misfits` for each line with something in it, in file order, then `end`. */
export function createTableShape(path: string, header: CsvHeader, format: ReadFormat) {
  const { columns, width, headerLine } = header;
  const headerIn = createHeaderLook(columns);
  const kindOf = createKindOf(header, format);
  const count = { lines: 0, misfits: 0, short: 0, long: 0, other: 0 };
  const shortWidths = new Set<number>();
  let first = 0;
  let tail = NO_TABLE;

  const refuse = (line: number, problem: string, settings: ShapeSettings | null) => {
    const remedy =
      settings === null ? EXPORT_AGAIN : `set ${Object.keys(settings).map(settingWords).join(', and ')}`;
    throw new ShapeError(
      `${path}, line ${line}: ${problem}: expected one table under one header; ${remedy}`,
      shortWidths.size > 1 ? null : settings,
    );
  };
  const refuseOtherHeader = ({ line, cells }: Line) => {
    if (headerIn(cells) === 'other')
      throw new UsageError(`${path}, line ${line}: ${otherHeaderProblem('line', headerLine)}`);
  };

  const whyOf = (cells: readonly string[]) => {
    const isWhole = cells.length === 1 && cells[0]?.includes(format.delimiter);
    if (isWhole) return WHOLE_LINE;
    return kindOf(cells) === 'long' ? LONG_PROBLEM : '';
  };

  return {
    /** The cells in the header's width; `null`: they are another number. */
    fit(cells: string[]): string[] | null {
      if (cells.length === width) return cells;
      const kind = kindOf(cells);
      if (kind === 'short' && format.short === 'pad') return columns.map((_, at) => cells[at] ?? '');
      return kind === 'long' && format.long === 'drop' ? cells.slice(0, width) : null;
    },
    fits(line: Line): void {
      refuseOtherHeader(line);
      count.lines += 1;
      tail = NO_TABLE;
    },
    misfits(line: Line): void {
      refuseOtherHeader(line);
      const kind = kindOf(line.cells);
      if (count.misfits === 0) first = line.line;
      count.lines += 1;
      count.misfits += 1;
      count[kind] += 1;
      if (kind === 'short') shortWidths.add(line.cells.length);
      tail = tableFrom(tail, line);
    },
    problemOf({ cells }: Line): string {
      const why = whyOf(cells);
      return `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where the header has ${width}${why}`;
    },
    end(): void {
      const { lines, misfits, other } = count;
      const cells = countOf(width, 'cell');
      // Where few lines are long, the delimiter too many may stand within.
      const isLong = count.long === 0 || 2 * count.long >= lines;
      const settings = {
        ...(count.short > 0 && { short: 'pad' as const }),
        ...(count.long > 0 && { long: 'drop' as const }),
      };
      const remedy = other === 0 && isLong ? settings : null;
      if (misfits > MOST_MISFITS && misfits > MOST_SHARE * lines)
        refuse(first, `the first of ${misfits} in ${lines} lines without the header's ${cells}`, remedy);
      if (tail.lines >= LEAST_TABLE)
        refuse(tail.line, `another table, as no line from here on has the ${cells} of the header`, remedy);
    },
  };
}

const WHOLE_LINE = ', since quotes stand around the whole line: expected them around cells alone';
const EXPORT_AGAIN = 'export it again, or take out or correct what does not belong to it';
const LONG = 'format.long: drop';
const LONG_PROBLEM =
  ', with nothing in the last: expected no delimiter in a cell without ' +
  `quotes, nor at the line's end (${LONG} reads lines that all end with one)`;

function settingWords(name: string): string {
  return name === 'long'
    ? `${LONG}, by which empty cells beyond the last column are left out`
    : 'format.short: pad, by which a cell that is missing at the end of a line is an empty one';
}

/** `short`, `long`: the setting of that name reads the line. */
function createKindOf({ columns, width }: CsvHeader, { short, isNeeded = () => false }: ReadFormat) {
  return (cells: readonly string[]): 'short' | 'long' | 'other' => {
    const { length } = cells;
    if (length > width) return cells.slice(width).every((cell) => cell === '') ? 'long' : 'other';
    const isMost = 2 * length > width;
    const isLacking = short === 'pad' && columns.slice(length).some(isNeeded);
    return isMost && !isLacking ? 'short' : 'other';
  };
}

/** Lines down to the file's end, all of one width, the first of them like a header. */
type LastTable = { readonly line: number; readonly width: number; readonly lines: number };

const NO_TABLE: LastTable = { line: 0, width: 0, lines: 0 };

function tableFrom(before: LastTable, { line, cells }: Line): LastTable {
  if (before.lines > 0 && cells.length === before.width) return { ...before, lines: before.lines + 1 };
  return looksLikeHeader(cells) ? { line, width: cells.length, lines: 1 } : NO_TABLE;
}
