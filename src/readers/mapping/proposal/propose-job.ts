/**
 * A job definition that a file's header and first rows suggest (`onboard map`). Each column is
 * placed or listed for a decision, none is dropped; no value of a cell gets into a proposal.
 */

import { mostMistakes } from '../../../model/issue.ts';
import { flattenRecord, parseRecord } from '../../../model/json-record.ts';
import type { FieldCatalog } from '../../../model/mapping.ts';
import type { Operation } from '../../../model/operation.ts';
import type { JsonValue } from '../../../model/request.ts';
import type { Row } from '../../../model/row.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../../../model/source.ts';
import { needsPathId, OF_ENTITIES, specOf } from '../../../operations/operations.ts';
import { SWAPPED } from '../bind-fields.ts';
import { createFieldLookup, type FieldLookup } from '../request-field.ts';
import { createFindMeaning } from './meaning.ts';
import { fieldNames, keyNamesOf, looseName, referenceNamesOf } from './names.ts';
import { readSo } from './notations.ts';
import {
  isAlone,
  keyField,
  leafType,
  type Placement,
  type ProposedField,
  placeColumns,
  proposeField,
  SERVICE_SETS,
} from './propose-fields.ts';

export type KeyGuess = {
  readonly column: string;
  /** Rows that lack the key, or have one that came before. */
  readonly flaws: number;
  /** What the reader of the proposal has to know; `null` where the name says it all. */
  readonly note: string | null;
  readonly isExact: boolean;
};

export type JobProposal = {
  readonly operation: Operation;
  readonly key: KeyGuess | null;
  /** Somebody has decided that there is none. */
  readonly isKeyless: boolean;
  /** What could be the key, the likeliest first. */
  readonly candidates: readonly KeyGuess[];
  readonly fields: readonly ProposedField[];
  readonly itself: readonly string[];
  readonly open: readonly { readonly column: string; readonly reason: string }[];
  readonly required: readonly string[];
  /** The identifier in the path that no column seems to fill; `null` where there is no such gap. */
  readonly missingId: string | null;
};

type ProposalOptions = {
  readonly operation: Operation;
  readonly catalog: FieldCatalog;
  readonly pathField: string | null;
  readonly source: Pick<SourceInfo, 'type' | 'columns' | 'swapped'>;
  readonly rows: readonly Row[];
};

export function proposeJob(options: ProposalOptions): JobProposal {
  const { operation, catalog, pathField, source } = options;
  const readable = options.rows.filter((row) => row.kind !== 'unreadable');
  const table = readable.map((row) => cellsOf(row, source.columns));
  const lookUp = createFieldLookup(catalog, pathField);
  const findMeaning = createFindMeaning(operation, catalog, pathField);
  const guesses = guessKeys(operation, source.columns, table);
  const [key = null] = guesses;
  const placements = placeColumns({
    columns: source.columns,
    lookUp,
    isTable: isTable(source),
    pathField,
    cellsAt: (slot) => cellsIn(slot, readable, table),
    findMeaning: (header) =>
      header === key?.column ? keyField(operation, header, pathField) : findMeaning(header),
  }).filter(({ column }) => !isOfReport(column) && !(column === '' && isTable(source)));
  const proposed = placements.map((placement) => ({
    placement,
    field: proposeField(placement, cellsIn(placement.slot, readable, table), lookUp),
  }));
  const isSwapped = (column: string) => source.swapped?.some((slot) => source.columns[slot] === column);
  const fields = proposed
    .flatMap(({ field }) => field ?? [])
    .map((field) => (isSwapped(field.column) ? { ...field, ...UNREADABLE } : field));
  const placed = new Set(placements.flatMap((one) => (one.kind === 'open' ? [] : [one.field])));
  return {
    operation,
    key,
    isKeyless: false,
    candidates: key === null ? registersIn(source.columns, table) : guesses,
    fields,
    itself: proposed.flatMap(({ placement, field }) =>
      placement.kind === 'itself' && field === null ? [placement.column] : [],
    ),
    open: openColumns(placements, fields, key?.column ?? null),
    // The service's document requires none. A person's record has a last name instead.
    required: requiredOf(placed),
    // The ledger knows the identifier of what an upsert finds under a key.
    missingId: !needsPathId(operation) || placed.has(pathField ?? '') ? null : pathField,
  };
}

/**
 * Of the fields that are filled. A person's record has a last name instead: beside one a name is
 * asked for where `share`, 0 to 1, says that nearly all rows have it.
 */
export function requiredOf(
  filled: { has(field: string): boolean },
  share: (field: string) => number = () => 0,
): readonly string[] {
  const names = NAMES.filter((field) => filled.has(field));
  return filled.has('lastName') ? names.filter((field) => share(field) > NEARLY_ALL) : names;
}

const NEARLY_ALL = 0.9;

const UNREADABLE = { notation: {}, notes: [`expected ${SWAPPED}`], isDecided: false };
const NAMES = ['details.name', 'name'];

function isOfReport(column: string): boolean {
  return column.startsWith(REPORT_COLUMN_PREFIX) || `${column}.`.startsWith(`${REPORT_MEMBER}.`);
}

