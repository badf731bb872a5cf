import { isTable } from '../model/source.ts';
import type { FindColumn } from './find-column.ts';
import type { MappingOptions } from './mapping-options.ts';

/** A column as the file names it, and where a row's values hold its value. */
export type Place = { readonly column: string; readonly slot: number };

/**
 * The column that fills a field, or what is wrong; `null`: a table without it (`missingColumns` says so). JSON records leave out what they don't have: a member that no
 * record has is empty in every row, as in a mended remainder.
 */
export function placeOf(name: string, options: MappingOptions, find: FindColumn): Place | string | null {
  const { source } = options;
  const sparse = !isTable(source) && find(name).kind === 'none';
  return sparse ? { column: name, slot: source.columns.length } : columnNamed(name, options, find);
}

/** The column that the definition can't do without, or what is wrong; `null`: there is none (`missingColumns` says so). A JSON file without a record has no columns to miss. */
export function columnNamed(
  name: string,
  { source }: MappingOptions,
  find: FindColumn,
): Place | string | null {
  const found = find(name);
  switch (found.kind) {
    case 'found':
      return { column: found.column, slot: found.slot };
    case 'several':
      return severalProblem(name, found.columns);
    case 'none':
      return source.columns.length === 0 && !isTable(source) ? { column: name, slot: 0 } : null;
    default:
      return found satisfies never;
  }
}

function severalProblem(name: string, columns: readonly string[]): string {
  if (columns.every((column) => column === name)) {
    return `the file has more than one column "${name}"; expected different names`;
  }
  const all = columns.map((column) => `"${column}"`).join(' and ');
  return `columns ${all} both read as "${name}"; expected one of them. Rename one, or list it under "ignore".`;
}
