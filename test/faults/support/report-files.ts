import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { summarySchema } from '../../../src/report/summary.ts';

/** What a report must say once it is written. */
export type ExpectedReport = {
  readonly rows: number;
  /** The rows that the service refused. */
  readonly rejected: readonly number[];
};

const rejectionSchema = z.object({ row: z.number() });

/** Reads a file and answers the row numbers in it. */
const ROWS_IN: Readonly<Record<string, (text: string) => number[]>> = {
  'results.csv': (text) => columnOf(text, 'row'),
  'rejected.csv': (text) => columnOf(text, 'onboard_row'),
  'rejections.jsonl': (text) => linesOf(text).map((line) => rejectionSchema.parse(JSON.parse(line)).row),
};

/**
 * Reads every file of a report that has its name: each is whole, with every row it is about exactly once, in order.
 * Throws an Error that names the file where one is not; answers the names. Files that are not there yet are none of its business.
 */
export async function assertWholeFiles(directory: string, expected: ExpectedReport): Promise<string[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    // One that a later writing has removed since was whole when it went.
    const text = await readFile(join(directory, name), 'utf8').catch(() => null);
    if (text === null) continue;
    try {
      assertWhole(name, text, expected);
    } catch (error) {
      throw new Error(`${name} is not whole: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return names;
}

function assertWhole(name: string, text: string, expected: ExpectedReport): void {
  if (name === 'summary.json') {
    summarySchema.parse(JSON.parse(text));
    return;
  }
  const rowsIn = ROWS_IN[name];
  if (rowsIn === undefined) throw new Error('no report has such a file here');
  const rows = rowsIn(text);
  const wanted =
    name === 'results.csv' ? Array.from({ length: expected.rows }, (_, i) => i + 1) : expected.rejected;
  if (rows.length !== wanted.length) throw new Error(`${rows.length} rows, expected ${wanted.length}`);
  const wrong = rows.findIndex((row, i) => row !== wanted[i]);
  if (wrong >= 0) throw new Error(`row ${rows[wrong]}, expected ${wanted[wrong]}`);
}

function columnOf(text: string, column: string): number[] {
  const lines: Array<Record<string, string>> = parse(text, { columns: true, bom: true });
  return lines.map((line) => Number(line[column]));
}

function linesOf(text: string): string[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is torn');
  return text.split('\n').slice(0, -1);
}
