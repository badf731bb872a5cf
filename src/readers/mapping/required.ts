/**
 * What the job can't do without: columns, looked for when the mapping is compiled, and the fields
 * of the definition's `required`, in the body of each row. Where rows are grouped, each is asked
 * for the fields of its items, and the record of all of them for everything else.
 */
import { columnsOf, type JobDefinition, pathColumnsOf } from '../../config/job-definition.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { MOST_PROBLEMS } from '../../lib/usage-error.ts';
import { memberOf, withReferences } from '../../model/json-record.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import { isTable, type SourceInfo } from '../../model/source.ts';
import { type Binding, boundColumns } from './bind-fields.ts';
import type { Compilation } from './compilation.ts';
import { noSuchField } from './proposal/meaning.ts';
import {
  atFirst,
  catalogPath,
  type FieldPath,
  foldName,
  formatFieldPath,
  parseFieldPath,
} from './request-field.ts';
import { addIssue, type RowContext } from './row-context.ts';
import { isNothing } from './row-key.ts';

export type RequireFields = (body: JsonObject, context: RowContext, asked: Asked) => void;

/** `items`: fields of the items of the list that the job groups by. `record`: all others. */
type Asked = 'all' | 'items' | 'record';

type Required = {
  readonly path: FieldPath;
  readonly column: string;
  readonly columns: ReadonlySet<string>;
  readonly of: Exclude<Asked, 'all'>;
  /** Also a word for nothing, which the definition says is meant. */
  readonly isAnyText: boolean;
  readonly expected: string;
};

export function compileRequired(compilation: Compilation, bindings: readonly Binding[]): RequireFields {
  const { definition, pathField, problems } = compilation;
  const required: Required[] = [];
  for (const field of definition.required) {
    if (field === pathField) continue; // the path's identifier has a check of its own
    const path = requiredPath(field, compilation);
    if (typeof path === 'string') problems.push(`required, "${field}": ${path}`);
    else required.push(createRequired(field, path, { bindings, group: definition.group }));
  }
  return (mapped, context, asked) => {
    const body = withPlaceholders(mapped, context);
    for (const { path, column, columns, of, isAnyText, expected } of required) {
      const isAsked = asked === 'all' || asked === of;
      const isEmpty = isAnyText ? isBlank : isNothing;
      if (!isAsked || isPresent(body, path, isEmpty) || hasIssue(context, columns)) continue;
      addIssue(context, { code: 'missing_required', column, value: undefined, expected });
    }
  };
}

/** An identifier that is not looked up yet counts as present. */
function withPlaceholders(body: JsonObject, { references }: RowContext): JsonObject {
  const found = references.map(({ path }) => ({ path, id: 'to come' }));
  return found.length === 0 ? body : withReferences(body, found);
}

function requiredPath(field: string, compilation: Compilation): FieldPath | string {
  const path = parseFieldPath(field);
  if (typeof path === 'string' || compilation.lookUp(atFirst(path)).kind !== 'unknown') return path;
  return noSuchField(field, compilation);
}

function createRequired(
  field: string,
  path: FieldPath,
  { bindings, group }: { readonly bindings: readonly Binding[]; readonly group: string | undefined },
): Required {
  const name = catalogPath(path);
  const below = bindings.filter((binding) => `${catalogPath(binding.path)}.`.startsWith(`${name}.`));
  const exact = below.find((binding) => binding.path.join('.') === path.join('.'));
  return {
    path,
    column: boundColumns(exact === undefined ? [] : [exact])[0] ?? field,
    columns: new Set(boundColumns(below)),
    isAnyText: below.some((one) => one.kind === 'cell' && one.conversion.takesWords === true),
    of: group !== undefined && name.startsWith(`${group}.`) ? 'items' : 'record',
    expected: `a value: the job definition requires the field ${field}`,
  };
}

function hasIssue({ issues }: RowContext, columns: ReadonlySet<string>): boolean {
  return issues.some((issue) => issue.column !== null && columns.has(issue.column));
}

function isPresent(
  value: JsonValue | undefined,
  [segment, ...below]: FieldPath,
  isEmpty: (text: string) => boolean,
): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string' && isEmpty(value)) return false;
  if (typeof value !== 'object') return segment === undefined;
  if (segment === undefined)
    return Object.values(value).some((item) => typeof item !== 'string' || !isEmpty(item));
  if (segment === '#') return Object.values(value).every((item) => isPresent(item, below, isEmpty));
  return isPresent(memberOf(value, segment), below, isEmpty);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

