import type { Binding } from './binding.ts';
import { formatFieldPath, parseFieldPath } from './field-path.ts';
import type { FieldLookup } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import { suggestField } from './suggest-field.ts';

/** What is wrong with the list that the definition's `group` names. */
export function groupProblems(
  options: MappingOptions,
  about: { readonly lookUp: FieldLookup; readonly bindings: readonly Binding[] },
): readonly string[] {
  const { group } = options.definition;
  if (group === undefined) return [];
  const problem = listProblem(group, options, about.lookUp);
  if (problem !== null) return [`group: ${problem}`];
  // A JSON file without a record has no columns to miss.
  if (options.source.columns.length === 0 || about.bindings.some((binding) => fills(binding, group)))
    return [];
  return [
    `group: no column fills the list "${group}"; expected one such as "${itemOf(group, options)}", or one mapped to it under "fields"`,
  ];
}

function listProblem(group: string, options: MappingOptions, lookUp: FieldLookup): string | null {
  const parsed = parseFieldPath(group);
  if (parsed.kind === 'problem') return parsed.problem;
  const known = lookUp(parsed.path);
  if (known.kind === 'unknown') {
    const suggestion = suggestField(group, options);
    return `${options.definition.operation} has no list "${group}".${suggestion}`;
  }
  const isList =
    (known.kind === 'container' && known.shape === 'list') ||
    (known.kind === 'leaf' && known.type === 'string-list');
  if (isList && parsed.path.every((segment) => typeof segment === 'string')) return null;
  return `"${group}" is no list of the request; expected one such as accounts`;
}

function fills(binding: Binding, group: string): boolean {
  return binding.kind !== 'constant' && `${formatFieldPath(binding.path)}.`.startsWith(`${group}.`);
}

function itemOf(group: string, { catalog }: MappingOptions): string {
  const item = [...catalog.keys()].find((field) => field.startsWith(`${group}.#.`));
  return item?.replaceAll('#', '0') ?? group;
}
