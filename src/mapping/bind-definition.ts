import type { FieldSource } from '../config/job-definition.ts';
import { didYouMean } from '../lib/did-you-mean.ts';
import type { Binding } from './binding.ts';
import { convert } from './conversion.ts';
import { conversionFor, defaultConversion } from './conversion-for.ts';
import type { FieldPath } from './field-path.ts';
import { parseFieldPath } from './field-path.ts';
import type { FieldLookup, LeafType } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import { suggestField } from './suggest-field.ts';

/** The definition's `fields` as bindings; what is wrong with them is added to `problems`. */
export function bindDefinition(
  options: MappingOptions,
  lookUp: FieldLookup,
  problems: string[],
): readonly Binding[] {
  const bindings: Binding[] = [];
  for (const [field, source] of Object.entries(options.definition.fields)) {
    const target = targetOf(field, options, lookUp);
    const bound = typeof target === 'string' ? target : bind(target, source, options);
    if (typeof bound === 'string') problems.push(`fields, "${field}": ${bound}`);
    else bindings.push(bound);
  }
  return bindings;
}

type Target = { readonly path: FieldPath; readonly type: LeafType };

/** The field to fill, or what is wrong with it. */
function targetOf(field: string, options: MappingOptions, lookUp: FieldLookup): Target | string {
  const parsed = parseFieldPath(field);
  if (parsed.kind === 'problem') return parsed.problem;
  const known = lookUp(parsed.path);
  switch (known.kind) {
    case 'leaf':
      return { path: parsed.path, type: known.type };
    case 'container':
      return `this is ${known.shape === 'list' ? 'a list' : 'an object'}; expected one of the fields in it`;
    case 'opaque':
      return 'the contents of this member are not documented; only a JSON record can carry it, as it stands';
    case 'unknown':
      return `${options.definition.operation} has no such field.${suggestField(field, options.catalog, options.pathField)}`;
    default:
      return known satisfies never;
  }
}

function bind(target: Target, source: FieldSource, options: MappingOptions): Binding | string {
  if (typeof source === 'string') return bindColumn(target, { column: source }, options);
  return 'column' in source ? bindColumn(target, source, options) : bindConstant(target, source.value);
}

function bindColumn(
  target: Target,
  source: Extract<FieldSource, { column: string }>,
  options: MappingOptions,
): Binding | string {
  const chosen = conversionFor(target.type, source);
  if (chosen.kind === 'problem') return chosen.problem;
  const slot = isSparse(source.column, options)
    ? options.source.columns.length
    : slotOf(source.column, options);
  if (typeof slot === 'string') return slot;
  return { kind: 'cell', path: target.path, column: source.column, slot, conversion: chosen.conversion };
}

function bindConstant(target: Target, value: string | number | boolean): Binding | string {
  const conversion = defaultConversion(target.type);
  const converted = convert(conversion, value);
  return converted === undefined || converted === null
    ? `the constant doesn't fit the field; expected ${conversion.expected}`
    : { kind: 'constant', path: target.path, value: converted };
}

/** JSON records leave out what they don't have: a member that no record has is empty in every row, as in a mended remainder. */
function isSparse(column: string, { source }: MappingOptions): boolean {
  return source.type !== 'csv' && !source.columns.includes(column);
}

/** The column's place in the file, or what is wrong; a JSON file without a record has no columns to miss. */
export function slotOf(column: string, options: MappingOptions): number | string {
  const { columns, type } = options.source;
  const slot = columns.indexOf(column);
  if (slot === -1 && columns.length === 0 && type !== 'csv') return 0;
  if (slot === -1) return `the file has no column "${column}".${didYouMean(column, columns)}`;
  if (columns.lastIndexOf(column) === slot) return slot;
  return `the file has more than one column "${column}"; expected different names`;
}
