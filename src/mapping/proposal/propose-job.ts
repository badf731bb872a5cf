/**
 * A job definition that a file's header and first rows suggest (`onboard map`): where each column
 * goes, how its cells are read, which column is the key. Each column is placed or listed for a
 * decision, none is dropped; no value of a cell gets into a proposal.
 */
import { flattenRecord } from '../../model/flatten-record.ts';
import { parseRecord } from '../../model/json-record.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import type { BuiltIn } from '../../model/operation.ts';
import type { JsonValue } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../../model/source.ts';
import { createFieldLookup } from '../request-field.ts';
import { guessKey, type KeyGuess, type Table } from './guess-key.ts';
import { createFindMeaning } from './meaning.ts';
import {
  keyField,
  type Placement,
  type ProposedField,
  placeColumns,
  proposeField,
  SERVICE_SETS,
} from './propose-fields.ts';

export type JobProposal = {
  readonly operation: BuiltIn;
  readonly key: KeyGuess | null;
  readonly fields: readonly ProposedField[];
  readonly itself: readonly string[];
  readonly open: readonly { readonly column: string; readonly reason: string }[];
  readonly required: readonly string[];
  /** The identifier in the path that no column seems to fill; `null` where there is no such gap. */
  readonly missingId: string | null;
};

type ProposalOptions = {
  readonly operation: BuiltIn;
  readonly catalog: FieldCatalog;
  readonly pathField: string | null;
  readonly source: Pick<SourceInfo, 'type' | 'columns'>;
  readonly rows: readonly Row[];
};

export function proposeJob(options: ProposalOptions): JobProposal {
  const { operation, catalog, pathField, source } = options;
  const readable = options.rows.filter((row) => row.kind !== 'unreadable');
  const table = readable.map((row) => cellsOf(row, source.columns));
  const texts = textsOf(source.columns, readable, table);
  const lookUp = createFieldLookup(catalog, pathField);
  const findMeaning = createFindMeaning(operation, catalog, pathField);
  const key = guessKey({ operation, columns: source.columns, table, findMeaning });
  const placements = placeColumns({
    columns: source.columns,
    texts,
    lookUp,
    isTable: isTable(source),
    pathField,
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
    required: requiredOf(placements, fields, table),
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

function onePerColumn(open: JobProposal['open']): JobProposal['open'] {
  return [...new Map(open.map((one) => [one.column, one])).values()];
}

function openOf(placement: Placement, key: string | null): JobProposal['open'] {
  if (placement.kind !== 'open') return [];
  // Its key may be a record's own, but goes into no field of that name.
  if (placement.column === key && placement.reason !== SERVICE_SETS) return [];
  return [{ column: placement.column, reason: placement.reason }];
}

/** More rows than that without a name are no mistakes. */
const OFTEN = 0.25;

const NAMES: ReadonlySet<string> = new Set(['details.name', 'name']);

/** The service's document requires none, but a record without its name helps nobody. */
function requiredOf(
  placements: readonly Placement[],
  fields: readonly ProposedField[],
  table: Table,
): readonly string[] {
  const open = new Set(fields.flatMap(({ field, isDecided }) => (isDecided ? [] : [field])));
  const person = placements.find((one) => one.kind !== 'open' && one.field === 'lastName')?.slot ?? -1;
  return placements.flatMap((placement) => {
    if (placement.kind === 'open' || !NAMES.has(placement.field) || open.has(placement.field)) return [];
    const lacking = table.filter((cells) => cells[placement.slot] === '');
    // A record without the name may be a person's, and be right.
    const isRight = lacking.some((cells) => (cells[person] ?? '') !== '');
    const isNeverThere = lacking.length > 0 && lacking.length === table.length;
    const isOften = lacking.length > Math.max(1, table.length * OFTEN);
    return isRight || isNeverThere || isOften ? [] : [placement.field];
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

/** By column, without a workbook's numbers, dates and booleans, which are read in one way only. */
function textsOf(
  columns: readonly string[],
  rows: readonly Row[],
  table: Table,
): readonly (readonly JsonValue[])[] {
  return columns.map((_, slot) =>
    rows.flatMap((row, i) => {
      const cell = table[i]?.[slot] ?? '';
      const isTyped = row.kind === 'cells' && row.typed?.includes(slot) === true;
      return cell === '' || isTyped ? [] : [cell];
    }),
  );
}

export function cellsOf(row: Row, columns: readonly string[]): readonly JsonValue[] {
  switch (row.kind) {
    case 'cells':
      return columns.map((_, slot) => row.cells[slot] ?? '');
    case 'record': {
      const leaves = flattenRecord(parseRecord(row.text) ?? {});
      return columns.map((column) => leaves.get(column) ?? '');
    }
    case 'unreadable':
      return columns.map(() => '');
    default:
      return row satisfies never;
  }
}
