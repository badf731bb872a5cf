/**
 * Where each column of a file goes in a proposal, and how its cells are read there: to the field
 * that its header spells, else to the one that it means; a field takes one column.
 */

import type { Operation } from '../../../model/operation.ts';
import type { JsonValue } from '../../../model/request.ts';
import { specOf } from '../../../operations/operations.ts';
import { isRefusedAsNumber } from '../checks/checks.ts';
import type { ColumnSlot } from '../compilation.ts';
import {
  catalogPath,
  type FieldLookup,
  formatFieldPath,
  isSetByService,
  type KnownField,
  type LeafType,
  lastName,
  parseFieldPath,
} from '../request-field.ts';
import type { FindMeaning, Meaning } from './meaning.ts';
import { AT_TOP, looseName, rankOf } from './names.ts';
import { type ChosenNotation, chooseNotation } from './notations.ts';

export type Placement =
  | (ColumnSlot & { readonly kind: 'itself'; readonly field: string; readonly known: KnownField })
  | (ColumnSlot & Meaning & { readonly kind: 'field' })
  | (ColumnSlot & { readonly kind: 'open'; readonly reason: string });

type PlacingMeans = {
  readonly columns: readonly string[];
  readonly lookUp: FieldLookup;
  readonly findMeaning: FindMeaning;
  readonly isTable: boolean;
  readonly pathField: string | null;
  readonly cellsAt: (slot: number) => readonly JsonValue[];
};

const NOT_PLACED = 'no field was found for it';
export const SERVICE_SETS = 'only the service sets a field of that name';
const OF_LEDGER =
  'an account number without the code of a bank beside it: ' + 'it may be of an account in somebody’s books';

/** Headers that are fields first, then the most telling names; no second column in a field. */
export function placeColumns(means: PlacingMeans): readonly Placement[] {
  const claim = createClaims();
  const columns = means.columns.map((column, slot) => ({ column, slot }));
  const placed = columns.map((at) => claim(itself(at, means)));
  const meant = columns.flatMap((at) => byMeaning(at, means) ?? []);
  const spelled = placed.filter((one) => one?.kind === 'itself').map(({ field }) => field);
  const meanings = inOneShape(meant, spelled);
  const hasBank = hasBankBeside(meanings);
  for (const meaning of [...meanings].sort(byTelling)) {
    const isOfLedger = meaning.doubt === 'ledger' && !hasBank;
    placed[meaning.slot] ??= isOfLedger ? open(meaning, OF_LEDGER) : claim(meaning);
  }
  return namesOfPeople(columns.map((at, i) => placed[i] ?? open(at, NOT_PLACED)));
}

type Meant = Extract<Placement, { kind: 'field' }>;

/** By rank, then the longest, without a doubt, the file's first. */
function byTelling(a: Meant, b: Meant): number {
  const doubts = Number(a.note !== null) - Number(b.note !== null);
  return rankOf(a) - rankOf(b) || b.letters - a.letters || doubts || a.slot - b.slot;
}

const PARTED = 'address.';
const TOP_OF = new Map(
  Object.entries({ ...AT_TOP, streetName: 'address1' }).map(([part, top]) => [PARTED + part, top]),
);
const PART_OF = new Map([...TOP_OF].map(([part, top]) => [top, part]));
const STREET = /^address\.(?:streetName|buildingNumber)$/;

/** `address` where the file spells a field of it or parts the street, else the top. */
function inOneShape(meanings: readonly Meant[], spelled: readonly string[]): readonly Meant[] {
  const isSpelled = spelled.some((field) => field.startsWith(PARTED));
  const isTop = !isSpelled && spelled.some((field) => PART_OF.has(field));
  const isParted = isSpelled || (!isTop && meanings.some(({ field }) => STREET.test(field)));
  const fields = isParted ? PART_OF : TOP_OF;
  return meanings
    .map((one) => ({ ...one, field: fields.get(one.field) ?? one.field }))
    .filter(({ field }) => field !== 'address.line2' && (isParted || !field.startsWith(PARTED)));
}

/** Whether other columns say which bank an account number is of: an IBAN has its bank in itself. */
function hasBankBeside(meanings: readonly Meant[]): boolean {
  const names = new Set(meanings.map((one) => one.field.replace(/^accounts\.\d\./, '')));
  const isNamed = ['sortCodeUK', 'bankCode', 'routingNumber', 'cnaps'].some((name) => names.has(name));
  return isNamed || (!names.has('iban') && (names.has('bic_swift') || names.has('bank')));
}

/** A bare name beside a first name is the last name: `Nombre` and `Apellidos`. */
function namesOfPeople(placements: readonly Placement[]): readonly Placement[] {
  const fields = new Set(placements.flatMap((one) => (one.kind === 'open' ? [] : [one.field])));
  const hasFirst = fields.has('firstName');
  if (hasFirst === fields.has('lastName')) return placements;
  const [has, field] = hasFirst ? ['firstName', 'lastName'] : ['lastName', 'firstName'];
  const note = `taken for the ${field}, since the file has a column for the ${has}`;
  return placements.map((one) => {
    const isBare = one.kind === 'field' && one.field === 'name' && one.doubt !== '';
    return isBare ? { ...one, field, note } : one;
  });
}

export function isAlone(column: string, columns: readonly string[]): boolean {
  return columns.indexOf(column) === columns.lastIndexOf(column);
}

