/**
 * Rows of JSON that is not line by line: the elements of the list at a pointer, or objects that
 * follow each other. Each becomes a row as it stands. Broken JSON, or a record that is too long,
 * refuses the file with its place, since what follows can't be told apart any more.
 */
import { UsageError } from '../../../lib/usage-error.ts';
import type { Row } from '../../../model/row.ts';
import { MAX_RECORD_CHARS, TOO_LONG } from '../row.ts';
import type { RowFeed } from '../row-feed.ts';
import { adviceFor, endTrail, newTrail, type Trail, takeOutside } from './pointer.ts';
import { checkToken, jsonRow, newRecordCheck, type RecordCheck } from './record.ts';
import { columnOf, extend, nextToken, type Scanner, scannerOf, type Token } from './scanner.ts';

type State = {
  readonly path: string;
  readonly lists: readonly string[];
  readonly scanner: Scanner;
  /** `null`: the records follow each other. */
  readonly trail: Trail | null;
  /** Open brackets around a record; `null`: outside the list. */
  depth: number | null;
  record: { readonly line: number; readonly check: RecordCheck } | null;
  rows: Row[];
  count: number;
};

/** `lists`: pointers to what may be the records, for messages. */
export function createJsonRows(path: string, pointer: string | null, lists: readonly string[]): RowFeed {
  const isSequence = pointer === null;
  const state: State = {
    path,
    lists,
    scanner: scannerOf('', false, isSequence),
    trail: isSequence ? null : newTrail(path, pointer, lists),
    depth: isSequence ? 0 : null,
    record: null,
    rows: [],
    count: 0,
  };
  return (chunk, isFinal) => {
    state.rows = [];
    extend(state.scanner, chunk, isFinal);
    while (takeNext(state));
    return state.rows;
  };
}

/** False: the next token needs more text, or there is none. */
function takeNext(state: State): boolean {
  const { scanner, trail } = state;
  const token = nextToken(scanner);
  refuseTooLong(state, token === 'wait' ? scanner.text.length : scanner.at);
  if (token === 'broken') throw brokenJson(state);
  if (token === 'end' && trail !== null) endTrail(trail);
  if (token === 'wait' || token === 'end') return false;
  if (state.depth !== null && scanner.closers.length >= state.depth) takeElement(state, state.depth, token);
  else state.depth = trail !== null && takeOutside(trail, token, scanner) ? scanner.closers.length : null;
  return true;
}

function takeElement(state: State, depth: number, token: Token): void {
  const { scanner } = state;
  scanner.kept ??= scanner.start;
  state.record ??= { line: scanner.line, check: newRecordCheck() };
  const { line, check } = state.record;
  checkToken(check, token, scanner);
  if (scanner.closers.length > depth) return;
  state.count += 1;
  state.rows.push(jsonRow({ row: state.count, line }, scanner.text.slice(scanner.kept, scanner.at), check));
  state.record = null;
  scanner.kept = null;
}

/** Of a record, or a text around the list, all is held. */
function refuseTooLong({ path, lists, trail, scanner, record }: State, end: number): void {
  if (end - (scanner.kept ?? scanner.at) <= MAX_RECORD_CHARS) return;
  const advice = adviceFor(trail === null ? lists : [], 'correct the file');
  throw new UsageError(`${path}, line ${record?.line ?? scanner.line}: ${TOO_LONG}; ${advice}`);
}

function brokenJson({ path, scanner }: State): UsageError {
  const isAtEnd = scanner.at >= scanner.text.length;
  const found = isAtEnd ? 'but the file ends there' : 'but something else stands there';
  return new UsageError(
    `${path}, line ${scanner.line}, column ${columnOf(scanner)}: broken JSON: ` +
      `expected ${scanner.expected}, ${found}; correct the file or export it again`,
  );
}
