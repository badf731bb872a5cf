/**
 * What a mapping is compiled from, and how names find columns: as they are written, else as people
 * read them (`foldName`). Where a name could mean two, none is chosen.
 */
import { columnsOf, type JobDefinition, pathColumnsOf } from '../../config/job-definition.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../../model/source.ts';
import type { ConvertedColumn } from './field-conversion.ts';
import {
  createFieldLookup,
  createFindField,
  type FieldLookup,
  type FindField,
  foldName,
  parseFieldPath,
} from './request-field.ts';

export type MappingOptions = {
  readonly definition: JobDefinition;
  readonly source: SourceInfo;
  readonly catalog: FieldCatalog;
  /** The pseudo-field that fills the identifier in the path, `null` where the path has none. */
  readonly pathField: string | null;
  /** Whether a row without that identifier can't be sent. */
  readonly needsPathId: boolean;
};

/** A mapping that is being compiled; each step adds what doesn't fit to `problems`. */
export type Compilation = MappingOptions & {
  readonly lookUp: FieldLookup;
  readonly findField: FindField;
  readonly findColumns: FindColumns;
  /** Like a name that the definition ignores and the file doesn't have. */
  readonly readsAsIgnored: (column: string) => boolean;
  readonly problems: string[];
  /** Columns that are not sent, with the field that each names and only the service sets. */
  readonly leftToService: Map<string, string>;
  readonly composed: ComposedCell[];
  /** Of a table: its first line may be a record. */
  knowsNoColumn: boolean;
};

type ComposedCell = {
  readonly slot: number;
  readonly parts: readonly ColumnSlot[];
  readonly source: ConvertedColumn;
};

export type ColumnSlot = { readonly column: string; readonly slot: number };

/** All that a name could mean, in file order. */
type FindColumns = (name: string) => readonly ColumnSlot[];

export function startCompilation(options: MappingOptions): Compilation {
  const { catalog, pathField, definition, source } = options;
  const lookUp = createFieldLookup(catalog, pathField);
  const isField = (column: string) => {
    const path = parseFieldPath(column);
    return typeof path !== 'string' && lookUp(path).kind !== 'unknown';
  };
  return {
    ...options,
    lookUp,
    findField: createFindField(catalog, pathField),
    findColumns: createFindColumns(source.columns, definition, isField),
    readsAsIgnored: createReadsAsIgnored(definition, source),
    problems: [],
    leftToService: new Map(),
    composed: [],
    knowsNoColumn: false,
  };
}

/**
 * The column that fills a field, or what is wrong; `null` for a table without the column, which
 * `missingColumns` reports. JSON records leave out empty members: what none has is always empty.
 */
export function placeOf(name: string, compilation: Compilation): ColumnSlot | string | null {
  const { source, findColumns } = compilation;
  const isSparse = !isTable(source) && findColumns(name).length === 0;
  return isSparse ? { column: name, slot: source.columns.length } : columnNamed(name, compilation);
}

/** As `placeOf`, of a column that no file may lack, unless it is JSON without a record. */
export function columnNamed(name: string, { source, findColumns }: Compilation): ColumnSlot | string | null {
  const [found, ...others] = findColumns(name);
  if (found === undefined)
    return source.columns.length === 0 && !isTable(source) ? { column: name, slot: 0 } : null;
  return others.length === 0 ? found : severalProblem(name, [found, ...others]);
}

function severalProblem(name: string, columns: readonly ColumnSlot[]): string {
  if (columns.every(({ column }) => column === name)) return severalOfName(name);
  const all = columns.map(({ column }) => `"${column}"`).join(' and ');
  return `columns ${all} both read as "${name}"; expected one of them. Rename one, or list it under "ignore".`;
}

export function severalOfName(name: string): string {
  return `the file has more than one column "${name}"; expected that name once. Rename or remove the others.`;
}

export function namesTaken(definition: JobDefinition): readonly string[] {
  const { fields, key } = definition;
  const columns = Object.values(fields).flatMap(columnsOf);
  return [...columns, ...pathColumnsOf(definition), ...(key === undefined ? [] : [key])];
}

/** Nothing of it is sent: a report added it, it has no name, or is ignored by its name. */
export function isLeftOut(column: string, { definition, source }: MappingOptions): boolean {
  if (column.startsWith(REPORT_COLUMN_PREFIX) || (column === '' && isTable(source))) return true;
  const ignored = definition.ignore;
  if (isTable(source)) return ignored.includes(column);
  return isAtOrBelow(column, REPORT_MEMBER) || ignored.some((name) => isAtOrBelow(column, name));
}

function createReadsAsIgnored(definition: JobDefinition, source: SourceInfo): Compilation['readsAsIgnored'] {
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
  return column.startsWith(name) && (column.length === name.length || column[name.length] === '.');
}

/** No rivals of an exact match: columns that are fields, or that another setting names exactly. */
function createFindColumns(
  columns: readonly string[],
  definition: JobDefinition,
  isField: (column: string) => boolean,
): FindColumns {
  const byName = slotsBy(columns, (column) => column);
  const byFolded = slotsBy(columns, foldName);
  const named = new Set([...namesTaken(definition), ...definition.ignore]);
  return (name) => {
    const exact = byName.get(name) ?? [];
    if (exact.length > 1) return exact;
    const alike = (byFolded.get(foldName(name)) ?? []).filter(({ column }) => !named.has(column));
    return exact.length === 0 ? alike : [...exact, ...alike.filter(({ column }) => !isField(column))];
  };
}

function slotsBy(
  columns: readonly string[],
  nameOf: (column: string) => string,
): ReadonlyMap<string, readonly ColumnSlot[]> {
  const slots = new Map<string, ColumnSlot[]>();
  for (const [slot, column] of columns.entries()) {
    const name = nameOf(column);
    const same = slots.get(name) ?? [];
    same.push({ column, slot });
    slots.set(name, same);
  }
  return slots;
}
