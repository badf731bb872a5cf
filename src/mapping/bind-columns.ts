import type { FieldSource } from '../config/job-definition.ts';
import type { Binding } from './binding.ts';
import { defaultConversion } from './conversion-for.ts';
import type { FieldPath } from './field-path.ts';
import { parseFieldPath, readableStart } from './field-path.ts';
import type { FieldLookup } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import { isLeftOut } from './mapping-options.ts';
import { suggestField } from './suggest-field.ts';

/** The columns whose headers are field paths as bindings; a column that nothing knows is added to `problems`. */
export function bindColumns(
  options: MappingOptions,
  lookUp: FieldLookup,
  problems: string[],
): readonly Binding[] {
  const named = namedColumns(options);
  const bindings: Binding[] = [];
  for (const [slot, column] of options.source.columns.entries()) {
    if (isLeftOut(column, options)) continue;
    const bound = bindColumn({ column, slot }, options, lookUp);
    if (typeof bound !== 'string') bindings.push(bound);
    else if (!named.has(column)) problems.push(`${describeColumn(column, slot)}: ${bound}`);
  }
  return onePerMember(bindings);
}

/** Columns that the definition takes up by name: they need not be field paths. */
function namedColumns(options: MappingOptions): ReadonlySet<string> {
  const { fields, key } = options.definition;
  const named = Object.values(fields).flatMap((source) => columnOf(source) ?? []);
  return new Set(key === undefined ? named : [...named, key]);
}

function columnOf(source: FieldSource): string | null {
  if (typeof source === 'string') return source;
  return 'column' in source ? source.column : null;
}

type Column = { readonly column: string; readonly slot: number };

/** The column as a binding, or why it is none. */
function bindColumn(at: Column, options: MappingOptions, lookUp: FieldLookup): Binding | string {
  const parsed = parseFieldPath(at.column);
  if (parsed.kind === 'problem') {
    // Inside a member that is carried as it stands, names and positions are the record's own affair.
    const start = readableStart(at.column);
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
      return unknownColumn(at.column, options);
    default:
      return known satisfies never;
  }
}

function bindContainer(
  at: Column,
  path: FieldPath,
  about: { readonly shape: 'object' | 'list'; readonly options: MappingOptions },
): Binding | string {
  if (about.options.source.type !== 'csv') return { kind: 'container', path, ...at, shape: about.shape };
  const shape = about.shape === 'list' ? 'a list' : 'an object';
  return `this is ${shape}; expected a column for each field in it, for example "${fieldBelow(at.column, about.options)}"`;
}

function fieldBelow(column: string, options: MappingOptions): string {
  const below = [...options.catalog.keys()].find((field) => field.startsWith(`${column}.`));
  return below?.replaceAll('#', '0') ?? `${column}.…`;
}

function bindMember(at: Column, path: FieldPath, options: MappingOptions): Binding | string {
  return options.source.type === 'csv'
    ? 'the contents of this member are not documented; only a JSON record can carry it, as it stands'
    : { kind: 'member', path, ...at };
}

function unknownColumn(column: string, options: MappingOptions): string {
  const { operation } = options.definition;
  const suggestion = suggestField(column, options.catalog, options.pathField);
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
