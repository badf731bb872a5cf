import type { FieldSource, JobDefinition } from '../config/job-definition.ts';
import type { FieldCatalog } from '../model/field.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../model/source.ts';

/** What a mapping is compiled from. */
export type MappingOptions = {
  readonly definition: JobDefinition;
  readonly source: SourceInfo;
  /** The fields of the request's body; empty for a call without one. */
  readonly catalog: FieldCatalog;
  /** The pseudo-field that fills the identifier in the path, `null` where the path has none. */
  readonly pathField: string | null;
  /** Whether a row without that identifier can't be sent. */
  readonly needsPathId: boolean;
};

/** Whether the column says nothing to the service: a report file added it, or the definition ignores it by its name. */
export function isLeftOut(column: string, options: MappingOptions): boolean {
  if (column.startsWith(REPORT_COLUMN_PREFIX)) return true;
  const ignored = options.definition.ignore;
  if (isTable(options.source)) return ignored.includes(column);
  return isAtOrBelow(column, REPORT_MEMBER) || ignored.some((name) => isAtOrBelow(column, name));
}

/** Prepares telling whether a column reads like one that the definition ignores, where the file has none by that very name. */
export function compileReadsAsIgnored({ definition, source }: MappingOptions): (column: string) => boolean {
  const columns = new Set(source.columns);
  const names = new Set(definition.ignore.filter((name) => !columns.has(name)).map(foldName));
  if (names.size === 0) return () => false;
  if (isTable(source)) return (column) => names.has(foldName(column));
  return (column) => {
    const folded = foldName(column);
    return [...names].some((name) => isAtOrBelow(folded, name));
  };
}

function isAtOrBelow(column: string, name: string): boolean {
  return column === name || column.startsWith(`${name}.`);
}

/** Which column of the file a name in the definition means. */
type FoundColumn =
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

/** A column as the file names it, and where a row's values hold its value. */
export type Place = { readonly column: string; readonly slot: number };

/**
 * The column that fills a field, or what is wrong; `null`: a table without it (`missingColumns` says so). JSON records leave out what they don't have: a member that no
 * record has is empty in every row, as in a mended remainder.
 */
export function placeOf(name: string, options: MappingOptions, find: FindColumn): Place | string | null {
  const { source } = options;
  const sparse = !isTable(source) && find(name).kind === 'none';
  return sparse ? { column: name, slot: source.columns.length } : columnNamed(name, options, find);
}

/** The column that the definition can't do without, or what is wrong; `null`: there is none (`missingColumns` says so). A JSON file without a record has no columns to miss. */
export function columnNamed(
  name: string,
  { source }: MappingOptions,
  find: FindColumn,
): Place | string | null {
  const found = find(name);
  switch (found.kind) {
    case 'found':
      return { column: found.column, slot: found.slot };
    case 'several':
      return severalProblem(name, found.columns);
    case 'none':
      return source.columns.length === 0 && !isTable(source) ? { column: name, slot: 0 } : null;
    default:
      return found satisfies never;
  }
}

function severalProblem(name: string, columns: readonly string[]): string {
  if (columns.every((column) => column === name)) {
    return `the file has more than one column "${name}"; expected different names`;
  }
  const all = columns.map((column) => `"${column}"`).join(' and ');
  return `columns ${all} both read as "${name}"; expected one of them. Rename one, or list it under "ignore".`;
}

/**
 * A name as people read it: the same for another case, another kind of space or width, spaces at its ends, and
 * characters that nobody sees. Two names with the same folded form are taken for the same name.
 */
export function foldName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case first: it joins letters that have only one capital, such as ß and ss.
  return visible.replaceAll(/\s+/g, ' ').trim().toUpperCase().toLowerCase().normalize('NFKC');
}
