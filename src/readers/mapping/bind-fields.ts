/**
 * Which column or constant fills which field of the request, by the definition's `fields` and by
 * headers that are field paths themselves.
 */

import { columnsOf, type FieldSource, operationOf } from '../../config/job-definition.ts';
import { namesOf } from '../../lib/json-pointer.ts';
import type { KeyForm } from '../../model/key-form.ts';
import type { ReferenceSpace } from '../../model/mapping.ts';
import type { JsonValue } from '../../model/request.ts';
import { isTable, type SourceInfo, swappedIn } from '../../model/source.ts';
import { isOwn } from '../../operations/own.ts';
import { type ColumnSlot, type Compilation, isLeftOut, namesTaken } from './compilation.ts';
import { composedPlace } from './composition.ts';
import { type Conversion, convert } from './conversion.ts';
import { type ConvertedColumn, conversionFor, defaultConversion } from './field-conversion.ts';
import { noSuchField } from './proposal/meaning.ts';
import {
  type FieldLookup,
  type FieldPath,
  formatFieldPath,
  isSetByService,
  type KnownField,
  parseFieldPath,
} from './request-field.ts';

export type Binding =
  | { readonly kind: 'constant'; readonly path: FieldPath; readonly value: JsonValue }
  | ColumnBinding;

type CellBinding = {
  readonly kind: 'cell';
  readonly conversion: Conversion;
  /** What is sent where the cell is empty. */
  readonly fallback: JsonValue;
  /** The columns of which the cell is made. */
  readonly parts: readonly ColumnSlot[];
  readonly numbers?: 'right' | undefined;
};

type ColumnBinding = ColumnSlot & { readonly path: FieldPath } & (
    | CellBinding
    /** The cell is the key of another record, whose identifier the field takes later. */
    | { readonly kind: 'reference'; readonly space: ReferenceSpace; readonly form: KeyForm }
    /** JSON only: an object or a list that some record leaves empty or null. */
    | { readonly kind: 'container'; readonly shape: 'object' | 'list' }
  );

/** A column of the field's own name goes before the key column that the definition names for it. */
export function bindFields(compilation: Compilation): readonly Binding[] {
  const defined = bindDefinition(compilation);
  const known = new Set(defined.map(idOf));
  const { problems, source } = compilation;
  const before = problems.length;
  const own = bindHeaders(compilation).filter((binding) => !known.has(idOf(binding)));
  const unknown = problems.length - before;
  compilation.knowsNoColumn = isTable(source) && unknown === new Set(source.columns).size;
  const filled = new Set(own.map(({ path }) => formatFieldPath(path)));
  const key = keyColumn(compilation);
  const isLeft = (binding: Binding) =>
    columnOf(binding) !== key || !filled.has(formatFieldPath(binding.path));
  const swapped = swappedIn(source);
  return [...defined.filter(isLeft), ...own].map((binding) => withoutSwapped(binding, swapped));
}

function withoutSwapped(binding: Binding, swapped: readonly number[]): Binding {
  if (binding.kind !== 'cell' || !binding.parts.some(({ slot }) => swapped.includes(slot))) return binding;
  const refused = { ...binding.conversion, fromText: () => undefined, expected: SWAPPED };
  return { ...binding, conversion: { ...binding.conversion, typed: refused } };
}

export const SWAPPED =
  'day and month in their right places: Excel took days for months in this column, so that its ' +
  'date cells have the two swapped and its later days are text; import the original file ' +
  'again with the column as text, or write the right date into the cell as text';

function idOf(binding: Binding): string {
  return JSON.stringify([formatFieldPath(binding.path), columnOf(binding)]);
}

function columnOf(binding: Binding): string | null {
  return binding.kind === 'constant' ? null : binding.column;
}

export function boundColumns(bindings: readonly Binding[]): readonly string[] {
  return bindings.flatMap((binding) => (binding.kind === 'constant' ? [] : [binding.column]));
}

function keyColumn({ definition: { key }, findColumns }: Compilation): string | undefined {
  if (key === undefined) return undefined;
  const [found, other] = findColumns(key);
  return other === undefined ? (found?.column ?? key) : key;
}

function bindDefinition(compilation: Compilation): readonly Binding[] {
  const bindings: Binding[] = [];
  for (const [field, source] of Object.entries(compilation.definition.fields)) {
    const bound = bindField(field, source, compilation);
    if (typeof bound === 'string') compilation.problems.push(`fields, "${field}": ${bound}`);
    else if (bound !== null) bindings.push(bound);
  }
  return bindings;
}

