import type { FieldCatalog } from '../../model/mapping.ts';
import type { Operation } from '../../model/operation.ts';
import type { Row } from '../../model/row.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../../model/source.ts';
import { createFieldLookup } from '../known-field.ts';
import { columnValues } from './column-values.ts';
import { createFindMeaning } from './find-meaning.ts';
import { guessKey, type KeyGuess } from './guess-key.ts';
import { type Placement, placeColumns } from './place-columns.ts';
import { keyField, type ProposedField, proposeField } from './propose-field.ts';

/** A job definition that a file's header and first rows suggest; it holds no cell values. */
export type JobProposal = {
  readonly operation: Operation;
  /** The column of the rows' own key, `null` where none was found. */
  readonly key: KeyGuess | null;
  /** Lines under `fields`, and those that a person has to decide on. */
  readonly fields: readonly ProposedField[];
  /** Headers that are field paths: they need no line. */
  readonly itself: readonly string[];
  /** Columns that are not sent until somebody decides. */
  readonly open: readonly { readonly column: string; readonly reason: string }[];
  readonly required: readonly string[];
  /** The identifier in the path that no column seems to fill, `null` where all is well. */
  readonly missingId: string | null;
};

export type ProposalOptions = {
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
  }).filter(({ column }) => !isOfReport(column));
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
    open: [
      ...undecided(fields),
      ...placements.flatMap((placement) => openOf(placement, key?.column ?? null)),
    ],
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

function openOf(placement: Placement, key: string | null): JobProposal['open'] {
  if (placement.kind !== 'open' || placement.column === key) return [];
  return [{ column: placement.column, reason: placement.reason }];
}

/** A row or two without it (a line of totals) are mistakes, not a habit of the file. */
const MISTAKES = 0.1;

/** What names a record. */
const NAMES: ReadonlySet<string> = new Set(['details.name', 'name']);

/** The service's document requires nothing; a record without its name helps nobody. */
function requiredOf(
  placements: readonly Placement[],
  fields: readonly ProposedField[],
  about: { readonly values: readonly (readonly unknown[])[]; readonly rows: number },
): readonly string[] {
  const open = new Set(fields.flatMap(({ field, isDecided }) => (isDecided ? [] : [field])));
  return placements.flatMap((placement) => {
    if (placement.kind === 'open' || open.has(placement.field)) return [];
    const lacking = about.rows - (about.values[placement.slot]?.length ?? 0);
    const isUsual = lacking <= Math.max(1, about.rows * MISTAKES) && lacking < about.rows / 2;
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
