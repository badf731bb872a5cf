import { formatFieldPath, parseFieldPath } from '../field-path.ts';
import type { FieldLookup, KnownField } from '../known-field.ts';
import type { FindMeaning, Meaning } from './find-meaning.ts';

type Column = { readonly column: string; readonly slot: number };

/** Where a column of a file goes. */
export type Placement =
  /** The header is the field's own path, as it is written. */
  | (Column & { readonly kind: 'itself'; readonly field: string; readonly known: KnownField })
  | (Column & Meaning & { readonly kind: 'field' })
  | (Column & { readonly kind: 'open'; readonly reason: string });

export type PlacingMeans = {
  readonly columns: readonly string[];
  readonly lookUp: FieldLookup;
  readonly findMeaning: FindMeaning;
  readonly isTable: boolean;
};

const NOT_PLACED = 'no field was found for it';

/** Places every column once; a field that is filled already takes no second one, and headers that are fields come first. */
export function placeColumns(means: PlacingMeans): readonly Placement[] {
  const claim = createClaims();
  const columns = means.columns.map((column, slot) => ({ column, slot }));
  const own = columns.map((at) => claim(itself(at, means)));
  return columns.map((at, i) => own[i] ?? claim(byMeaning(at, means)) ?? open(at, NOT_PLACED));
}

function itself(at: Column, means: PlacingMeans): Placement | null {
  if (!isAlone(at.column, means.columns)) return open(at, 'the file has more than one column of this name');
  const parsed = parseFieldPath(at.column);
  if (parsed.kind === 'problem') return null;
  const known = means.lookUp(parsed.path);
  const fits = known.kind === 'leaf' || (known.kind !== 'unknown' && !means.isTable);
  return fits ? { kind: 'itself', ...at, field: formatFieldPath(parsed.path), known } : null;
}

function byMeaning(at: Column, { findMeaning, lookUp }: PlacingMeans): Placement | null {
  const lastPart = at.column.slice(at.column.lastIndexOf('.') + 1);
  const meaning = findMeaning(at.column) ?? findMeaning(lastPart);
  if (meaning === null) return null;
  const parsed = parseFieldPath(meaning.field);
  const isLeaf = parsed.kind === 'path' && lookUp(parsed.path).kind === 'leaf';
  return isLeaf ? { kind: 'field', ...at, ...meaning } : null;
}

/** Lets the first column have a field; whoever comes second to it, to what is in it or to what it is in, is left open. */
function createClaims(): (placement: Placement | null) => Placement | null {
  const taken: string[] = [];
  return (placement) => {
    if (placement === null || placement.kind === 'open') return placement;
    // Objects, lists and members of JSON records stand beside what is in them.
    if (placement.kind === 'itself' && placement.known.kind !== 'leaf') return placement;
    const { field } = placement;
    const isTaken = taken.some((other) => isWithin(field, other) || isWithin(other, field));
    if (isTaken) return open(placement, `another column fills ${field} already`);
    taken.push(field);
    return placement;
  };
}

function isWithin(field: string, other: string): boolean {
  return `${field}.`.startsWith(`${other}.`);
}

function isAlone(column: string, columns: readonly string[]): boolean {
  return columns.indexOf(column) === columns.lastIndexOf(column);
}

function open({ column, slot }: Column, reason: string): Placement {
  return { kind: 'open', column, slot, reason };
}
