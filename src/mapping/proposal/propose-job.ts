/**
 * A job definition that a file's header and first rows suggest (`onboard map`): where each column goes, how its cells
 * are read, which column is the key. Each column is placed or listed for a decision, none is dropped; no value of a cell
 * gets into a proposal.
 */
import { flattenRecord } from '../../model/flatten-record.ts';
import { parseRecord } from '../../model/json-record.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import type { Operation } from '../../model/operation.ts';
import type { JsonValue } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../../model/source.ts';
import { createFieldLookup } from '../request-field.ts';
import { keyNamesOf } from './aliases.ts';
import { createFindMeaning, looseName } from './meaning.ts';
import { mostMistakes } from './notations.ts';
import {
  keyField,
  type Placement,
  type ProposedField,
  placeColumns,
  proposeField,
} from './propose-fields.ts';

/** A proposal, before it is written as YAML. */
export type JobProposal = {
  readonly operation: Operation;
  /** The column of the rows' own key, `null` where none was found. */
  readonly key: KeyGuess | null;
  /** Lines under `fields`, and those that a person has to decide on. */
  readonly fields: readonly ProposedField[];
  /** Headers that are field paths and need no line. */
  readonly itself: readonly string[];
  /** Columns that are not sent until somebody decides. */
  readonly open: readonly { readonly column: string; readonly reason: string }[];
  readonly required: readonly string[];
  /** The identifier in the path that no column seems to fill; `null` where there is no such gap. */
  readonly missingId: string | null;
};

type ProposalOptions = {
  readonly operation: Operation;
  readonly catalog: FieldCatalog;
  readonly pathField: string | null;
  readonly source: Pick<SourceInfo, 'type' | 'columns'>;
  readonly rows: readonly Row[];
};

/** Proposes a definition that fits the file: each of its columns is placed, or listed for a decision. */
export function proposeJob(options: ProposalOptions): JobProposal {
  const { operation, catalog, pathField, source } = options;
  const values = columnValues(source, options.rows, 'all');
  const texts = columnValues(source, options.rows, 'texts');
  const lookUp = createFieldLookup(catalog, pathField);
  const readable = options.rows.filter((row) => row.kind !== 'unreadable').length;
  const key = guessKey(operation, source.columns, { values, rows: readable });
  const findMeaning = createFindMeaning(operation, catalog, pathField);
  const placements = placeColumns({
    columns: source.columns,
    lookUp,
    isTable: isTable(source),
    findMeaning: (header) =>
      header === key?.column ? keyField(operation, header, pathField) : findMeaning(header),
  }).filter(({ column }) => !isOfReport(column) && !(column === '' && isTable(source)));
  const proposed = placements.map((placement) => ({
    placement,
    field: proposeField(placement, texts[placement.slot] ?? [], lookUp),
  }));
  const fields = proposed.flatMap(({ field }) => field ?? []);
  return {
    operation,
    key,
    fields,
    itself: proposed.flatMap(({ placement, field }) =>
      placement.kind === 'itself' && field === null ? [placement.column] : [],
    ),
    open: onePerColumn([
      ...undecided(fields),
      ...placements.flatMap((placement) => openOf(placement, key?.column ?? null)),
    ]),
    required: requiredOf(placements, fields, { values, rows: readable }),
    missingId: missingId(placements, options),
  };
}

function isOfReport(column: string): boolean {
  return column.startsWith(REPORT_COLUMN_PREFIX) || `${column}.`.startsWith(`${REPORT_MEMBER}.`);
}

function undecided(fields: readonly ProposedField[]): JobProposal['open'] {
  return fields.flatMap(({ column, field, isDecided }) =>
    isDecided ? [] : [{ column, reason: `see ${field} above` }],
  );
}

/** Columns that share a name are one line. */
function onePerColumn(open: JobProposal['open']): JobProposal['open'] {
  return [...new Map(open.map((one) => [one.column, one])).values()];
}

