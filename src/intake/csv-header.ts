import type { Format } from '../config/job-definition.ts';
import { unguardCell } from '../lib/formula-guard.ts';
import { UsageError } from '../lib/usage-error.ts';
import { REPORT_ROW_COLUMN } from '../model/source.ts';
import { createTextParser } from './csv-cells.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { countNewlines } from './csv-dialect.ts';
import type { CsvPiece } from './csv-pieces.ts';
import { createCsvSplitter } from './csv-pieces.ts';
import type { Preamble } from './csv-preamble.ts';
import { stepAt } from './csv-step.ts';
import { BAD_BYTES } from './decode-utf8.ts';
import type { FileHead } from './file-head.ts';
import { HEAD_CHARS } from './file-head.ts';
import { isForbiddenName } from './forbidden-name.ts';
import { trimName } from './trim-name.ts';
import { NOT_UTF8, notIn } from './unreadable-row.ts';

/** A CSV file's header and where its records start. */
export type CsvHeader = {
  readonly columns: readonly string[];
  /** How many cells a record has: those of `columns`, then those of nameless columns at the end. */
  readonly width: number;
  /** The file is a report's: its cells are guarded against formulas. */
  readonly isReport: boolean;
  /** The line on which the header starts. */
  readonly headerLine: number;
  /** Index into the head of the first character after the header. */
  readonly end: number;
  /** The line there. */
  readonly line: number;
};

type Told = {
  readonly preamble: Preamble;
  readonly dialect: CsvDialect;
  /** The one that was found, or `auto` where it is not known. */
  readonly encoding: Format['encoding'];
};

/** The most columns that a file may have. */
const MAX_COLUMNS = 10_000;
/** Nobody reads more of them. */
const MAX_PROBLEMS = 20;

/** Reads the header that the preamble leads to; UsageError with its problems where it is broken. */
export function readHeader(path: string, head: FileHead, told: Told): CsvHeader {
  const { preamble, dialect, encoding } = told;
  const { text, first, end } = headerText(path, head, told);
  const line = first.lines[0] ?? preamble.line;
  if (preamble.isGiven && line !== preamble.line) throw noRecord(path, preamble.line);
  const [cells = []] = createTextParser(dialect)(text);
  const names = cells.map(trimName);
  const isReport = names.includes(REPORT_ROW_COLUMN);
  const columns = withoutNamelessEnd(isReport ? names.map(unguardCell) : names);
  const problems = [...encodingProblems(text, columns, encoding), ...nameProblems(columns)].slice(
    0,
    MAX_PROBLEMS,
  );
  if (problems.length > 0) throw new UsageError(problems.map((p) => `${path}, line ${line}: ${p}`));
  const lines = countNewlines(text, { from: 0, to: text.length }, dialect.newline);
  return { columns, width: cells.length, isReport, headerLine: line, end, line: line + lines };
}

/** `text`: from the header's first character to the first of the records. */
function headerText(path: string, head: FileHead, { preamble, dialect }: Told) {
  const shape = { dialect, columns: 0 };
  const body = head.text.slice(preamble.start);
  const [first] = createCsvSplitter(shape, preamble.line)(body, head.whole);
  if (first === undefined || first.kind !== 'records') throw noHeader(path, first);
  const start = first.starts[0] ?? 0;
  const step = stepAt(body, start, head.whole, shape);
  const next = step.kind === 'record' ? step.next : body.length;
  if (preamble.start + next > HEAD_CHARS) throw noHeader(path, undefined);
  return { text: body.slice(start, next), first, end: preamble.start + next };
}

/** Spreadsheets write empty columns at the end; a header of nothing else is left as it is, to be refused. */
function withoutNamelessEnd(names: readonly string[]): readonly string[] {
  return names.slice(0, 1 + names.findLastIndex((name) => name !== '') || names.length);
}

function noHeader(path: string, first: Exclude<CsvPiece, { kind: 'records' }> | undefined): UsageError {
  if (first === undefined) {
    return new UsageError(
      `${path}: the header has no end within ${HEAD_CHARS} characters: expected a line of column names; check that the file is CSV`,
    );
  }
  const problem =
    first.kind === 'bad'
      ? first.problem
      : 'a quote that is not closed: expected a closing quote; add it or remove the quote';
  return new UsageError(`${path}, line ${first.line}: the header has ${problem}; mend the header`);
}

function noRecord(path: string, line: number): UsageError {
  return new UsageError(
    `${path}, line ${line}: is blank or a comment, but format.header says that the header is there: expected column names; correct format.header`,
  );
}

/** csv-parse turns what stands for undecodable bytes into U+FFFD, so that only the text tells for sure. */
function encodingProblems(text: string, columns: readonly string[], encoding: Told['encoding']): string[] {
  if (!text.includes(BAD_BYTES)) return [];
  const number = 1 + columns.findIndex((name) => name.includes('\uFFFD'));
  const problem = encoding === 'auto' || encoding === 'utf-8' ? NOT_UTF8 : notIn(encoding);
  return [
    `column ${number} of the header holds ${problem}; save the file again as utf-8 (in Excel: "CSV UTF-8")`,
  ];
}

function nameProblems(columns: readonly string[]): string[] {
  if (columns.length > MAX_COLUMNS) {
    return [
      `the header has ${columns.length} columns: expected at most ${MAX_COLUMNS}; check that it is the right file`,
    ];
  }
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
