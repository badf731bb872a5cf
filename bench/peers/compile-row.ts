import type { Parser } from 'csv-parse';
import type { JobDefinition } from '../../src/config/job-definition.ts';
import { buildRequest, fieldCatalog } from '../../src/delivery/service/operations.ts';
import type { ServiceRequest } from '../../src/model/request.ts';
import { compileMapping } from '../../src/readers/mapping/mapping.ts';
import { csvSource } from '../../test/support/source.ts';

/** The request of one row of cells; `row` counts from 1. Throws where the row can't be sent. */
export type CompiledRow = (cells: string[], row: number) => ServiceRequest;

/** The program's own mapping of subclient.create, for peers that differ from it in all else. */
export function compileRow(definition: JobDefinition, columns: readonly string[]): CompiledRow {
  const mapping = compileMapping({
    definition,
    source: csvSource({ columns: [...columns] }),
    catalog: fieldCatalog('subclient.create'),
    pathField: null,
    needsPathId: false,
  });
  const { query } = definition;
  return (cells, row) => {
    const mapped = mapping.map({ kind: 'cells', row, line: row + 1, cells });
    if (mapped.kind === 'issues')
      throw new Error(`row ${row} can't be sent: ${JSON.stringify(mapped.issues)}`);
    return buildRequest('subclient.create', { pathId: null, body: mapped.body, query });
  };
}

/** The id in an answer of the service; `null` where there is none. */
export function answeredId(text: string): string | null {
  const json: unknown = JSON.parse(text);
  const hasId = typeof json === 'object' && json !== null && 'id' in json;
  return hasId && typeof json.id === 'string' ? json.id : null;
}

/** The header of a file that is being parsed into arrays. */
export function firstRecord(parser: Parser): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    parser.once('error', reject);
    parser.once('readable', () => resolve(parser.read() ?? []));
  });
}