const COLUMNS_SHOWN = 30;

type Missing = {
  readonly column: string;
  readonly why: string;
  readonly candidates: readonly string[];
};

/** JSON records leave out empty members, so that of them only the key can be missing. */
export function missingColumns(compilation: Compilation, bindings: readonly Binding[]): readonly string[] {
  const missing = [...missingNamed(compilation), ...missingRequired(compilation, bindings)];
  if (missing.length === 0) return [];
  return [...missing.map(missingWords), foundWords(compilation.source)];
}

function missingNamed({ definition, source, findColumns }: Compilation): readonly Missing[] {
  if (source.columns.length === 0 && !isTable(source)) return []; // without a record there is nothing to miss
  const { key, fields } = definition;
  const uses = new Map<string, string[]>();
  const addUse = (column: string, use: string) => {
    if (findColumns(column).length > 0) return;
    uses.set(column, [...(uses.get(column) ?? []), use]);
  };
  if (key !== undefined) addUse(key, 'its key');
  for (const column of pathColumnsOf(definition)) addUse(column, "the request's path");
  for (const [field, from] of isTable(source) ? Object.entries(fields) : []) {
    for (const column of columnsOf(from)) addUse(column, field);
  }
  return [...uses].map(([column, of]) => ({
    column,
    why: `from which the job takes ${of.join(', ')}`,
    candidates: source.columns,
  }));
}

/** Fields that nothing could ever fill: every row would be invalid. */
function missingRequired(
  { definition, source, pathField, lookUp }: Compilation,
  bindings: readonly Binding[],
): readonly Missing[] {
  if (!isTable(source)) return [];
  const defined = Object.keys(definition.fields).flatMap(pathIn);
  const mapped = [...bindings.map(({ path }) => path), ...defined];
  const taken = new Set(boundColumns(bindings));
  const candidates = source.columns.filter((one) => !taken.has(one));
  return [...new Set(definition.required)].flatMap((field) => {
    const [path] = pathIn(field);
    if (path === undefined || field === pathField) return [];
    if (mapped.some((one) => couldFill(one, path))) return [];
    if (lookUp(atFirst(path)).kind === 'unknown') return []; // no column could be that field
    return [{ column: formatFieldPath(atFirst(path)), why: 'which the job requires', candidates }];
  });
}

/** Whether a column's name says that it fills the key, the path or a required field. */
export function createIsNeeded(
  definition: JobDefinition,
  pathField: string | null,
): (column: string) => boolean {
  const { key, fields } = definition;
  const required = definition.required.flatMap(pathIn);
  const isRequired = (name: string) => {
    const paths = pathIn(name);
    return paths.some((path) => required.some((one) => couldFill(path, one)));
  };
  const sources = Object.entries(fields).filter(([field]) => isRequired(field) || field === pathField);
  const columns = sources.flatMap(([, source]) => columnsOf(source));
  const own = [key ?? [], pathField ?? []].flat();
  const names = new Set([...columns, ...pathColumnsOf(definition), ...own].map(foldName));
  return (column) => names.has(foldName(column)) || isRequired(column);
}

function pathIn(field: string): readonly FieldPath[] {
  const path = parseFieldPath(field);
  return typeof path === 'string' ? [] : [path];
}

/** Whether what is put at `path` can count for the required field: at it, below it or around it. */
function couldFill(path: FieldPath, required: FieldPath): boolean {
  return required.every((segment, at) => {
    const own = path[at];
    return own === undefined || own === segment || (segment === '#' && typeof own === 'number');
  });
}

function missingWords({ column, why, candidates }: Missing, at: number): string {
  const suggestion = at < MOST_PROBLEMS ? didYouMean(column, candidates) : '';
  return `the file has no column "${column}", ${why}.${suggestion}`;
}

/** A message may hold names of columns, never cells. */
function foundWords(source: SourceInfo): string {
  const columns = source.columns.filter((column) => column !== '');
  const names = columns.slice(0, COLUMNS_SHOWN).map((column) => `"${column}"`);
  const rest = columns.length - names.length;
  const listed = names.join(', ');
  const all = rest === 0 ? listed : `${listed} and ${rest} more`;
  const found = isTable(source)
    ? `its header, on line ${source.headerLine}, names ${all}`
    : `its records have ${all}`;
  const header = isTable(source) ? ' Where another line is the header, set "format.header".' : '';
  const remedy =
    'Add what is missing to the file; or, where the file has it under another ' +
    'name, give that name in the job definition, under "key" or "fields".';
  return `${found}. ${remedy}${header}`;
}
