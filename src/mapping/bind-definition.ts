import type { FieldSource } from '../config/job-definition.ts';
import type { ReferenceSpace } from '../model/mapping.ts';
import type { Binding } from './binding.ts';
import { placeOf } from './column-place.ts';
import { convert } from './conversion.ts';
import { conversionFor, defaultConversion } from './conversion-for.ts';
import type { FieldPath } from './field-path.ts';
import { formatFieldPath, parseFieldPath } from './field-path.ts';
import type { FindColumn } from './find-column.ts';
import type { FieldLookup, LeafType } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import { suggestField } from './suggest-field.ts';

/** The definition's `fields` as bindings; what is wrong with them is added to `problems`, but for columns that are missing. */
export function bindDefinition(
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
type Means = { readonly options: MappingOptions; readonly find: FindColumn };

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

function bind(target: Target, source: FieldSource, means: Means): Binding | string | null {
  if (typeof source === 'string') return bindColumn(target, { column: source }, means);
  return 'column' in source ? bindColumn(target, source, means) : bindConstant(target, source.value);
}

function bindColumn(
  target: Target,
  source: Extract<FieldSource, { column: string }>,
  means: Means,
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
  { options, find }: Means,
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