function itself(at: ColumnSlot, means: PlacingMeans): Placement | null {
  if (!isAlone(at.column, means.columns)) return open(at, 'the file has more than one column of this name');
  const path = parseFieldPath(at.column);
  if (typeof path === 'string') return null;
  const known = means.lookUp(path);
  const fits = known.kind === 'leaf' || (known.kind !== 'unknown' && !means.isTable);
  if (!fits) return null;
  const field = formatFieldPath(path);
  const isOfService = field !== means.pathField && isSetByService(catalogPath(path));
  if (!isOfService) return { kind: 'itself', ...at, field, known };
  const isReference = means.findMeaning(at.column)?.isReference === true;
  return isReference ? null : open(at, SERVICE_SETS);
}

function byMeaning(at: ColumnSlot, { findMeaning, lookUp, cellsAt }: PlacingMeans): Meant | null {
  const meaning = findMeaning(at.column) ?? findMeaning(lastMember(at.column));
  if (meaning === null || leafType(meaning.field, lookUp) === null) return null;
  const meant = { kind: 'field', ...at, ...meaning } as const;
  if (!NUMBER.test(meant.field) || !holdsIbans(cellsAt(at.slot))) return meant;
  const field = meant.field.replace(NUMBER, '.iban');
  return { ...meant, field, doubt: 'account', note: IBANS };
}

const NUMBER = /\.accountNumber$/;
const IBANS = 'its cells are IBANs';

function holdsIbans(cells: readonly JsonValue[]): boolean {
  const isIban = (cell: JsonValue) => /^[A-Z]{2}\d\d[A-Z\d ]{11,40}$/i.test(String(cell));
  return cells.filter(isIban).length > cells.length / 2;
}

/** Of `company.iban`; a dot in a header of several words is an abbreviation's. */
function lastMember(column: string): string {
  const isPath = /^[^\s.]+(?:\.[^\s.]+)+$/.test(column);
  return isPath ? column.slice(column.lastIndexOf('.') + 1) : column;
}

/** Gives a field, and all in it and around it, to the first column that claims it. */
function createClaims(): (placement: Placement | null) => Placement | null {
  const taken = new Map<string, string>();
  return (placement) => {
    if (placement === null || placement.kind === 'open') return placement;
    // Objects, lists and members of JSON records are columns beside the columns of their contents.
    if (placement.kind === 'itself' && placement.known.kind !== 'leaf') return placement;
    const { field, column } = placement;
    const isClaimed = (other: string) => isWithin(field, other) || isWithin(other, field);
    const found = [...taken].find(([other]) => isClaimed(other));
    if (found !== undefined) {
      const [claimed, by] = found;
      return open(placement, `${JSON.stringify(by)} is taken for ${claimed}`);
    }
    taken.set(field, column);
    return placement;
  };
}

function isWithin(field: string, other: string): boolean {
  return `${field}.`.startsWith(`${other}.`);
}

function open({ column, slot }: ColumnSlot, reason: string): Placement {
  return { kind: 'open', column, slot, reason };
}

/** Where it isn't decided, its line is a comment and the column is not sent. */
export type ProposedField = ChosenNotation & {
  readonly field: string;
  readonly column: string;
  /** What to write into the definition, where the cells are right as they are. */
  readonly remedy?: readonly string[];
};

/** The key fills the CRM id of a new subclient, or the identifier in the path. */
export function keyField(operation: Operation, key: string, pathField: string | null): Meaning | null {
  const { keyField: field } = specOf(operation).proposal;
  if (field !== null && field !== pathField) return { field, note: SENT_AS_CRM_ID, ...OF_KEY };
  if (pathField === null) return null;
  const isNamed = looseName(key).endsWith(looseName(pathField));
  return { field: pathField, note: isNamed ? null : OWN_IDENTIFIER, ...OF_KEY };
}

/** No other column comes before the key's. */
const OF_KEY = { isReference: false, doubt: '', letters: Number.POSITIVE_INFINITY } as const;
const SENT_AS_CRM_ID = 'a record usually has its key as its CRM id, too';
const OWN_IDENTIFIER =
  'the path needs the identifier that the service gave: make sure that this column has it';

/** `null` where the header is the field and the field's own conversion reads the cells. */
export function proposeField(
  placement: Placement,
  cells: readonly JsonValue[],
  lookUp: FieldLookup,
): ProposedField | null {
  if (placement.kind === 'open') return null;
  const { column, field } = placement;
  const meant = placement.kind === 'field' && placement.note !== null ? [placement.note] : [];
  if (placement.kind === 'field' && placement.isReference) {
    return { field, column, notation: { ref: 'subclient' }, notes: meant, isDecided: true };
  }
  const type = leafType(field, lookUp);
  const path = field.split('.');
  const as = type === 'string' && lastName(path) === 'country' ? 'country' : undefined;
  const chosen = type === null ? PLAIN : chooseNotation(type, cells, as);
  const isNumber = cells.includes(null) && isRefusedAsNumber(path);
  const isPlain = chosen.isDecided && Object.keys(chosen.notation).length === 0 && !isNumber;
  if (placement.kind === 'itself' && isPlain && meant.length === 0) return null;
  const line = `${field}: { column: ${JSON.stringify(column)}, numbers: right }`;
  const remedy = isNumber ? { remedy: [NUMBERS, line] } : {};
  return { field, column, ...chosen, notes: [...meant, ...chosen.notes], ...remedy };
}

const NUMBERS = 'numbers are refused here: format the column as text, or, if right, write';

const PLAIN: ChosenNotation = { notation: {}, notes: [], isDecided: true };

export function leafType(field: string, lookUp: FieldLookup): LeafType | null {
  const path = parseFieldPath(field);
  const known = typeof path === 'string' ? null : lookUp(path);
  return known?.kind === 'leaf' ? known.type : null;
}
