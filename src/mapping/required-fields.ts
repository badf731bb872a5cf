import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { Binding } from './binding.ts';
import type { FieldPath } from './field-path.ts';
import { catalogPath, parseFieldPath } from './field-path.ts';
import { memberOf } from './json-member.ts';
import type { FieldLookup } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import type { RowContext } from './row-context.ts';
import { addIssue } from './row-context.ts';
import { suggestField } from './suggest-field.ts';
import { withReferences } from './with-references.ts';

/** Notes a `missing_required` issue for every required field that the body lacks. */
export type RequireFields = (body: JsonObject, context: RowContext) => void;

/** A required field; `#` in its path means every item of the list. */
type Required = {
  readonly path: FieldPath;
  /** The column that fills exactly this field, else the field's own name. */
  readonly column: string;
  /** All columns that can fill it: an issue with one of them says enough. */
  readonly columns: ReadonlySet<string>;
  readonly expected: string;
};

/** Compiles `required`; a field that the operation doesn't have is added to `problems`. */
export function compileRequired(
  options: MappingOptions,
  about: { readonly lookUp: FieldLookup; readonly bindings: readonly Binding[] },
  problems: string[],
): RequireFields {
  const required: Required[] = [];
  for (const field of options.definition.required) {
    if (field === options.pathField) continue; // the path's identifier has a check of its own
    const path = pathOf(field, options, about.lookUp);
    if (typeof path === 'string') problems.push(`required, "${field}": ${path}`);
    else required.push(createRequired(field, path, about.bindings));
  }
  return (mapped, context) => {
    const body = withPlaceholders(mapped, context);
    for (const one of required) {
      if (isPresent(body, one.path, 0) || hasIssue(context.issues, one.columns)) continue;
      addIssue(context, {
        code: 'missing_required',
        column: one.column,
        value: undefined,
        expected: one.expected,
      });
    }
  };
}

/** Whether what is put at `path` can count for the required field: at it, below it or around it. */
export function couldFill(path: FieldPath, required: FieldPath): boolean {
  return required.every((segment, at) => {
    const own = path[at];
    return own === undefined || own === segment || (segment === '#' && typeof own === 'number');
  });
}

/** An identifier that is still to come counts as present. */
function withPlaceholders(body: JsonObject, { references }: RowContext): JsonObject {
  if (references.length === 0) return body;
  return withReferences(
    body,
    references.map(({ path }) => ({ path, id: 'to come' })),
  );
}

function pathOf(field: string, options: MappingOptions, lookUp: FieldLookup): FieldPath | string {
  const parsed = parseFieldPath(field);
  if (parsed.kind === 'problem') return parsed.problem;
  if (lookUp(parsed.path.map((segment) => (segment === '#' ? 0 : segment))).kind !== 'unknown')
    return parsed.path;
  const suggestion = suggestField(field, options);
  return `${options.definition.operation} has no such field.${suggestion}`;
}

function createRequired(field: string, path: FieldPath, bindings: readonly Binding[]): Required {
  const name = catalogPath(path);
  const below = bindings.filter((binding) => `${catalogPath(binding.path)}.`.startsWith(`${name}.`));
  const exact = below.find((binding) => binding.path.join('.') === path.join('.'));
  return {
    path,
    column: columnsOf(exact === undefined ? [] : [exact])[0] ?? field,
    columns: new Set(columnsOf(below)),
    expected: `a value: the job definition requires the field ${field}`,
  };
}

function columnsOf(bindings: readonly Binding[]): readonly string[] {
  return bindings.flatMap((binding) => (binding.kind === 'constant' ? [] : [binding.column]));
}

function hasIssue(issues: readonly Issue[], columns: ReadonlySet<string>): boolean {
  return issues.some((issue) => issue.column !== null && columns.has(issue.column));
}

function isPresent(value: JsonValue | undefined, path: FieldPath, depth: number): boolean {
  if (value === undefined || value === null || value === '') return false;
  const segment = path[depth];
  if (typeof value !== 'object') return segment === undefined;
  if (segment === undefined) return Object.keys(value).length > 0;
  if (segment === '#') return Object.values(value).every((item) => isPresent(item, path, depth + 1));
  return isPresent(memberOf(value, segment), path, depth + 1);
}