function openOf(placement: Placement, key: string | null): JobProposal['open'] {
  if (placement.kind !== 'open' || placement.column === key) return [];
  return [{ column: placement.column, reason: placement.reason }];
}

/** Fields that name a record. */
const NAMES: ReadonlySet<string> = new Set(['details.name', 'name']);

/** The fields to require: the service's document requires none, but a record without its name helps nobody. */
function requiredOf(
  placements: readonly Placement[],
  fields: readonly ProposedField[],
  about: { readonly values: readonly (readonly unknown[])[]; readonly rows: number },
): readonly string[] {
  const open = new Set(fields.flatMap(({ field, isDecided }) => (isDecided ? [] : [field])));
  return placements.flatMap((placement) => {
    if (placement.kind === 'open' || open.has(placement.field)) return [];
    const lacking = about.rows - (about.values[placement.slot]?.length ?? 0);
    const isUsual = lacking <= mostMistakes(about.rows) && lacking < about.rows / 2;
    return NAMES.has(placement.field) && isUsual ? [placement.field] : [];
  });
}

function missingId(
  placements: readonly Placement[],
  { pathField, operation }: ProposalOptions,
): string | null {
  // The ledger knows the identifier of what an upsert finds under a key.
  if (pathField === null || operation === 'subclient.upsert') return null;
  return placements.some((one) => one.kind !== 'open' && one.field === pathField) ? null : pathField;
}

/** The values of the readable rows in each column, by the column's position, without empty text. */
type ColumnValues = readonly (readonly JsonValue[])[];

/** Lays rows out by columns; `texts` leaves out a workbook's numbers, dates and booleans, which are read in one way only. */
function columnValues(
  { columns }: Pick<SourceInfo, 'columns'>,
  rows: readonly Row[],
  kind: 'all' | 'texts',
): ColumnValues {
  const values = columns.map((): JsonValue[] => []);
  for (const row of rows) {
    const cells = cellsOf(row, columns);
    const typed = kind === 'texts' && row.kind === 'cells' ? row.typed : undefined;
    for (const [slot, list] of values.entries()) {
      const value = cells[slot] ?? '';
      if (value !== '' && typed?.includes(slot) !== true) list.push(value);
    }
  }
  return values;
}

function cellsOf(row: Row, columns: readonly string[]): readonly (JsonValue | undefined)[] {
  switch (row.kind) {
    case 'cells':
      return row.cells;
    case 'record': {
      const leaves = flattenRecord(parseRecord(row.text) ?? {});
      return columns.map((column) => leaves.get(column));
    }
    case 'unreadable':
      return [];
    default:
      return row satisfies never;
  }
}

/** The column of the rows' own key, judged by the rows that were looked at. */
type KeyGuess = {
  readonly column: string;
  /** Rows that lack the key, or have one that came before. */
  readonly flaws: number;
  /** Rows with the same key stand together, as accounts of one counterparty do. */
  readonly isGrouped: boolean;
};

/** The column that is most probably the rows' own key: its name says so, and nearly every row has one of its own. */
function guessKey(
  operation: Operation,
  columns: readonly string[],
  about: { readonly values: ColumnValues; readonly rows: number },
): KeyGuess | null {
  const names = columns.map(looseName);
  for (const wanted of keyNamesOf(operation)) {
    const slot = names.indexOf(wanted);
    const column = columns[slot];
    if (column === undefined || columns.lastIndexOf(column) !== slot) continue;
    const guess = judge(column, about.values[slot] ?? [], about.rows);
    const isBearable = guess.flaws <= mostMistakes(about.rows) && guess.flaws <= about.rows / 2;
    if (isBearable || (operation === 'counterparty.draft' && guess.isGrouped)) return guess;
  }
  return null;
}

function judge(column: string, values: readonly JsonValue[], rows: number): KeyGuess {
  const different = new Set(values).size;
  const changes = values.filter((value, i) => i === 0 || value !== values[i - 1]).length;
  return {
    column,
    flaws: rows - different,
    isGrouped: values.length === rows && different < rows && changes === different,
  };
}
