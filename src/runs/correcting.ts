/**
 * Open rows of a run that somebody corrects cell by cell: what they say, what is wrong with them,
 * and the file of those that were changed, which is loaded as `failed.csv` is. Only tables: a
 * record of JSON is corrected in `failed.ndjson`.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { chunksAround, createRunView } from '../engine/ledger/run-view.ts';
import type { Issue } from '../model/issue.ts';
import type { Mapping } from '../model/mapping.ts';
import type { CellsRow } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import type { RefusalBody, Settlement } from '../model/settlement.ts';
import type { Ledger } from '../session.ts';
import { rowsToWriteOff } from './account.ts';
import { remainderFormat, remainderRows } from './report/remainder.ts';

export type WrongRow = {
  readonly source: CellsRow;
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
};

/** In file order. Rows that stand in a later run are corrected there. */
export async function wrongRows(run: Run, { code, after, most }: Asked, ledger: Ledger): Promise<WrongRows> {
  const open = await rowsToWriteOff(run, ledger);
  const own = open.filter(({ last }) => last.run === run.id);
  const meantOnes = own.filter(({ last }) => code === null || last.code === code);
  const numbers = meantOnes.map(({ row }) => row).sort((a, b) => a - b);
  const later = numbers.filter((row) => row > after);
  const asked = new Set(later.slice(0, most));
  const { keys } = ledger.of(run.target);
  const view = createRunView(ledger.redis, keys, run);
  const rows: WrongRow[] = [];
  for await (const { settlements } of chunksAround(ledger.redis, keys, run, asked)) {
    const meant = settlements.filter(({ row }) => asked.has(row));
    for await (const some of remainderRows(meant, view))
      for (const { source, settlement, body } of some)
        if (source?.kind === 'cells') rows.push({ source, settlement, body });
  }
  const isMore = later.length > most;
  return { rows, total: numbers.length, next: isMore ? Math.max(...asked) : null };
}

/** By column, and column by column what stands there instead. */
export type Changes = ReadonlyMap<number, string>;

/** A cell that was typed over is text, whatever the workbook had there. */
export function withChanges(source: CellsRow, changes: Changes): CellsRow {
  const cells = source.cells.map((cell, at) => changes.get(at) ?? cell);
  const typed = source.typed?.filter((at) => cells[at] === source.cells[at]);
  return { ...source, cells, ...(typed !== undefined && { typed }) };
}

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
  rows: readonly CellsRow[],
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
function requestsOf(rows: readonly CellsRow[], mapping: Mapping): readonly (readonly CellsRow[])[] {
  const byKey = new Map<string, CellsRow[]>();
  for (const row of rows) {
    const key = mapping.groupOf(row) ?? `row ${row.row}`;
    byKey.set(key, [...(byKey.get(key) ?? []), row]);
  }
  return [...byKey.values()];
}

/** With the columns that say which rows they stand for. */
export function correctedFile(run: Pick<Run, 'id' | 'source'>, rows: readonly WrongRow[]): string {
  const format = remainderFormat(run);
  return format.header('failed') + format.lines(rows, 'failed');
}
