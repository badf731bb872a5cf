import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

/**
 * The failed.csv of that job's newest run, with its cells corrected as a person would; null where
 * there is none.
 */
export function correctRows(reports, job, corrections) {
  const failed = failedFile(reports, job);
  if (failed === null) return null;
  const rows = parse(readFileSync(failed), { bom: true, columns: true, delimiter: ';' });
  for (const { row, column, value } of corrections) {
    const found = rows.find((cells) => cells.onboard_row === String(row));
    if (found === undefined || !(column in found))
      throw new Error(`${failed}: no row ${row} with "${column}"`);
    found[column] = value;
  }
  return stringify(rows, { header: true, delimiter: ';' });
}

function failedFile(reports, job) {
  if (!existsSync(reports)) return null;
  const newest = readdirSync(reports)
    .toSorted()
    .findLast((name) => jobOf(join(reports, name)) === job);
  const path = join(reports, newest ?? '', 'failed.csv');
  return existsSync(path) ? path : null;
}

function jobOf(folder) {
  const path = join(folder, 'summary.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).job : null;
}
