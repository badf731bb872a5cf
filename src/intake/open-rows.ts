import type { Format } from '../config/job-definition.ts';
import type { Reading } from './inspect-file.ts';
import { fileBytes } from './open-input.ts';
import { type RowBatch, readRows } from './read-rows.ts';
import { readWorkbook } from './read-workbook.ts';

/**
 * The one way from a file to rows: the first batch comes without rows as soon as the file is understood.
 * UsageError where the file can't be read as a whole; it is closed when the consumer stops.
 */
export function openRows(path: string, reading: Reading, format: Format): AsyncGenerator<RowBatch> {
  return reading.container === 'workbook'
    ? readWorkbook(path, format)
    : readRows(fileBytes(path), path, { reading, format });
}