function bindField(field: string, source: FieldSource, compilation: Compilation): Binding | string | null {
  const target = targetOf(field, compilation);
  if (typeof target === 'string') return target;
  return ignoredProblem(source, compilation) ?? bindSource(target, source, compilation);
}

/** A column named like a field may be ignored, so that it fills another field alone. */
function ignoredProblem(source: FieldSource, { definition, findField }: Compilation): string | null {
  const { ignore } = definition;
  const column = columnsOf(source).find((one) => ignore.includes(one) && findField(one) === null);
  if (column === undefined) return null;
  return `column "${column}" is under "ignore" too; expected it in one of the two`;
}

const NOT_SHOWN = 'the contents of this member are not documented, so that it is not sent';

type Target = { readonly path: FieldPath; readonly known: Extract<KnownField, { kind: 'leaf' }> };

function targetOf(field: string, compilation: Compilation): Target | string {
  const path = parseFieldPath(field);
  if (typeof path === 'string') return path;
  const known = compilation.lookUp(path);
  switch (known.kind) {
    case 'leaf':
      return { path, known };
    case 'container':
      return `this is ${known.shape === 'list' ? 'a list' : 'an object'}; expected one of the fields in it`;
    case 'opaque':
      return NOT_SHOWN;
    case 'unknown':
      return noSuchField(field, compilation);
    default:
      return known satisfies never;
  }
}

function bindSource(target: Target, source: FieldSource, compilation: Compilation): Binding | string | null {
  if (typeof source === 'string') return bindCell(target, { column: source }, compilation);
  if ('value' in source) return bindConstant(target, source, compilation);
  return source.ref === undefined
    ? bindCell(target, source, compilation)
    : bindReference(target, { ...source, ref: source.ref }, compilation);
}

function bindCell(
  { path, known }: Target,
  source: ConvertedColumn,
  compilation: Compilation,
): Binding | string | null {
  const conversion = conversionFor(known.type, source);
  if (typeof conversion === 'string') return conversion;
  const fallback = convert(conversion, source.default ?? null);
  if (fallback === undefined) return `default: expected ${conversion.expected}`;
  const place = composedPlace(source, compilation);
  if (place === null || typeof place === 'string') return place;
  return { kind: 'cell', path, ...place, conversion, fallback, numbers: source.numbers };
}

function bindReference(
  { path, known }: Target,
  { column, ref, ...others }: ConvertedColumn & { readonly ref: ReferenceSpace },
  compilation: Compilation,
): Binding | string | null {
  // The path's identifier is no part of the body, and an item of a list of strings is no field.
  const canRefer =
    known.type === 'string' && !known.listElement && formatFieldPath(path) !== compilation.pathField;
  if (!canRefer) return 'ref puts an identifier here; expected a string field of the body';
  const [option] = Object.keys(others);
  if (option !== undefined)
    return `${option} doesn't go with ref: the cell is a key and is taken as it stands`;
  const place = composedPlace({ column }, compilation);
  if (place === null || typeof place === 'string') return place;
  return { kind: 'reference', path, ...place, space: ref, form: compilation.definition.keyForm };
}

type Constant = Extract<FieldSource, { value: unknown }>;

function bindConstant(
  { path, known }: Target,
  { value, when }: Constant,
  compilation: Compilation,
): Binding | string | null {
  const conversion = defaultConversion(known.type);
  const converted = convert(conversion, value);
  if (converted === undefined || converted === null)
    return `the constant doesn't fit the field; expected ${conversion.expected}`;
  const [[column, cells] = ['', []]] = Object.entries(when ?? {});
  if (when === undefined) return { kind: 'constant', path, value: converted };
  const place = composedPlace({ column }, compilation);
  if (place === null || typeof place === 'string') return place;
  return { kind: 'cell', path, ...place, conversion: onlyWith(cells, converted), fallback: null };
}

/** The constant where the cell is one of these, and nothing elsewhere. */
function onlyWith(cells: readonly string[], constant: JsonValue): Conversion {
  const sentWith = (text: string) => (cells.includes(text) ? constant : null);
  return {
    fromText: sentWith,
    fromJson: (value) => sentWith(String(value)),
    isNamed: () => true,
    expected: 'any text',
  };
}

