import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SUMMARY_FILE } from './report-directory.ts';
import { type Summary, summarySchema } from './summary.ts';

/** The summary of a report that was written to its end; `null` where there is none that can be read. */
export async function readSummary(directory: string): Promise<Summary | null> {
  try {
    const summary = summarySchema.parse(JSON.parse(await readFile(join(directory, SUMMARY_FILE), 'utf8')));
    return summary.exitCode === null ? null : summary;
  } catch {
    return null;
  }
}
