/**
 * Which rows of a file say that they were rows of an earlier run, in columns or in a record's
 * member. One that the report calls in doubt is not sent, and stands for nothing.
 */
import { isJsonObject, parseRecord } from '../model/json-record.ts';
import type { Row } from '../model/row.ts';
import { type Origins, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../model/source.ts';

const NAMES = ['run', 'row', 'outcome', 'code'];
const IN_DOUBT = ['in-doubt', 'row_in_doubt'];

/** As run ids are made: whatever else stands there names no key of Redis. */
const RUN = /^[0-9]{8}-[0-9]{6}-[a-z0-9]{4}$/;
const NUMBER = /^[1-9][0-9]{0,8}$/;
/** Under this name the rows are counted that name no run. */
const NO_RUN = '';

export function createOriginLook() {
  const found = new Map<string, (readonly [row: number, from: number])[]>();
  let columns: readonly string[] | null = null;
  let cellsOf: (cells: readonly string[]) => readonly string[] = () => [];
  const saidOf = (row: Row) => {
    if (row.kind === 'unreadable') return row.said ?? [];
    return row.kind === 'cells' ? cellsOf(row.cells) : membersOf(row.text);
  };
  const see = (row: Row) => {
    const [run = '', number = '', ...rest] = saidOf(row);
    if ((run === '' && number === '') || rest.some((cell) => IN_DOUBT.includes(cell))) return;
    const isPlace = RUN.test(run) && NUMBER.test(number);
    const of = isPlace ? run : NO_RUN;
    const pairs = found.get(of) ?? [];
    found.set(of, pairs);
    pairs.push([row.row, isPlace ? Number(number) : 0]);
  };
  return {
    see(rows: readonly Row[], source: SourceInfo): void {
      if (source.columns !== columns) {
        columns = source.columns;
        cellsOf = cellsUnder(columns);
      }
      rows.forEach(see);
    },
    found: (): Origins => found,
  };
}

export function cellsUnder(columns: readonly string[]): (cells: readonly string[]) => string[] {
  const places = NAMES.map((name) => columns.indexOf(REPORT_COLUMN_PREFIX + name));
  if (places[0] === -1 && places[1] === -1) return () => [];
  return (cells) => places.map((place) => cells[place] ?? '');
}

export function membersOf(text: string): string[] {
  if (!text.includes(REPORT_MEMBER)) return [];
  const member = parseRecord(text)?.[REPORT_MEMBER];
  return isJsonObject(member) ? NAMES.map((name) => String(member[name] ?? '')) : [];
}
