import { typedText } from '../lib/typed-cells.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { REPORT_COLUMN_PREFIX, REPORT_TYPED_COLUMN } from '../model/source.ts';
import { csvText } from './csv-text.ts';
import type { RemainderFormat, RemainderKind } from './remainder-format.ts';
import { messageOf, type RemainderRow } from './remainder-row.ts';

const ADDED = ['run', 'row', 'outcome', 'status', 'code', 'message'] as const;

/** The rows of a CSV file again, in the file's own dialect, with what became of them in columns of the report's own. */
export function csvRemainder({ id, source }: Run): RemainderFormat {
  const dialect = { delimiter: source.delimiter ?? ',', quote: source.quote ?? '"' };
  // The input was a report file itself: what it says of an earlier run gives way.
  const kept = source.columns.flatMap((column, i) => (column.startsWith(REPORT_COLUMN_PREFIX) ? [] : [i]));
  const columns = kept.map((i) => source.columns[i] ?? '');
  const messageSlot = source.columns.indexOf(`${REPORT_COLUMN_PREFIX}message`);
  // So that a number isn't read by the definition's signs when it comes back, and is still known to be one.
  const hasTyped = source.type === 'xlsx' || source.columns.includes(REPORT_TYPED_COLUMN);
  const cellsOf = (row: RemainderRow, kind: RemainderKind) => {
    const cells = originalCells(row.source, kept);
    return [
      ...cells,
      ...addedCells(id, row, unreadText(row.source, cells, messageSlot)),
      ...(hasTyped ? [typedCell(row.source, source.columns)] : []),
      ...(kind === 'in-doubt' ? [''] : []),
    ];
  };
  return {
    extension: 'csv',
    header: (kind) =>
      (source.bom ? '\uFEFF' : '') + csvText([[...columns, ...addedColumns(kind, hasTyped)]], dialect),
    lines: (rows, kind) => {
      return csvText(
        rows.map((row) => cellsOf(row, kind)),
        dialect,
      );
    },
  };
}

function addedColumns(kind: RemainderKind, hasTyped: boolean): readonly string[] {
  const added = hasTyped ? [...ADDED, 'typed'] : ADDED;
  const all = kind === 'in-doubt' ? [...added, 'resolution'] : added;
  return all.map((name) => `${REPORT_COLUMN_PREFIX}${name}`);
}

function typedCell(source: Row | null, columns: readonly string[]): string {
  return source?.kind === 'cells' ? typedText(source, columns) : '';
}

/** Empty for a row that could not be read or is no longer kept: loaded again unmended, it can't send a guess. */
function originalCells(source: Row | null, kept: readonly number[]): readonly string[] {
  if (source?.kind === 'record')
    throw new Error(`row ${source.row} is a JSON record, but the run's file is CSV`);
  if (source?.kind !== 'cells') return kept.map(() => '');
  return kept.map((i) => source.cells[i] ?? '');
}

/** The text of a row that could not be read, also where a report file that holds it was loaded unmended; `''` for others. */
function unreadText(source: Row | null, cells: readonly string[], messageSlot: number): string {
  if (source?.kind === 'unreadable') return source.text;
  if (source?.kind !== 'cells' || cells.some((cell) => cell !== '')) return '';
  return source.cells[messageSlot] ?? '';
}

function addedCells(run: string, row: RemainderRow, unread: string): readonly string[] {
  const s = row.settlement;
  const message = unread === '' ? messageOf(row) : unread;
  return [run, String(s.row), s.outcome, s.status === 0 ? '' : String(s.status), s.code, message];
}
