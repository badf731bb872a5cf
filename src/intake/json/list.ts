/**
 * Rows of JSON that is not line by line: the elements of the list at a pointer, or objects that
 * follow each other. Each becomes a row as it stands. Broken JSON refuses the file with line and
 * column, since what follows can't be told apart any more.
 */
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS, TOO_LONG, unreadableRow } from '../row.ts';
import type { RowFeed } from '../row-feed.ts';
import { endTrail, newTrail, type Trail, takeOutside } from './pointer.ts';
import { checkToken, jsonRow, newRecordCheck, type RecordCheck } from './record.ts';
import { columnOf, dropKept, extend, nextToken, type Scanner, scannerOf, type Token } from './scanner.ts';

type State = {
  readonly path: string;
  readonly scanner: Scanner;
  /** `null`: the records follow each other. */
  readonly trail: Trail | null;
  /** Open brackets around a record; `null`: outside the list. */
  depth: number | null;
  record: OpenRecord | null;
  rows: Row[];
  count: number;
};

type OpenRecord = {
  readonly line: number;
  readonly check: RecordCheck;
  /** The beginning of a record that is too long; the rest is passed over. */
  readonly oversized: string | null;
};

/** The elements of the list at `pointer`; `null`: values that follow each other. */
export function createJsonRows(path: string, pointer: string | null): RowFeed {
  const isSequence = pointer === null;
  const state: State = {
    path,
    scanner: scannerOf('', false, isSequence),
    trail: isSequence ? null : newTrail(path, pointer),
    depth: isSequence ? 0 : null,
    record: null,
    rows: [],
    count: 0,
  };
  return (chunk, isFinal) => {
    state.rows = [];
    extend(state.scanner, chunk, isFinal);
    readOn(state);
    return state.rows;
  };
}

function readOn(state: State): void {
  let token = nextToken(state.scanner);
  while (token !== 'wait' && token !== 'end') {
    if (token === 'broken') throw brokenJson(state);
    if (state.depth === null) findList(state, token);
    else takeElement(state, state.depth, token);
    token = nextToken(state.scanner);
  }
  if (token === 'wait') holdLimit(state);
  else if (state.trail !== null) endTrail(state.trail);
}

function findList(state: State, token: Token): void {
  const { trail, scanner } = state;
  if (trail !== null && takeOutside(trail, token, scanner)) state.depth = scanner.closers.length;
}

function takeElement(state: State, depth: number, token: Token): void {
  const { scanner } = state;
  if (scanner.closers.length < depth) {
    state.depth = null;
    return;
  }
  state.record ??= openRecord(scanner, scanner.start);
  checkToken(state.record.check, token, scanner);
  if (scanner.closers.length === depth) endRecord(state, state.record);
}

function openRecord(scanner: Scanner, start: number): OpenRecord {
  scanner.kept = start;
  return { line: scanner.line, check: newRecordCheck(), oversized: null };
}

function endRecord(state: State, { line, check, oversized }: OpenRecord): void {
  const { text, kept, at } = state.scanner;
  state.count += 1;
  const place = { row: state.count, line };
  const row =
    oversized === null
      ? jsonRow(place, text.slice(kept ?? at, at), check)
      : unreadableRow(place, oversized, TOO_LONG);
  state.rows.push(row);
  state.record = null;
  state.scanner.kept = null;
}

/** Passes over a record that is too long; around the list, such a text refuses the file. */
function holdLimit(state: State): void {
  const { scanner } = state;
  const { text, at } = scanner;
  const start = scanner.kept ?? at;
  const isOversized = state.record !== null && state.record.oversized !== null;
  if (!isOversized && text.length - start <= MAX_RECORD_CHARS) return;
  if (state.depth === null) {
    scanner.expected = `at most ${MAX_RECORD_CHARS} characters`;
    throw brokenJson(state);
  }
  const record = state.record ?? openRecord(scanner, start);
  const oversized = record.oversized ?? text.slice(start, start + MAX_UNREADABLE_CHARS);
  state.record = { ...record, check: { ...record.check, problem: TOO_LONG }, oversized };
  dropKept(scanner);
}

function brokenJson({ path, scanner, record }: State): UsageError {
  const isAtEnd = scanner.at >= scanner.text.length;
  const found = isAtEnd ? 'but the file ends there' : 'but something else stands there';
  const expected =
    isAtEnd && record !== null && record.oversized !== null
      ? `the end of the record of line ${record.line}`
      : scanner.expected;
  return new UsageError(
    `${path}, line ${scanner.line}, column ${columnOf(scanner)}: broken JSON: expected ${expected}, ${found}; correct the file or export it again`,
  );
}
