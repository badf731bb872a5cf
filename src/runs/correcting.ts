/**
 * Open rows of a run that somebody corrects cell by cell: what they say, what is wrong with them,
 * and the file of those that were changed, which is loaded as `failed.csv` or `failed.ndjson` is. A
 * record of JSON is shown by its leaves, each at its field path; a line that could not be read, by
 * what its text would be in the columns.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { chunksAround, createRunView } from '../engine/ledger/run-view.ts';
import { orElse } from '../lib/errors.ts';
import { isExactNumber } from '../lib/exact-number.ts';
import type { Issue } from '../model/issue.ts';
import { flattenRecord, parseRecord, withMember } from '../model/json-record.ts';
import type { Mapping } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { CellsRow, RecordRow, Row, UnreadRow } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import type { RefusalBody, Settlement } from '../model/settlement.ts';
import { isTable, type SourceInfo } from '../model/source.ts';
import { cellsOfText } from '../readers/intake/csv/cells.ts';
import type { Ledger } from '../session.ts';
import type { OpenRow } from './account.ts';
import { OF_NO_ROW, type RemainderRow, remainderFormat, remainderRows } from './report/remainder.ts';

export type WrongRow = {
  /** Of a record its leaves, in the order of the run's columns. */
  readonly source: CellsRow;
  /** `null`: it is a table's row. */
  readonly record: RecordRow | null;
  /** Could not be read: its cells are a guess until somebody has looked at each. `null`: it was. */
  readonly unread: UnreadRow | null;
  /** 0: the row itself; else a further line of what could not be read, as a record of its own. */
  readonly part: number;
  readonly settlement: Settlement;
  readonly body: RefusalBody | null;
};

type WrongRows = {
  readonly rows: readonly WrongRow[];
  /** All that are open and were asked for. */
  readonly total: number;
  /** The row after which the next ones come; `null`: there are none. */
  readonly next: number | null;
};

type Asked = {
  /** `null`: whatever they ended with. */
  readonly code: string | null;
  /** Rows after this one. */
  readonly after: number;
  readonly most: number;
  /** What rows of one request have in common; `null`: each is one of its own. */
  readonly identityOf: ((key: string) => string) | null;
};

/** In file order. Rows that stand in a later run are corrected there; a group comes whole. */
export async function wrongRows(
  run: Run,
  asking: Asked,
  open: readonly OpenRow[],
  ledger: Ledger,
): Promise<WrongRows> {
  const { code, after, most, identityOf } = asking;
  const own = open.filter(({ last }) => last.run === run.id);
  const meantOnes = own.filter(({ last }) => code === null || last.code === code);
  const numbers = meantOnes.map(({ row }) => row).sort((a, b) => a - b);
  const later = numbers.filter((row) => row > after);
  const some = later.slice(0, most);
  const asked = new Set(identityOf === null ? some : wholeRequests(own, new Set(some), identityOf));
  const { keys } = ledger.of(run.target);
  const view = createRunView(ledger.redis, keys, run);
  const rows: WrongRow[] = [];
  for await (const { settlements } of chunksAround(ledger.redis, keys, run, asked)) {
    const meant = settlements.filter(({ row }) => asked.has(row));
    for await (const some of remainderRows(meant, view))
      rows.push(...some.flatMap((one) => wrongRow(one, run)));
  }
  const isMore = later.length > most;
  return { rows, total: numbers.length, next: isMore ? (some.at(-1) ?? null) : null };
}

/** The numbers of those that are meant, and of all others of their keys. */
function wholeRequests(
  own: readonly OpenRow[],
  meant: ReadonlySet<number>,
  identityOf: (key: string) => string,
): readonly number[] {
  const identities = own.map(({ last }) => (last.key === '' ? null : identityOf(last.key)));
  const named = new Set(own.flatMap(({ row }, i) => (meant.has(row) ? (identities[i] ?? []) : [])));
  const isMeant = ({ row }: OpenRow, i: number) => meant.has(row) || named.has(identities[i] ?? '');
  return own.filter(isMeant).map(({ row }) => row);
}

/** None where nothing is kept of the row, or it has no cells that could be told. */
function wrongRow({ source, settlement, body }: RemainderRow, run: Run): readonly WrongRow[] {
  const own = { settlement, body, record: null, unread: null, part: 0 };
  switch (source?.kind) {
    case 'cells':
      return [{ ...own, source }];
    case 'record':
      return [{ ...own, source: leavesOf(source, run.source), record: source }];
    case 'unreadable':
      return guessedRecords(source, run.source).map((guessed, part) => ({
        ...{ ...own, ...guessed, part },
        settlement: part === 0 ? settlement : { ...settlement, row: OF_NO_ROW },
      }));
    default:
      return [];
  }
}

/** Behind the numbers of a file's rows, so that each further record has one of its own. */
const FURTHER = 1_000_000_000;
const MOST_FURTHER = 5;

/** Of a further record, too: the number of the row that it stands in. */
export function rowOf({ source }: Pick<WrongRow, 'source'>): number {
  return source.row % FURTHER;
}

/**
 * What the text would be in the columns: as one record, and what stands on its further lines as one
 * each. None where it can't be told.
 */
function guessedRecords(unread: UnreadRow, source: SourceInfo) {
  const lines = unread.text.split(/\r?\n|\r/);
  const texts = [unread.text, ...lines.slice(1, 1 + MOST_FURTHER).filter((line) => line.trim() !== '')];
  return texts.flatMap((text, part) => {
    const own = { ...unread, row: unread.row + part * FURTHER, line: unread.line + part, text };
    return guessedCells(own, source).map((cells) => ({ source: cells, unread: own }));
  });
}

