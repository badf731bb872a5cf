import type { FieldSource } from '../config/job-definition.ts';
import { namesOf } from '../lib/json-pointer.ts';
import type { ReferenceSpace } from '../model/mapping.ts';
import type { JsonValue } from '../model/request.ts';
import { isTable, type SourceInfo } from '../model/source.ts';
import {
  compileReadsAsIgnored,
  createFindColumn,
  type FindColumn,
  isLeftOut,
  type MappingOptions,
  namesTaken,
  placeOf,
} from './column-names.ts';
import { type Conversion, conversionFor, convert, defaultConversion } from './conversion.ts';
import { suggestField } from './proposal/meaning.ts';
import {
  createFieldLookup,
  createFindField,
  type FieldLookup,
  type FieldPath,
  type FindField,
  formatFieldPath,
  type LeafType,
  parseFieldPath,
  readableStart,
} from './request-field.ts';

/** What fills one place of the body. `slot` is where a row's values hold the column's value. */
export type Binding =
  | {
      readonly kind: 'cell';
      readonly path: FieldPath;
      readonly column: string;
      readonly slot: number;
      readonly conversion: Conversion;
    }
  | { readonly kind: 'constant'; readonly path: FieldPath; readonly value: JsonValue }
  /** The cell is the key of another record, whose identifier the field takes later. */
  | {
      readonly kind: 'reference';
      readonly path: FieldPath;
      readonly column: string;
      readonly slot: number;
      readonly space: ReferenceSpace;
    }
  /** JSON only: a member whose contents are not shown, passed through as it stands. */
  | { readonly kind: 'member'; readonly path: FieldPath; readonly column: string; readonly slot: number }
  /** JSON only: an object or a list that some record leaves empty or null. */
  | {
      readonly kind: 'container';
      readonly path: FieldPath;
      readonly column: string;
      readonly slot: number;
      readonly shape: 'object' | 'list';
    };

/** What fills a field, for a message: `column "Country"` or `a constant`. */
export function describeBinding(binding: Binding): string {
  return binding.kind === 'constant' ? 'a constant' : `column "${binding.column}"`;
}

/**
 * Everything that fills a field: the definition's `fields` and the headers that are field paths.
 * A field that the definition takes from the key column is taken from its own column where the file has that.
 */
export function bindFields(
  options: MappingOptions,
  finders: Finders,
  problems: string[],
): readonly Binding[] {
  const defined = byPlace(bindDefinition(options, finders, problems));
  const own = byPlace(bindColumns(options, finders, problems));
  const key = keyColumn(options, finders);
  return [
    ...defined.filter(({ place, column }) => {
      const others = own.filter((o) => o.place === place);
      return column !== key || others.length === 0 || others.some((o) => o.column === column);
    }),
    ...own.filter(({ place, column }) => !defined.some((d) => d.place === place && d.column === column)),
  ].map(({ binding }) => binding);
}

/** The key column as the file names it. */
function keyColumn({ definition: { key } }: MappingOptions, { find }: Finders): string | undefined {
  const found = key === undefined ? null : find(key);
  return found?.kind === 'found' ? found.column : key;
}

type Placed = { readonly place: string; readonly column: string | null; readonly binding: Binding };

function byPlace(bindings: readonly Binding[]): readonly Placed[] {
  return bindings.map((binding) => ({
    place: formatFieldPath(binding.path),
    column: binding.kind === 'constant' ? null : binding.column,
    binding,
  }));
}

/** The definition's `fields` as bindings; what is wrong with them is added to `problems`, but for columns that are missing. */
function bindDefinition(
  options: MappingOptions,
  about: { readonly lookUp: FieldLookup; readonly find: FindColumn },
  problems: string[],
): readonly Binding[] {
  const bindings: Binding[] = [];
  for (const [field, source] of Object.entries(options.definition.fields)) {
    const target = targetOf(field, options, about.lookUp);
    const bound = typeof target === 'string' ? target : bind(target, source, { options, find: about.find });
    if (typeof bound === 'string') problems.push(`fields, "${field}": ${bound}`);
    else if (bound !== null) bindings.push(bound);
  }
  return bindings;
}

type Target = { readonly path: FieldPath; readonly type: LeafType; readonly canRefer: boolean };
type SourceMeans = { readonly options: MappingOptions; readonly find: FindColumn };

