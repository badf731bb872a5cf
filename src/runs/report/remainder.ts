/**
 * The files of rows that did not succeed (`rejected`, `failed`, `in-doubt`), to be corrected and
 * loaded again: the source's own cells or members, and what became of the row. An unreadable row
 * comes back with its text alone, so that it can't send a guess.
 */
import { batchesOf } from '../../lib/batches.ts';
import { typedText } from '../../lib/typed-cells.ts';
import { isJsonObject, parseRecord } from '../../model/json-record.ts';
import { REMAINDER, type Remainder } from '../../model/outcome.ts';
import type { JsonObject } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import type { Run } from '../../model/run.ts';
import { messageOf as sentenceOf } from '../../model/sentence.ts';
import { type LedgerView, type RefusalBody, type Settlement, wasRefused } from '../../model/settlement.ts';
import {
  isTable,
  REPORT_COLUMN_PREFIX,
  REPORT_MEMBER,
  REPORT_TYPED_COLUMN,
  swappedIn,
} from '../../model/source.ts';
import { csvText } from './csv-text.ts';
import { serviceMessage } from './service-words.ts';

export const REMAINDERS = ['rejected', 'failed', 'in-doubt'] as const satisfies readonly Remainder[];

export type RemainderKind = (typeof REMAINDERS)[number];

const REMAINDER_FILE = new RegExp(`^(${REMAINDERS.join('|')})(-[0-9]+)?\\.(csv|ndjson)$`);

/** Which file to correct a name is, also `failed-2.csv`; `null`: none. */
export function remainderOf(name: string): RemainderKind | null {
  const stem = REMAINDER_FILE.exec(name)?.[1];
  return REMAINDERS.find((kind) => kind === stem) ?? null;
}

export type RemainderFormat = {
  readonly extension: 'csv' | 'ndjson';
  header(kind: RemainderKind): string;
  /** Each row with its line's end. */
  lines(rows: readonly RemainderRow[], kind: RemainderKind): string;
};

export type RemainderRow = {
  readonly settlement: Settlement;
  /** `null`: the ledger no longer has the record. */
  readonly source: Row | null;
  readonly body: RefusalBody | null;
};

/** In memory at a time: sources and bodies can have megabytes each. */
const LOOKUP_ROWS = 20;

export async function* unsuccessfulIn(
  settlements: readonly Settlement[],
  view: Pick<LedgerView, 'sources' | 'bodies'>,
): AsyncGenerator<readonly RemainderRow[]> {
  yield* remainderRows(
    settlements.filter(({ outcome }) => REMAINDER[outcome] !== 'none'),
    view,
  );
}

/** A few at a time, each with what is kept of it. */
export async function* remainderRows(
  settlements: readonly Settlement[],
  view: Pick<LedgerView, 'sources' | 'bodies'>,
): AsyncGenerator<readonly RemainderRow[]> {
  for (const batch of batchesOf(settlements, LOOKUP_ROWS)) {
    const refused = batch.filter(wasRefused);
    const [sources, bodies] = await Promise.all([
      view.sources(batch.map(({ row }) => row)),
      refused.length === 0 ? new Map<number, RefusalBody>() : view.bodies(refused.map(({ row }) => row)),
    ]);
    yield batch.map((settlement) => ({
      settlement,
      source: sources.get(settlement.row) ?? null,
      body: bodies.get(settlement.row) ?? null,
    }));
  }
}

/** `like`: in the form of another run's files. */
type Read = Pick<Run, 'id' | 'source'>;

export function remainderFormat(run: Read, like: Pick<Run, 'source'> = run): RemainderFormat {
  return isTable(run.source) ? csvRemainder(run, like) : ndjsonRemainder(run.id);
}

/** Without cells and words of the service. */
export function bareRemainder({ id, source }: Run): RemainderFormat {
  const bare = ({ settlement }: RemainderRow, kind: RemainderKind) => {
    return { key: settlement.key, ...memberOf(id, { settlement, source: null, body: null }, kind) };
  };
  const line = (row: RemainderRow, kind: RemainderKind) =>
    isTable(source)
      ? csvText([Object.values(bare(row, kind)).map((value) => String(value ?? ''))], dialectOf(source))
      : `${JSON.stringify({ [REPORT_MEMBER]: bare(row, kind) })}\n`;
  const names = (kind: RemainderKind) => ['key', ...ADDED, ...(kind === 'in-doubt' ? LAST[kind] : [])];
  const header = (kind: RemainderKind) =>
    BYTE_ORDER_MARK + csvText([names(kind).map(ownName)], dialectOf(source));
  return {
    ...(isTable(source) ? { extension: 'csv', header } : ndjsonRemainder(id)),
    lines: (rows, kind) => rows.map((row) => line(row, kind)).join(''),
  };
}

function dialectOf({ delimiter, quote }: Run['source']) {
  return { delimiter: delimiter ?? ',', quote: quote ?? '"' };
}

function ownName(name: string): string {
  return REPORT_COLUMN_PREFIX + name;
}