/** Of a workbook's row the reader keeps its cells, with tabs between. */
function guessedCells({ row, line, text }: UnreadRow, source: SourceInfo): readonly CellsRow[] {
  const { columns, delimiter, quote } = source;
  const found = isTable(source)
    ? cellsOfText(text, { delimiter: delimiter ?? '\t', quote: quote ?? '"' })
    : null;
  if (found === null) return [];
  return [{ kind: 'cells', row, line, cells: columns.map((_, at) => found[at] ?? '') }];
}

/** A leaf that the record has not is an empty cell. */
function leavesOf(record: RecordRow, { columns }: Pick<SourceInfo, 'columns'>): CellsRow {
  const leaves = flattenRecord(parseRecord(record.text) ?? {});
  const { row, line } = record;
  return { kind: 'cells', row, line, cells: columns.map((path) => leafText(leaves.get(path))) };
}

function leafText(leaf: JsonValue | undefined): string {
  if (leaf === undefined) return '';
  return typeof leaf === 'string' ? leaf : JSON.stringify(leaf);
}

/** As it goes into the file and through the mapping. */
export function correctedRow(
  { source, record }: Pick<WrongRow, 'source' | 'record'>,
  now: CellsRow,
  { columns }: Pick<SourceInfo, 'columns'>,
): Row {
  if (record === null) return now;
  const before = parseRecord(record.text) ?? {};
  const leaves = flattenRecord(before);
  let after = before;
  for (const [at, path] of columns.entries()) {
    const text = now.cells[at] ?? '';
    if (text !== source.cells[at]) after = withLeaf(after, path, leafTyped(text, leaves.get(path)));
  }
  return { ...record, text: JSON.stringify(after) };
}

/** A path may be the name of one member, dots and all. */
function withLeaf(record: JsonObject, path: string, leaf: JsonValue): JsonObject {
  if (Object.hasOwn(record, path)) return { ...record, [path]: leaf };
  const segments = path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return withMember(record, segments, leaf);
}

/** Where a number, a boolean or a list stood, one that is typed is one; all else is text. */
function leafTyped(text: string, before: JsonValue | undefined): JsonValue {
  if (before === undefined || typeof before === 'string') return text;
  const typed = orElse<JsonValue>(text, () => JSON.parse(text));
  const isExact = typeof typed === 'number' && isExactNumber(text);
  return isExact || JSON.stringify(typed) === text ? typed : text;
}

/** By column, and column by column what stands there instead. */
export type Changes = ReadonlyMap<number, string>;

/** A cell that was typed over is text, whatever the workbook had, and so is one of `texts`. */
export function withChanges(
  source: CellsRow,
  changes: Changes,
  texts: ReadonlySet<number> = NO_CELLS,
): CellsRow {
  const cells = source.cells.map((cell, at) => changes.get(at) ?? cell);
  const typed = source.typed?.filter((at) => cells[at] === source.cells[at] && !texts.has(at));
  return { ...source, cells, ...(typed !== undefined && { typed }) };
}

const NO_CELLS: ReadonlySet<number> = new Set();

/** What one cell has become, in all cells of its column that said the same. */
export function spread(
  rows: readonly WrongRow[],
  changes: ReadonlyMap<number, Changes>,
  { row, at }: { readonly row: number; readonly at: number },
): ReadonlyMap<number, Changes> {
  const value = changes.get(row)?.get(at);
  const model = rows.find(({ source }) => source.row === row)?.source.cells[at];
  if (value === undefined || model === undefined) return changes;
  const like = rows.filter(({ source }) => source.cells[at] === model);
  const spreadOut = like.map(({ source }) => {
    const own = new Map(changes.get(source.row)).set(at, value);
    return [source.row, own] as const;
  });
  return new Map([...changes, ...spreadOut]);
}

export function isChanged({ source }: Pick<WrongRow, 'source'>, now: CellsRow): boolean {
  return now.cells.some((cell, at) => cell !== source.cells[at]);
}

/** By row number, as the check of a file finds them; rows of one key are one request. */
export function issuesIn(
  rows: readonly Row[],
  mapping: Mapping,
  { group }: Pick<JobDefinition, 'group'>,
): ReadonlyMap<number, readonly Issue[]> {
  const issues = new Map<number, readonly Issue[]>();
  if (group === undefined) {
    for (const row of rows) {
      const mapped = mapping.map(row);
      if (mapped.kind === 'issues') issues.set(row.row, mapped.issues);
    }
    return issues;
  }
  for (const together of requestsOf(rows, mapping)) {
    const mapped = mapping.mapGroup(together);
    if (mapped.kind !== 'issues') continue;
    for (const [row, own] of mapped.issues) issues.set(row, own);
  }
  return issues;
}

/** Rows with the same key, in file order. */
function requestsOf(rows: readonly Row[], mapping: Mapping): readonly (readonly Row[])[] {
  const byKey = new Map<string, Row[]>();
  for (const row of rows) {
    const key = mapping.groupOf(row) ?? `row ${row.row}`;
    byKey.set(key, [...(byKey.get(key) ?? []), row]);
  }
  return [...byKey.values()];
}

/** With the columns that say which rows they stand for. */
export function correctedFile(run: Pick<Run, 'id' | 'source'>, rows: readonly RemainderRow[]): string {
  const format = remainderFormat(run);
  return format.header('failed') + format.lines(rows, 'failed');
}