/** The field to fill, or what is wrong with it. */
function targetOf(field: string, options: MappingOptions, lookUp: FieldLookup): Target | string {
  const parsed = parseFieldPath(field);
  if (parsed.kind === 'problem') return parsed.problem;
  const known = lookUp(parsed.path);
  switch (known.kind) {
    case 'leaf':
      return { path: parsed.path, type: known.type, canRefer: canRefer(parsed.path, known, options) };
    case 'container':
      return `this is ${known.shape === 'list' ? 'a list' : 'an object'}; expected one of the fields in it`;
    case 'opaque':
      return 'the contents of this member are not documented; only a JSON record can carry it, as it stands';
    case 'unknown':
      return `${options.definition.operation} has no such field.${suggestField(field, options)}`;
    default:
      return known satisfies never;
  }
}

function bind(target: Target, source: FieldSource, means: SourceMeans): Binding | string | null {
  if (typeof source === 'string') return bindSource(target, { column: source }, means);
  return 'column' in source ? bindSource(target, source, means) : bindConstant(target, source.value);
}

function bindSource(
  target: Target,
  source: Extract<FieldSource, { column: string }>,
  means: SourceMeans,
): Binding | string | null {
  if (source.ref !== undefined) return bindReference(target, { ...source, ref: source.ref }, means);
  const chosen = conversionFor(target.type, source);
  if (chosen.kind === 'problem') return chosen.problem;
  const place = placeOf(source.column, means.options, means.find);
  if (place === null || typeof place === 'string') return place;
  return { kind: 'cell', path: target.path, ...place, conversion: chosen.conversion };
}

function bindReference(
  target: Target,
  source: Extract<FieldSource, { column: string }> & { readonly ref: ReferenceSpace },
  { options, find }: SourceMeans,
): Binding | string | null {
  const { column, ref, ...others } = source;
  if (!target.canRefer) return 'ref puts an identifier here; expected a string field of the body';
  const [option] = Object.keys(others);
  if (option !== undefined)
    return `${option} doesn't go with ref: the cell is a key and is taken as it stands`;
  const place = placeOf(column, options, find);
  if (place === null || typeof place === 'string') return place;
  return { kind: 'reference', path: target.path, ...place, space: ref };
}

/** The path's identifier is no part of the body, and an item of a list of strings is no field. */
function canRefer(
  path: FieldPath,
  known: { readonly type: LeafType; readonly listElement: boolean },
  { pathField }: MappingOptions,
): boolean {
  return known.type === 'string' && !known.listElement && formatFieldPath(path) !== pathField;
}

function bindConstant(target: Target, value: string | number | boolean): Binding | string {
  const conversion = defaultConversion(target.type);
  const converted = convert(conversion, value);
  return converted === undefined || converted === null
    ? `the constant doesn't fit the field; expected ${conversion.expected}`
    : { kind: 'constant', path: target.path, value: converted };
}

/** How columns and fields find each other. */
export type Finders = {
  readonly lookUp: FieldLookup;
  readonly find: FindColumn;
  readonly findField: FindField;
};

/** The columns whose headers are field paths as bindings; a column that nothing knows is added to `problems`. */
function bindColumns(options: MappingOptions, finders: Finders, problems: string[]): readonly Binding[] {
  const named = namedColumns(options, finders.find);
  const readsAsIgnored = compileReadsAsIgnored(options);
  const lists = recordLists(options.source, finders.lookUp);
  const misplaced = new Set<RecordList>();
  const bindings: Binding[] = [];
  for (const [slot, column] of options.source.columns.entries()) {
    if (isLeftOut(column, options)) continue;
    const isTaken = named.has(column) || readsAsIgnored(column);
    const bound = bindHeader({ column, slot }, isTaken, { options, finders });
    const list = typeof bound === 'string' ? listAround(column, lists) : undefined;
    if (list !== undefined) misplaced.add(list);
    else if (typeof bound === 'string') problems.push(`${describeColumn(column, slot)}: ${bound}`);
    else if (bound !== null) bindings.push(bound);
  }
  problems.push(...[...misplaced].map(recordsProblem));
  return onePerMember(bindings);
}

function recordsProblem({ pointer, column }: RecordList): string {
  return `the file is one object, and its list "${column}" is no field: where the records are in that list, set format.records: ${pointer}; otherwise list "${column}" under "ignore".`;
}

type Column = { readonly column: string; readonly slot: number };

/** A column by its own header: as it is written, else as people read it; `null` where it is taken otherwise. */
function bindHeader(
  at: Column,
  isTaken: boolean,
  { options, finders }: { readonly options: MappingOptions; readonly finders: Finders },
): Binding | string | null {
  const means = { options, lookUp: finders.lookUp };
  const bound = bindColumn(at, at.column, means);
  if (typeof bound === 'object') return bound;
  if (isTaken) return null;
  const field = finders.findField(at.column);
  const read = field === null ? bound : bindColumn(at, field, means);
  return read ?? unknownColumn(at.column, options);
}