function csvRemainder({ id, source }: Read, like: Pick<Run, 'source'>): RemainderFormat {
  const dialect = dialectOf(like.source);
  const { places: kept, names: columns } = keptColumns(source);
  // Number cells are marked: the definition's number format doesn't apply to them.
  const hasTyped = like.source.type === 'xlsx' || like.source.columns.includes(REPORT_TYPED_COLUMN);
  const swapped = swappedIn(source).map((at) => `swapped ${source.columns[at]}`);
  const added = hasTyped ? [...ADDED, 'typed', ...swapped] : ADDED;
  const addedFor = (kind: RemainderKind) => [...added, ...LAST[kind]].map(ownName);
  // Of a row that was filled from it and is wrong still, too.
  const textAt = source.columns.indexOf(`${REPORT_COLUMN_PREFIX}text`);
  const unreadText = (row: Row | null) =>
    row?.kind === 'unreadable' ? [row.text] : originalCells(row, [textAt]);
  const cellsOf = (row: RemainderRow, kind: RemainderKind) => {
    return [
      ...originalCells(row.source, kept),
      ...addedCells(id, row),
      ...(hasTyped ? [row.source?.kind === 'cells' ? typedText(row.source, source.columns) : ''] : []),
      ...(hasTyped ? swapped.map(() => '') : []),
      ...(kind === 'failed' ? unreadText(row.source) : []),
      ...(kind === 'in-doubt' ? [''] : []),
    ];
  };
  return {
    extension: 'csv',
    header: (kind) => BYTE_ORDER_MARK + csvText([[...columns, ...addedFor(kind)]], dialect),
    lines: (rows, kind) =>
      csvText(
        rows.map((row) => cellsOf(row, kind)),
        dialect,
      ),
  };
}

/** Of a report file as input, without its columns about the earlier run. */
export function keptColumns({ columns }: Pick<Run['source'], 'columns'>) {
  const places = columns.flatMap((name, at) => (name.startsWith(REPORT_COLUMN_PREFIX) ? [] : [at]));
  return { places, names: places.map((at) => columns[at] ?? '') };
}

/** Without it Excel reads UTF-8 in another encoding and breaks letters with accents. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Only an invalid row can be one that could not be read. */
const LAST: Readonly<Record<RemainderKind, readonly string[]>> = {
  rejected: [],
  failed: ['text'],
  'in-doubt': ['resolution'],
};

const ADDED = ['run', 'row', 'outcome', 'status', 'code', 'message'] as const;

/** Empty for a row that could not be read or is no longer kept: it can't send a guess. */
function originalCells(source: Row | null, kept: readonly number[]): readonly string[] {
  if (source?.kind === 'record')
    throw new Error(`row ${source.row} is a JSON record, but the run's file is CSV`);
  return kept.map((i) => (source?.kind === 'cells' ? (source.cells[i] ?? '') : ''));
}

/** The number of a row that stands for none of the run: it is a record of its own. */
export const OF_NO_ROW = 0;

function addedCells(run: string, row: RemainderRow): readonly string[] {
  const s = row.settlement;
  if (s.row === OF_NO_ROW) return ADDED.map(() => '');
  return [run, String(s.row), s.outcome, s.status === 0 ? '' : String(s.status), s.code, reasonOf(row)];
}

/** One record per line: its values, and one more member in place of an older one. */
function ndjsonRemainder(run: string): RemainderFormat {
  return {
    extension: 'ndjson',
    header: () => '',
    lines: (rows, kind) => rows.map((row) => `${recordText(run, row, kind)}\n`).join(''),
  };
}

/** Only our member where the row could not be read or is no longer kept. */
function recordText(run: string, row: RemainderRow, kind: RemainderKind): string {
  const member = memberOf(run, row, kind);
  const source = row.source;
  if (source === null) return JSON.stringify({ [REPORT_MEMBER]: member });
  switch (source.kind) {
    case 'record': {
      const record = parseRecord(source.text);
      const before = record?.[REPORT_MEMBER];
      const text = isJsonObject(before) && before.text !== undefined ? { text: before.text } : {};
      return JSON.stringify({ ...record, [REPORT_MEMBER]: { ...member, ...text } });
    }
    case 'unreadable':
      return JSON.stringify({ [REPORT_MEMBER]: { ...member, text: source.text } });
    case 'cells':
      throw new Error(`row ${source.row} is made of cells, but the run's file is JSON`);
    default:
      throw new Error(`a source record of an unknown kind: ${source satisfies never}`);
  }
}

function memberOf(run: string, row: RemainderRow, kind: RemainderKind): JsonObject {
  const { row: number, outcome, status, code } = row.settlement;
  const member = {
    run,
    row: number,
    outcome,
    status: status === 0 ? null : status,
    code,
    message: reasonOf(row),
  };
  return kind === 'in-doubt' ? { ...member, resolution: '' } : member;
}

/** The service's words, for those who may see them; else ours. */
export function reasonOf(row: Pick<RemainderRow, 'settlement' | 'body'>): string {
  return serviceMessage(saidOf(row) ?? '') || sentenceOf(row.settlement);
}

/** `null`: the service said nothing of the row; a redirect's page speaks of an address alone. */
export function saidOf({ settlement, body }: Pick<RemainderRow, 'settlement' | 'body'>): string | null {
  return settlement.code === 'redirect' ? null : (body?.text ?? null);
}
