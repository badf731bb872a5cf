import { unguardCell } from '../lib/formula-guard.ts';
import { UsageError } from '../lib/usage-error.ts';
import { REPORT_ROW_COLUMN } from '../model/source.ts';
import { createCellParser } from './csv-cells.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { countNewlines } from './csv-dialect.ts';
import type { CsvPiece } from './csv-pieces.ts';
import { createCsvSplitter } from './csv-pieces.ts';
import { stepAt } from './csv-step.ts';
import { BAD_BYTES } from './decode-utf8.ts';
import type { FileHead } from './file-head.ts';
import { HEAD_CHARS } from './file-head.ts';
import { isForbiddenName } from './forbidden-name.ts';

/** A CSV file's header and where its records start. */
export type CsvHeader = {
  readonly columns: readonly string[];
  /** The file is a report's: its cells are guarded against formulas. */
  readonly isReport: boolean;
  /** Index into the head of the first character after the header. */
  readonly end: number;
  /** The line there. */
  readonly line: number;
};

/** Reads the header; UsageError with every problem where it is broken. */
export function readHeader(path: string, head: FileHead, dialect: CsvDialect): CsvHeader {
  const shape = { dialect, columns: 0 };
  const [first] = createCsvSplitter(shape, 1)(head.text, head.whole);
  if (first === undefined || first.kind !== 'records') throw noHeader(path, first);
  const step = stepAt(head.text, first.starts[0] ?? 0, head.whole, shape);
  const end = step.kind === 'record' ? step.next : head.text.length;
  if (end > HEAD_CHARS) throw noHeader(path, undefined);
  const text = head.text.slice(0, end);
  const [cells = []] = createCellParser(dialect)(text);
  const names = cells.map((name) => name.trim());
  const isReport = names.includes(REPORT_ROW_COLUMN);
  const columns = isReport ? names.map(unguardCell) : names;
  const problems = [...encodingProblems(text, columns), ...nameProblems(columns)];
  if (problems.length > 0) throw new UsageError(problems.map((p) => `${path}, line ${first.lines[0]}: ${p}`));
  return { columns, isReport, end, line: 1 + countNewlines(text, { from: 0, to: end }, dialect.newline) };
}

function noHeader(path: string, first: Exclude<CsvPiece, { kind: 'records' }> | undefined): UsageError {
  if (first === undefined) {
    return new UsageError(
      `${path}: the header has no end: expected a line of column names; check that the file is CSV`,
    );
  }
  const problem =
    first.kind === 'bad'
      ? first.problem
      : 'a quote that is not closed: expected a closing quote; add it or remove the quote';
  return new UsageError(`${path}, line ${first.line}: the header has ${problem}; mend the header`);
}

/** csv-parse turns what stands for undecodable bytes into U+FFFD, so that only the text tells for sure. */
function encodingProblems(text: string, columns: readonly string[]): string[] {
  if (!text.includes(BAD_BYTES)) return [];
  const number = 1 + columns.findIndex((name) => name.includes('\uFFFD'));
  return [
    `column ${number} of the header holds bytes that are not UTF-8: expected UTF-8; save the file again as UTF-8 (in Excel: "CSV UTF-8")`,
  ];
}

function nameProblems(columns: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return columns.flatMap((name, index) => {
    const earlier = seen.get(name);
    seen.set(name, earlier ?? index);
    const problem = problemOf(name, index + 1, earlier);
    return problem === null ? [] : [problem];
  });
}

function problemOf(name: string, number: number, earlier: number | undefined): string | null {
  if (name === '')
    return `column ${number} of the header has no name: expected a name in every cell; name or remove it`;
  if (isForbiddenName(name)) {
    return `column ${number} is named "${name}", which is refused: expected no __proto__, constructor or prototype in a name; rename it`;
  }
  if (earlier === undefined) return null;
  return `columns ${earlier + 1} and ${number} are both named "${name}": expected every name once; rename or remove one`;
}
