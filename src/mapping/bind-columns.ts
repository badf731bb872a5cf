import { isTable } from '../model/source.ts';
import type { Binding } from './binding.ts';
import { defaultConversion } from './conversion-for.ts';
import type { FieldPath } from './field-path.ts';
import { parseFieldPath, readableStart } from './field-path.ts';
import type { FindColumn } from './find-column.ts';
import { namesTaken } from './find-column.ts';
import type { FieldLookup } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import { compileReadsAsIgnored, isLeftOut } from './mapping-options.ts';
import { listAround, type RecordList, recordLists } from './record-lists.ts';
import { suggestField } from './suggest-field.ts';
import type { FindField } from './tolerant-field.ts';

/** How columns and fields find each other. */
export type Finders = {
  readonly lookUp: FieldLookup;
  readonly find: FindColumn;
  readonly findField: FindField;
};

/** The columns whose headers are field paths as bindings; a column that nothing knows is added to `problems`. */
export function bindColumns(
  options: MappingOptions,
  finders: Finders,
  problems: string[],
): readonly Binding[] {
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