function bindHeaders(compilation: Compilation): readonly Binding[] {
  const { source, problems, readsAsIgnored } = compilation;
  const named = namedColumns(compilation);
  const lists = recordLists(source, compilation.lookUp);
  const misplaced = new Set<string>();
  const told = new Set<string>();
  const bindings: Binding[] = [];
  const refuse = (column: string, problem: string) => {
    const list = lists.find((one) => `${column}.`.startsWith(`${one.column}.`));
    if (list !== undefined) misplaced.add(recordsProblem(list, column));
    else if (!told.has(column)) problems.push(`column "${column}": ${problem}`);
  };
  for (const [slot, column] of source.columns.entries()) {
    if (isLeftOut(column, compilation)) continue;
    const isTaken = named.has(column) || readsAsIgnored(column);
    const bound = bindHeader({ column, slot }, isTaken, compilation);
    if (typeof bound === 'string') refuse(column, bound);
    else if (bound !== null) bindings.push(bound);
    // Columns that share a name are told once.
    told.add(column);
  }
  problems.push(...misplaced);
  return bindings;
}

/** A field that only the service sets, which a header alone never fills. */
function fieldOfService(column: string, compilation: Compilation): string | null {
  const { definition, lookUp, findField, pathField } = compilation;
  if (isOwn(operationOf(definition))) return null;
  const path = parseFieldPath(column);
  const isField = typeof path !== 'string' && lookUp(path).kind !== 'unknown';
  const field = isField ? formatFieldPath(path) : findField(column);
  return field !== null && field !== pathField && isSetByService(field) ? field : null;
}

/** Those that the definition could mean, too: they need not be field paths. */
function namedColumns({ definition, findColumns }: Compilation): ReadonlySet<string> {
  const found = namesTaken(definition).flatMap((name) => findColumns(name));
  return new Set(found.map(({ column }) => column));
}

/** In a file that is one object; the columns of all in the list begin with `column`. */
type RecordList = { readonly pointer: string; readonly column: string };

/** Where the records of a file that is one object probably are: lists that are no field. */
export function recordLists(
  { type, recordLists: pointers = [] }: Pick<SourceInfo, 'type' | 'recordLists'>,
  lookUp: FieldLookup,
): readonly RecordList[] {
  // One that the definition names was read already.
  return (type === 'json' ? [] : pointers)
    .map((pointer) => ({ pointer, column: namesOf(pointer).join('.') }))
    .filter(({ column }) => {
      const path = parseFieldPath(column);
      return typeof path === 'string' || lookUp(path).kind === 'unknown';
    });
}

function recordsProblem({ pointer, column }: RecordList, found: string): string {
  // Of a list without anything in it there is the column itself.
  const what = found === column ? 'empty' : 'no field';
  return (
    `the file is one object, and its list "${column}" is ${what}: where the records are in ` +
    `that list, set format.records: ${pointer}; otherwise list "${column}" under "ignore".`
  );
}

/** By its own header, as written or as read; `null` where the definition takes the column up. */
function bindHeader(at: ColumnSlot, isTaken: boolean, compilation: Compilation): Binding | string | null {
  const ofService = fieldOfService(at.column, compilation);
  if (ofService !== null) {
    if (!isTaken) compilation.leftToService.set(at.column, ofService);
    return null;
  }
  const bound = bindColumn(at, at.column, compilation);
  if (typeof bound === 'object') return bound;
  if (isTaken) return null;
  const field = compilation.findField(at.column);
  const read = field === null ? bound : bindColumn(at, field, compilation);
  if (read !== undefined) return read;
  const remedy = 'Rename the column, map it under "fields", or list it under "ignore".';
  return `${noSuchField(at.column, compilation)} ${remedy}`;
}

/** As the field that `name` spells, or what is wrong; `undefined` where there is none. */
function bindColumn(at: ColumnSlot, name: string, compilation: Compilation): Binding | string | undefined {
  const path = parseFieldPath(name);
  if (typeof path === 'string') return path;
  const known = compilation.lookUp(path);
  switch (known.kind) {
    case 'leaf':
      return {
        kind: 'cell',
        path,
        ...at,
        parts: [at],
        conversion: defaultConversion(known.type),
        fallback: null,
      };
    case 'container':
      return isTable(compilation.source)
        ? containerProblem(at.column, known.shape, compilation)
        : { kind: 'container', path, ...at, shape: known.shape };
    case 'opaque':
      return `${NOT_SHOWN}; list "${isTable(compilation.source) ? at.column : path[0]}" under "ignore"`;
    case 'unknown':
      return undefined;
    default:
      return known satisfies never;
  }
}

function containerProblem(column: string, shape: 'object' | 'list', { catalog }: Compilation): string {
  const below = [...catalog.keys()].find((field) => field.startsWith(`${column}.`));
  const example = below?.replaceAll('#', '0') ?? `${column}.…`;
  const what = shape === 'list' ? 'a list' : 'an object';
  return `this is ${what}; expected a column for each field in it, for example "${example}"`;
}
