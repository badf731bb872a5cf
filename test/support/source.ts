import type { SourceInfo } from '../../src/model/source.ts';

/** How a plain CSV file with a key column was understood. */
export function csvSource(over: Partial<SourceInfo> = {}): SourceInfo {
  return {
    type: 'csv',
    encoding: 'utf-8',
    bom: false,
    compression: 'none',
    headerLine: 1,
    sheet: null,
    notes: [],
    delimiter: ',',
    quote: '"',
    columns: ['externalId'],
    ...over,
  };
}
