import type { JobDefinition } from '../config/job-definition.ts';
import type { FieldCatalog } from '../model/field.ts';
import type { SourceInfo } from '../model/source.ts';
import { REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../model/source.ts';

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

/** Whether the column says nothing to the service: a report file added it, or the definition ignores it. */
export function isLeftOut(column: string, options: MappingOptions): boolean {
  if (column.startsWith(REPORT_COLUMN_PREFIX)) return true;
  const ignored = options.definition.ignore;
  if (options.source.type === 'csv') return ignored.includes(column);
  return isAtOrBelow(column, REPORT_MEMBER) || ignored.some((name) => isAtOrBelow(column, name));
}

function isAtOrBelow(column: string, name: string): boolean {
  return column === name || column.startsWith(`${name}.`);
}
