import type { FieldSource, JobDefinition } from '../config/job-definition.ts';
import { foldName } from './fold-name.ts';

/** Which column of the file a name in the definition means. */
export type FoundColumn =
  | { readonly kind: 'found'; readonly column: string; readonly slot: number }
  | { readonly kind: 'none' }
  /** More than one that could be meant, in file order; the same name twice where the file has it twice. */
  | { readonly kind: 'several'; readonly columns: readonly string[] };

export type FindColumn = (name: string) => FoundColumn;

/**
 * Prepares finding columns by the definition's names: as written, else by what people read (`foldName`).
 * A column that `isField` by its own name, or that another setting names exactly, is no rival of an exact match.
 */
export function createFindColumn(
  columns: readonly string[],
  definition: JobDefinition,
  isField: (column: string) => boolean,
): FindColumn {
  const byName = slotsBy(columns, (column) => column);
  const byFolded = slotsBy(columns, foldName);
  const named = new Set(namesIn(definition));
  const columnsAt = (slots: readonly number[]) => slots.map((slot) => columns[slot] ?? '');
  return (name) => {
    const exact = byName.get(name) ?? [];
    if (exact.length > 1) return { kind: 'several', columns: columnsAt(exact) };
    const alike = (byFolded.get(foldName(name)) ?? []).filter((slot) => !named.has(columns[slot] ?? ''));
    const rivals = exact.length === 0 ? alike : alike.filter((slot) => !isField(columns[slot] ?? ''));
    const [slot, ...others] = [...exact, ...rivals];
    if (slot === undefined) return { kind: 'none' };
    if (others.length > 0) return { kind: 'several', columns: columnsAt([slot, ...others]) };
    return { kind: 'found', column: columns[slot] ?? name, slot };
  };
}

/** Every column that the definition takes something from, as it names it. */
export function namesTaken({ fields, key }: JobDefinition): readonly string[] {
  const named = Object.values(fields).flatMap((source) => columnOf(source) ?? []);
  return key === undefined ? named : [...named, key];
}

function namesIn(definition: JobDefinition): readonly string[] {
  return [...namesTaken(definition), ...definition.ignore];
}

/** The column that a field is taken from, as the definition names it; `null` for a constant. */
export function columnOf(source: FieldSource): string | null {
  if (typeof source === 'string') return source;
  return 'column' in source ? source.column : null;
}

function slotsBy(
  columns: readonly string[],
  nameOf: (column: string) => string,
): ReadonlyMap<string, readonly number[]> {
  const slots = new Map<string, number[]>();
  for (const [slot, column] of columns.entries()) {
    const name = nameOf(column);
    const same = slots.get(name);
    if (same === undefined) slots.set(name, [slot]);
    else same.push(slot);
  }
  return slots;
}
