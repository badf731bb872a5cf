import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../lib/make-folder.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isTemporaryName } from './pending-file.ts';
import { REMAINDERS } from './remainder-format.ts';

/** The report's own files; what is left of an earlier writing is removed by these names. */
export const SUMMARY_FILE = 'summary.json';
export const RESULTS_FILE = 'results.csv';
export const REJECTIONS_FILE = 'rejections.jsonl';
export const DOCUMENTS_FILE = 'documents.jsonl';
const REMAINDER_FILES = REMAINDERS.flatMap((kind) => [`${kind}.csv`, `${kind}.ndjson`]);
const OCCASIONAL_FILES = [...REMAINDER_FILES, REJECTIONS_FILE, DOCUMENTS_FILE];

/** A killed writer leaves its unfinished files; a living one touches its own far more often than this. */
const LEFT_OVER_AFTER_MS = 3_600_000;

const summaryRunSchema = z.looseObject({ run: z.string() });

/**
 * Makes the directory, for its owner alone, and tells whether it has a summary of that run already.
 * Throws a UsageError where it holds another run's report, or files that would be taken for this one's.
 */
export async function claimReportDirectory(
  directory: string,
  run: string,
): Promise<{ readonly hasSummary: boolean }> {
  await makeFolder(directory);
  const text = await readIfThere(join(directory, SUMMARY_FILE));
  if (text === null) {
    await refuseForeignFiles(directory);
    return { hasSummary: false };
  }
  const found = runOf(text);
  if (found !== run) {
    throw new UsageError(
      `${join(directory, SUMMARY_FILE)} belongs to ${found === null ? 'something else' : `run ${found}`}: ` +
        `expected an empty folder or the report of run ${run}. Name another folder with --out.`,
    );
  }
  return { hasSummary: true };
}

/** Removes report files that the latest writing did not write. */
export async function removeStaleFiles(directory: string, written: ReadonlySet<string>): Promise<void> {
  for (const name of OCCASIONAL_FILES) {
    if (!written.has(name)) await rm(join(directory, name), { force: true });
  }
}

/** Removes the unfinished files of writers that were killed: they hold personal data. */
export async function removeLeftOvers(directory: string, now: Date): Promise<void> {
  for (const name of (await readdir(directory)).filter(isTemporaryName)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now.getTime() - found.mtimeMs > LEFT_OVER_AFTER_MS) await rm(path, { force: true });
  }
}

/** A rename outlives a power cut only once its directory is on the disk. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Without a summary nothing says whose they are: a person's own `failed.csv` must not be replaced. */
async function refuseForeignFiles(directory: string): Promise<void> {
  const foreign = (await readdir(directory)).filter((name) => REMAINDER_FILES.includes(name));
  if (foreign.length === 0) return;
  throw new UsageError(
    `${directory} has ${foreign.join(', ')}, but no ${SUMMARY_FILE} that says of which run: ` +
      'writing the report there would replace them. Move them away, or name another folder with --out.',
  );
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function runOf(text: string): string | null {
  try {
    return summaryRunSchema.parse(JSON.parse(text)).run;
  } catch {
    return null;
  }
}
