import type { JobDefinition } from '../config/job-definition.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../model/source.ts';
import { foldName } from './fold-name.ts';

/** What a mapping is compiled from. */
export type MappingOptions = {
  readonly definition: JobDefinition;
  readonly source: SourceInfo;
  /** The fields of the request's body; empty for a call without one. */
  readonly catalog: FieldCatalog;
  /** The pseudo-field that fills the identifier in the path, `null` where the path has none. */
  readonly pathField: string | null;
  /** Whether a row without that identifier can't be sent. */
  readonly needsPathId: boolean;
};

/** Whether the column says nothing to the service: a report file added it, or the definition ignores it by its name. */
export function isLeftOut(column: string, options: MappingOptions): boolean {
  if (column.startsWith(REPORT_COLUMN_PREFIX)) return true;
  const ignored = options.definition.ignore;
  if (isTable(options.source)) return ignored.includes(column);
  return isAtOrBelow(column, REPORT_MEMBER) || ignored.some((name) => isAtOrBelow(column, name));
}

/** Prepares telling whether a column reads like one that the definition ignores, where the file has none by that very name. */
export function compileReadsAsIgnored({ definition, source }: MappingOptions): (column: string) => boolean {
  const columns = new Set(source.columns);
  const names = new Set(definition.ignore.filter((name) => !columns.has(name)).map(foldName));
  if (names.size === 0) return () => false;
  if (isTable(source)) return (column) => names.has(foldName(column));
  return (column) => {
    const folded = foldName(column);
    return [...names].some((name) => isAtOrBelow(folded, name));
  };
}

function isAtOrBelow(column: string, name: string): boolean {
  return column === name || column.startsWith(`${name}.`);
}
