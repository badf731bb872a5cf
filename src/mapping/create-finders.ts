import type { Finders } from './bind-columns.ts';
import { parseFieldPath } from './field-path.ts';
import { createFindColumn } from './find-column.ts';
import { createFieldLookup } from './known-field.ts';
import type { MappingOptions } from './mapping-options.ts';
import { createFindField } from './tolerant-field.ts';

/** How the columns of one file and the fields of one operation find each other. */
export function createFinders({ catalog, pathField, definition, source }: MappingOptions): Finders {
  const lookUp = createFieldLookup(catalog, pathField);
  const isField = (column: string) => {
    const parsed = parseFieldPath(column);
    return parsed.kind === 'path' && lookUp(parsed.path).kind !== 'unknown';
  };
  return {
    lookUp,
    find: createFindColumn(source.columns, definition, isField),
    findField: createFindField(catalog, pathField),
  };
}
