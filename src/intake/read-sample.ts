import type { Format } from '../config/job-definition.ts';
import type { Row } from '../model/row.ts';
import type { SourceInfo } from '../model/source.ts';
import { inspectFile } from './inspect-file.ts';
import { openRows } from './open-rows.ts';
import { collectColumns, withColumns } from './survey.ts';

/** How a file is understood and its first rows; of JSON the columns are those of these rows. UsageError as for a survey, as far as the rows were read. */
export type Sample = { readonly source: SourceInfo; readonly rows: readonly Row[] };

/** Reads up to `limit` rows from the front of a file; its encoding is told by all of it, as for a survey. */
export async function readSample(path: string, format: Format, limit: number): Promise<Sample> {
  const columns = new Set<string>();
  const rows: Row[] = [];
  let source: SourceInfo | null = null;
  const inspected = await inspectFile(path, format);
  for await (const batch of openRows(path, inspected, format)) {
    source = batch.source;
    const taken = batch.rows.slice(0, limit - rows.length);
    rows.push(...taken);
    collectColumns(path, { source, rows: taken }, columns);
    if (rows.length >= limit) break;
  }
  if (source === null) throw new Error('a file was read without being understood');
  return { source: withColumns(source, columns), rows };
}