/** Each column once, though the file may have it twice. */
function openColumns(
  placements: readonly Placement[],
  fields: readonly ProposedField[],
  key: string | null,
): JobProposal['open'] {
  const reasons = new Map<string, string>();
  for (const { column, field, isDecided } of fields) {
    if (!isDecided) reasons.set(column, `see ${field} above`);
  }
  for (const one of placements) {
    // Its key may be a record's own, but goes into no field of that name.
    if (one.kind === 'open' && (one.column !== key || one.reason === SERVICE_SETS))
      reasons.set(one.column, one.reason);
  }
  return [...reasons].map(([column, reason]) => ({ column, reason }));
}

const PERHAPS_ANOTHERS =
  'perhaps not the payee’s own, but the key of the subclient that the payee belongs to: ' +
  'then it is "parent.id: { column: …, ref: subclient }" and no key';

/**
 * Nearly every row has a key of its own. That of a payee may stand in several rows, one for each
 * account; a key that may be the one of the payee's subclient may not.
 */
function guessKeys(operation: Operation, columns: readonly string[], table: Table): readonly KeyGuess[] {
  const isPayee = specOf(operation).proposal.group !== null;
  const references = isPayee ? referenceNamesOf(operation) : [];
  const most = isPayee ? table.length : mostMistakes(table.length);
  const names = columns.map(looseName);
  const slots = new Set(keyNamesOf(operation).map((wanted) => names.indexOf(wanted)));
  return [...slots].flatMap((slot) => {
    const column = columns[slot];
    if (column === undefined || !isAlone(column, columns)) return [];
    const isAnothers = references.includes(names[slot] ?? '');
    const keys = keysIn(slot, table);
    const guess = guessOf(column, keys);
    if (countsRows(keys) || guess.flaws > (isAnothers ? 0 : Math.min(most, table.length / 2))) return [];
    return [isAnothers ? { ...guess, note: PERHAPS_ANOTHERS } : guess];
  });
}

/** Registers' numbers, none twice. */
function registersIn(columns: readonly string[], table: Table): readonly KeyGuess[] {
  const names = fieldNames(OF_ENTITIES);
  return columns.flatMap((column, slot) => {
    const isNamed = REGISTERED.test(names.get(looseName(column))?.field ?? '');
    const keys = keysIn(slot, table);
    const isFull = keys.length >= FEWEST && flawsOf(keys) <= keys.length / 100;
    return isNamed && isFull && isAlone(column, columns) ? [guessOf(column, keys)] : [];
  });
}

/** As the field would be sent of the cell; `undefined`: not at all. */
export function readCell(
  { field, notation }: Pick<ProposedField, 'field' | 'notation'>,
  cell: string,
  lookUp: FieldLookup,
): JsonValue | undefined {
  const type = leafType(field, lookUp);
  return type === null ? undefined : readSo(type, notation, cell);
}

/** What the rows say of a column that somebody has chosen. */
export function chosenKey(
  column: string,
  { source, rows }: Pick<ProposalOptions, 'source' | 'rows'>,
): KeyGuess {
  const readable = rows.filter((row) => row.kind !== 'unreadable');
  const table = readable.map((row) => cellsOf(row, source.columns));
  const keys = keysIn(source.columns.indexOf(column), table);
  const guess = guessOf(column, keys);
  return countsRows(keys) ? { ...guess, note: COUNT_OF_ROWS } : guess;
}

function guessOf(column: string, keys: readonly string[]): KeyGuess {
  return { column, flaws: flawsOf(keys), note: null, isExact: differByCase(keys) };
}

const COUNT_OF_ROWS = 'a count of the rows: the next file has the same numbers on other records';

const REGISTERED = /^details\.(?:tradeRegistryId|taxId)$/;
const FEWEST = 3;

function keysIn(slot: number, table: Table): readonly string[] {
  return table.map((cells) => String(cells[slot] ?? ''));
}

/** 1, 2, 3 …: the next file has them on other records. */
function countsRows(keys: readonly string[]): boolean {
  return keys.length >= FEWEST && keys.every((key, i) => key === String(i + 1));
}

/** Salesforce's of 15 signs, of which case alone parts some. */
function differByCase(keys: readonly string[]): boolean {
  const folded = new Set(keys.map((key) => key.toLowerCase()));
  return folded.size < new Set(keys).size && keys.every((key) => /^(?:[A-Za-z\d]{15})?$/.test(key));
}

function flawsOf(keys: readonly string[]): number {
  return keys.length - new Set(keys.filter((key) => key !== '')).size;
}

type Table = readonly (readonly JsonValue[])[];

/** `null` for a workbook's numbers, dates and booleans, which are read in one way only. */
function cellsIn(slot: number, rows: readonly Row[], table: Table): readonly JsonValue[] {
  return rows.flatMap((row, i) => {
    const cell = table[i]?.[slot] ?? '';
    const isTyped = row.kind === 'cells' && row.typed?.includes(slot) === true;
    return cell === '' ? [] : [isTyped ? null : cell];
  });
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
