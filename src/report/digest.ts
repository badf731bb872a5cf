/**
 * A run's digest, counted in the one pass that writes its report: outcomes and causes with where in
 * the file they are, how long the service took, and the first rows that need somebody. Costs a row
 * that succeeded three additions.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { chunkBitsText, newChunkBits, setChunk } from '../model/chunk-bits.ts';
import { type Digest, type NamedRow, partsOf, type RowCause, UNTOLD } from '../model/digest.ts';
import { flattenRecord } from '../model/flatten-record.ts';
import { describedColumn } from '../model/issue.ts';
import { parseRecord } from '../model/json-record.ts';
import { noOutcomes, OUTCOMES, type Outcome } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import { chunksOf, type Run } from '../model/run.ts';
import type { SettledChunk, Settlement } from '../model/settlement.ts';
import { type CauseTerms, fieldsIn } from './cause.ts';
import { type CountedCause, causeId, createCauseTally, toldText } from './cause-tally.ts';
import type { RemainderRow } from './remainder.ts';
import { type Advising, adviceIn } from './results.ts';
import type { Cause } from './summary.ts';
import { createLatencyTally, createTimeline } from './timeline.ts';

type DigestOptions = {
  readonly run: Run;
  readonly fields: CauseTerms['fields'];
  readonly advising: Advising;
  /** `null` where the ledger no longer has it. */
  readonly definition: Pick<JobDefinition, 'fields' | 'report'> | null;
};

export type DigestTally = {
  add(chunk: SettledChunk): void;
  /** Besides, each row that did not succeed. */
  addUnsuccessful(row: RemainderRow, chunk: number): void;
  digest(): Digest;
  /** The commonest causes, as the summary has them. */
  topCauses(): readonly Cause[];
};

/** In this order people look at them. */
const NEEDING = ['in-doubt', 'rejected', 'denied', 'failed', 'invalid'] as const satisfies readonly Outcome[];
const NEEDING_ROWS = 300;
const MAX_CAUSES = 200;
/** One more than the largest status; 0 stands for none. */
const STATUSES = 1_000;
/** A cell that may be shown, as far as it is kept. */
const SHOWN_CHARACTERS = 100;

type Needing = { readonly named: NamedRow; readonly code: string; readonly cause: CountedCause };

export function createDigestTally({ run, fields, advising, definition }: DigestOptions): DigestTally {
  const { rows, source } = run;
  const parts = partsOf(rows);
  const chunks = chunksOf(run);
  const outcomes = noOutcomes();
  const where = new Map<Outcome, { readonly strip: Uint32Array; readonly bits: Uint8Array }>();
  const latency = createLatencyTally();
  const timeline = createTimeline(Date.parse(run.startedAt ?? run.createdAt));
  const statuses = new Uint32Array(STATUSES);
  const causes = createCauseTally({ columns: source.columns, fields }, { rows, chunks });
  const needing = new Map<Outcome, Needing[]>(NEEDING.map((outcome) => [outcome, []]));
  const show = definition?.report.show ?? [];
  const namedRow = ({ settlement, source: of }: RemainderRow): NamedRow => {
    const { row, line, key } = settlement;
    return { row, line, key, shown: shownCells(of, source.columns, show) };
  };
  const addRow = ({ row, outcome, attempts, ms, status }: Settlement, chunk: number) => {
    outcomes[outcome] += 1;
    let place = where.get(outcome);
    if (place === undefined) {
      place = { strip: new Uint32Array(parts), bits: newChunkBits(chunks) };
      where.set(outcome, place);
    }
    const part = Math.floor(((row - 1) * parts) / Math.max(rows, row));
    place.strip[part] = (place.strip[part] ?? 0) + 1;
    setChunk(place.bits, chunk, chunks);
    if (attempts === 0) return;
    latency.add(ms);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  return {
    add(chunk) {
      timeline.add(chunk);
      for (const settlement of chunk.settlements) addRow(settlement, chunk.chunk);
    },
    addUnsuccessful(row, chunk) {
      const { outcome, code } = row.settlement;
      const cause = causes.add(row, chunk, () => namedRow(row));
      const list = needing.get(outcome);
      if (list !== undefined && list.length < NEEDING_ROWS) list.push({ named: namedRow(row), code, cause });
    },
    digest() {
      const all = causes.told();
      const kept = all.slice(0, MAX_CAUSES);
      return {
        run: run.id,
        rows,
        read: OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0),
        outcomes: { ...outcomes },
        where: Object.fromEntries([...where].map(([outcome, { strip }]) => [outcome, [...strip]])),
        chunks: Object.fromEntries([...where].map(([outcome, { bits }]) => [outcome, chunkBitsText(bits)])),
        causes: kept.map((cause) => rowCause(cause, { advising, definition, columns: source.columns })),
        others: all.slice(MAX_CAUSES).reduce((sum, { count }) => sum + count, 0),
        latency: latency.latency(),
        moments: [...timeline.moments()],
        statuses: [...statuses]
          .map((of, status) => ({ status, rows: of }))
          .filter((one) => one.rows > 0)
          .sort((a, b) => b.rows - a.rows || a.status - b.status),
        needing: NEEDING.flatMap((outcome) =>
          (needing.get(outcome) ?? []).map(({ named, code, cause }) => ({
            ...named,
            outcome,
            code,
            why: toldText(cause),
          })),
        ).slice(0, NEEDING_ROWS),
      };
    },
    topCauses: causes.top,
  };
}

type Naming = Pick<DigestOptions, 'advising' | 'definition'> & { readonly columns: readonly string[] };

function rowCause(cause: CountedCause, { advising, definition, columns }: Naming): RowCause {
  const { outcome, code, text, count, first, last, examples, where, bits } = cause;
  const fields = outcome === 'rejected' && text !== UNTOLD ? fieldsIn(text) : [];
  const described = outcome === 'invalid' ? describedColumn(text) : null;
  const named = fields.flatMap((field) => columnsOf(field, definition, columns));
  return {
    id: causeId(cause),
    outcome,
    code,
    text,
    fields: [...fields],
    columns: [...new Set(described === null ? named : [described])].slice(0, COLUMNS_NAMED),
    advice: adviceIn({ code, outcome }, advising),
    count,
    first,
    last,
    examples: [...examples],
    where: [...where],
    chunks: chunkBitsText(bits),
  };
}

const COLUMNS_NAMED = 5;

/** The file's columns that a field of the request, such as `accounts[].iban`, is made of. */
function columnsOf(
  field: string,
  definition: DigestOptions['definition'],
  columns: readonly string[],
): readonly string[] {
  const isIt = (path: string) => path.replaceAll(/\[\d+\]|\.\d+(?=\.|$)/g, '[]') === field;
  const mapped = Object.entries(definition?.fields ?? {}).flatMap(([path, from]) => {
    if (!isIt(path)) return [];
    if (typeof from === 'string') return [from];
    return 'column' in from ? [from.column] : [];
  });
  return [...mapped, ...columns.filter(isIt)];
}

/**
 * The row's cells of the columns that may be shown, at most so much of each; empty where it has
 * none.
 */
function shownCells(source: Row | null, columns: readonly string[], show: readonly string[]): string[] {
  if (show.length === 0) return [];
  const record = source?.kind === 'record' ? flattenRecord(parseRecord(source.text) ?? {}) : null;
  return show.map((name) => {
    const cell = source?.kind === 'cells' ? source.cells[columns.indexOf(name)] : record?.get(name);
    return cell === undefined || cell === null ? '' : String(cell).slice(0, SHOWN_CHARACTERS);
  });
}
