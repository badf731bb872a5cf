/**
 * Which rows of a file say that they were rows of an earlier run, in columns or in a record's
 * member. One that the report calls in doubt is not sent, and stands for nothing.
 */
import { isJsonObject, parseRecord } from '../model/json-record.ts';
import type { Row } from '../model/row.ts';
import {
  isTable,
  type Origins,
  REPORT_COLUMN_PREFIX,
  REPORT_MEMBER,
  type SourceInfo,
} from '../model/source.ts';

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
  let cellsOf: (row: Row) => readonly string[] = () => [];
  const see = (row: Row) => {
    const [run = '', number = '', ...rest] = cellsOf(row);
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
        cellsOf = isTable(source) ? cellsUnder(columns) : membersOf;
      }
      rows.forEach(see);
    },
    found: (): Origins => found,
  };
}

function cellsUnder(columns: readonly string[]): (row: Row) => readonly string[] {
  const places = NAMES.map((name) => columns.indexOf(REPORT_COLUMN_PREFIX + name));
  if (places[0] === -1 && places[1] === -1) return () => [];
  return (row) => (row.kind === 'cells' ? places.map((place) => row.cells[place] ?? '') : []);
}

function membersOf(row: Row): readonly string[] {
  if (row.kind !== 'record' || !row.text.includes(REPORT_MEMBER)) return [];
  const member = parseRecord(row.text)?.[REPORT_MEMBER];
  return isJsonObject(member) ? NAMES.map((name) => String(member[name] ?? '')) : [];
}
