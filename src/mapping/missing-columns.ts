import { didYouMean } from '../lib/did-you-mean.ts';
import { isTable } from '../model/source.ts';
import type { Finders } from './bind-columns.ts';
import type { Binding } from './binding.ts';
import { formatFieldPath, parseFieldPath } from './field-path.ts';
import { columnOf } from './find-column.ts';
import type { MappingOptions } from './mapping-options.ts';
import { couldFill } from './required-fields.ts';

/** As many as a person looks through; a file can have thousands. */
const COLUMNS_SHOWN = 30;

type Missing = {
  readonly column: string;
  /** Why the job can't do without it, in words. */
  readonly why: string;
  /** The columns that it may go by in the file. */
  readonly candidates: readonly string[];
};

/**
 * What the job can't do without and no column of the file holds, each column once, with the columns that there are and
 * what to do at the end; empty where nothing is missing. JSON records leave out what they don't have, so of those only
 * the key counts.
 */
export function missingColumns(
  options: MappingOptions,
  finders: Finders,
  bindings: readonly Binding[],
): readonly string[] {
  const missing = [...missingNamed(options, finders), ...missingRequired(options, finders, bindings)];
  if (missing.length === 0) return [];
  return [...missing.map(missingWords), foundWords(options)];
}

/** Columns that the definition names as the key or under `fields`. */
function missingNamed(options: MappingOptions, { find }: Finders): readonly Missing[] {
  const { definition, source } = options;
  if (source.columns.length === 0 && !isTable(source)) return []; // without a record there is nothing to miss
  const uses = new Map<string, string[]>();
  const add = (column: string, use: string) => {
    if (find(column).kind === 'none') uses.set(column, [...(uses.get(column) ?? []), use]);
  };
  if (definition.key !== undefined) add(definition.key, 'its key');
  for (const [field, from] of isTable(source) ? Object.entries(definition.fields) : []) {
    const column = columnOf(from);
    if (column !== null) add(column, field);
  }
  return [...uses].map(([column, of]) => ({
    column,
    why: `from which the job takes ${of.join(', ')}`,
    candidates: source.columns,
  }));
}

/** Fields that the definition requires and that nothing could ever fill: every row would be invalid. */
function missingRequired(
  options: MappingOptions,
  { lookUp }: Finders,
  bindings: readonly Binding[],
): readonly Missing[] {
  const { definition, source, pathField } = options;
  if (!isTable(source)) return [];
  const mapped = [...bindings.map(({ path }) => path), ...Object.keys(definition.fields).flatMap(pathIn)];
  const taken = new Set(bindings.flatMap((one) => (one.kind === 'constant' ? [] : [one.column])));
  const candidates = source.columns.filter((one) => !taken.has(one));
  return [...new Set(definition.required)].flatMap((field) => {
    const [path] = pathIn(field);
    if (path === undefined || field === pathField || mapped.some((one) => couldFill(one, path))) return [];
    const first = path.map((segment) => (segment === '#' ? 0 : segment));
    if (lookUp(first).kind === 'unknown') return []; // no column could be that field
    return [{ column: formatFieldPath(first), why: 'which the job requires', candidates }];
  });
}

function pathIn(field: string) {
  const parsed = parseFieldPath(field);
  return parsed.kind === 'path' ? [parsed.path] : [];
}

function missingWords({ column, why, candidates }: Missing): string {
  return `the file has no column "${column}", ${why}.${didYouMean(column, candidates)}`;
}

/** Names of columns alone: no cell of a row stands in a header. */
function foundWords({ source }: MappingOptions): string {
  const { columns, headerLine } = source;
  const names = columns.slice(0, COLUMNS_SHOWN).map((column) => `"${column}"`);
  const rest = columns.length - names.length;
  const all = names.join(', ') + (rest === 0 ? '' : ` and ${rest} more`);
  const found = isTable(source)
    ? `its header, on line ${headerLine}, names ${all}`
    : `its records have ${all}`;
  const header = isTable(source) ? ' Where another line is the header, set "format.header".' : '';
  return `${found}. Add what is missing to the file; or, where the file has it under another name, give that name in the job definition, under "key" or "fields".${header}`;
}