/** Columns that the definition takes up by name, or that it could mean: they need not be field paths. */
function namedColumns(options: MappingOptions, find: FindColumn): ReadonlySet<string> {
  const named = namesTaken(options.definition).flatMap((name) => {
    const found = find(name);
    if (found.kind === 'several') return found.columns;
    return found.kind === 'found' ? [found.column] : [];
  });
  return new Set(named);
}

type Means = { readonly options: MappingOptions; readonly lookUp: FieldLookup };

/** The column as a binding of the field that `name` spells, or why it is none; `undefined` where there is no such field. */
function bindColumn(at: Column, name: string, { options, lookUp }: Means): Binding | string | undefined {
  const parsed = parseFieldPath(name);
  if (parsed.kind === 'problem') {
    // Inside a member that is carried as it stands, names and positions are the record's own affair.
    const start = readableStart(name);
    const around = lookUp(start);
    return around.kind === 'opaque' ? bindMember(at, start.slice(0, around.depth), options) : parsed.problem;
  }
  const { path } = parsed;
  const known = lookUp(path);
  switch (known.kind) {
    case 'leaf':
      return { kind: 'cell', path, ...at, conversion: defaultConversion(known.type) };
    case 'container':
      return bindContainer(at, path, { shape: known.shape, options });
    case 'opaque':
      return bindMember(at, path.slice(0, known.depth), options);
    case 'unknown':
      return undefined;
    default:
      return known satisfies never;
  }
}

function bindContainer(
  at: Column,
  path: FieldPath,
  about: { readonly shape: 'object' | 'list'; readonly options: MappingOptions },
): Binding | string {
  if (!isTable(about.options.source)) return { kind: 'container', path, ...at, shape: about.shape };
  const shape = about.shape === 'list' ? 'a list' : 'an object';
  return `this is ${shape}; expected a column for each field in it, for example "${fieldBelow(at.column, about.options)}"`;
}

function fieldBelow(column: string, options: MappingOptions): string {
  const below = [...options.catalog.keys()].find((field) => field.startsWith(`${column}.`));
  return below?.replaceAll('#', '0') ?? `${column}.…`;
}

function bindMember(at: Column, path: FieldPath, options: MappingOptions): Binding | string {
  return isTable(options.source)
    ? 'the contents of this member are not documented; only a JSON record can carry it, as it stands'
    : { kind: 'member', path, ...at };
}

function unknownColumn(column: string, options: MappingOptions): string {
  const { operation } = options.definition;
  const suggestion = suggestField(column, options);
  return `${operation} has no such field.${suggestion} Rename the column, map it under "fields", or list it under "ignore".`;
}

function describeColumn(column: string, slot: number): string {
  return column === '' ? `column ${slot + 1}, which has no name` : `column "${column}"`;
}

/** Many leaves of the records lie in one member, which is carried once, in the slot of the first. */
function onePerMember(bindings: readonly Binding[]): readonly Binding[] {
  const seen = new Set<string>();
  return bindings.filter((binding) => {
    if (binding.kind !== 'member') return true;
    const name = binding.path.join('.');
    const first = !seen.has(name);
    seen.add(name);
    return first;
  });
}

/** A list of objects in a file that is one object. */
type RecordList = {
  readonly pointer: string;
  /** What the columns of everything in it begin with. */
  readonly column: string;
};

/** The lists where the records of a file that is one object probably are: those that are no field of the operation. */
export function recordLists(
  { recordLists: pointers = [] }: Pick<SourceInfo, 'recordLists'>,
  lookUp: FieldLookup,
): readonly RecordList[] {
  return pointers
    .map((pointer) => ({ pointer, column: namesOf(pointer).join('.') }))
    .filter(({ column }) => {
      const parsed = parseFieldPath(column);
      return parsed.kind === 'problem' || lookUp(parsed.path).kind === 'unknown';
    });
}

/** The list that a column is in, or `undefined`. */
function listAround(column: string, lists: readonly RecordList[]): RecordList | undefined {
  return lists.find((list) => column.startsWith(`${list.column}.`));
}

/** How the columns of one file and the fields of one operation find each other. */
export function createFinders({ catalog, pathField, definition, source }: MappingOptions): Finders {
  const lookUp = createFieldLookup(catalog, pathField);
  const isField = (column: string) => {
    const parsed = parseFieldPath(column);
    return parsed.kind === 'path' && lookUp(parsed.path).kind !== 'unknown';
  };
  return {
    lookUp,
    find: createFindColumn(source.columns, definition, isField),
    findField: createFindField(catalog, pathField),
  };
}
