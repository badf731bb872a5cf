/**
 * Which rows of a file say that they were rows of an earlier run, in columns or in a record's
 * member. One that the report calls in doubt is not sent, and stands for nothing.
 */
import { UsageError } from '../../lib/usage-error.ts';
import { isJsonObject, parseRecord } from '../../model/json-record.ts';
import type { Row } from '../../model/row.ts';
import { REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../../model/source.ts';

const NAMES = ['run', 'row', 'outcome', 'code'];
const IN_DOUBT = ['in-doubt', 'row_in_doubt'];

/** As run ids are made, perhaps with a tag: whatever else stands there names no key of Redis. */
const RUN = /^([0-9]{8}-[0-9]{6}-[a-z0-9]{4})(?:\.([\w-]{12}))?$/;
const NUMBER = /^[1-9][0-9]{0,8}$/;

/** `from`: 0 where what stands there is no run, or no number; `tag`: `''` where there is none. */
export type Origin = {
  readonly row: Row;
  readonly run: string;
  readonly from: number;
  readonly tag: string;
};

export function taggedRun(run: string, tag: string): string {
  return `${run}.${tag}`;
}

/**
 * Whether a row is one of an answer to a partner, whose cells are as they were: none is guarded.
 */
export function createReplyLook(columns: readonly string[]): (cells: readonly string[]) => boolean {
  const at = columns.indexOf(`${REPORT_COLUMN_PREFIX}run`);
  return (cells) => RUN.exec(cells[at]?.trim() ?? '')?.[2] !== undefined;
}

export function originsIn(rows: readonly Row[], { columns }: SourceInfo): Origin[] {
  const cellsOf = cellsUnder(columns);
  const saidOf = (row: Row) => {
    if (row.kind === 'unreadable') return row.said ?? [];
    return row.kind === 'cells' ? cellsOf(row.cells) : membersOf(row.text);
  };
  return rows.flatMap((row) => {
    const [said = '', number = '', ...rest] = saidOf(row);
    if ((said === '' && number === '') || rest.some((cell) => IN_DOUBT.includes(cell))) return [];
    const [, run, tag = ''] = RUN.exec(said) ?? [];
    const isNamed = run !== undefined && NUMBER.test(number);
    return { row, run: run ?? said, tag, from: isNamed ? Number(number) : 0 };
  });
}

/** More than any person corrects together; the rows of each are looked at. */
const RUNS_MAX = 50;

/** Whether a file's rows name any; a UsageError where they name rows of too many runs. */
export function createOriginLook(path: string) {
  const runs = new Set<string>();
  return {
    see(rows: readonly Row[], source: SourceInfo): void {
      for (const { run } of originsIn(rows, source)) runs.add(run);
      if (runs.size > RUNS_MAX) throw new UsageError(`${path}: ${TOO_MANY}`);
    },
    found: () => runs.size > 0,
  };
}

const TOO_MANY =
  `"${REPORT_COLUMN_PREFIX}run" names more than ${RUNS_MAX} runs: load ` +
  'the corrected rows of each run by themselves, or take the column out';

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
