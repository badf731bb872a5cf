/**
 * A report's folder and the files in it. Files are written under temporary names and take their own only once all of
 * them are whole and on the disk, so whoever looks finds the report before or the report after, never half of one. A
 * folder with another run's report, or with files that somebody might miss, is refused.
 */
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { UsageError } from '../lib/usage-error.ts';
import { REMAINDERS } from './remainder.ts';

/** The report's own files. Files that an earlier writing left and the latest has not are removed by name. */
export const SUMMARY_FILE = 'summary.json';
export const RESULTS_FILE = 'results.csv';
export const REJECTIONS_FILE = 'rejections.jsonl';
export const DOCUMENTS_FILE = 'documents.jsonl';

const REMAINDER_FILES = REMAINDERS.flatMap((kind) => [`${kind}.csv`, `${kind}.ndjson`]);
const OCCASIONAL_FILES = [...REMAINDER_FILES, REJECTIONS_FILE, DOCUMENTS_FILE];

/**
 * Makes the directory, for its owner alone, and tells whether it has a summary of that run already.
 * Throws a UsageError where it holds another run's report, or files that this report would replace.
 */
export async function claimReportDirectory(
  directory: string,
  run: string,
): Promise<{ readonly hasSummary: boolean }> {
  await makeFolder(directory);
  const text = await readFile(join(directory, SUMMARY_FILE), 'utf8').catch(insteadOf('ENOENT', null));
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

/** Without a summary nothing says whose the files are: a person's own `failed.csv` must not be replaced. */
async function refuseForeignFiles(directory: string): Promise<void> {
  const foreign = (await readdir(directory)).filter((name) => REMAINDER_FILES.includes(name));
  if (foreign.length === 0) return;
  throw new UsageError(
    `${directory} has ${foreign.join(', ')}, but no ${SUMMARY_FILE} that says of which run: ` +
      'writing the report there would replace them. Move them away, or name another folder with --out.',
  );
}

function runOf(text: string): string | null {
  try {
    return summaryRunSchema.parse(JSON.parse(text)).run;
  } catch {
    return null;
  }
}

const summaryRunSchema = z.looseObject({ run: z.string() });

/** Removes the unfinished files of writers that were killed: they hold personal data. */
export async function removeLeftOvers(directory: string, now: Date): Promise<void> {
  for (const name of (await readdir(directory)).filter(isTemporaryName)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now.getTime() - found.mtimeMs > LEFT_OVER_AFTER_MS) await rm(path, { force: true });
  }
}

/** The age of an unfinished file whose writer was killed: a living writer touches its files far more often than this. */
const LEFT_OVER_AFTER_MS = 3_600_000;

/**
 * Removes the unfinished files of those who wrote the report while the run went on: one process at a time does, the one that reads the
 * run, so theirs belong to one that is gone or has lost the run. That one writes its report anew.
 */
export async function removeGrown(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter(
    (name) => isTemporaryName(name) && name.endsWith(SUFFIX.grown),
  );
  for (const name of names) await rm(join(directory, name), { force: true });
}

/** The files of one writing of a report: all of them are whole before the first takes its name. */
export type PendingReport = {
  append(name: string, text: string): Promise<void>;
  /** Begins a file that takes its name before all others; its last version may be among the others. */
  claim(name: string, text: string): Promise<void>;
  /** The files appended to so far. */
  names(): readonly string[];
  /** Every file takes its name, in the order in which they were begun; older report files that are not among them are removed. */
  publish(): Promise<void>;
  /** Removes whatever was not published; safe to call at any time. */
  discard(): Promise<void>;
};

type PendingOptions = {
  /** Names of older files that are neither written nor removed. */
  readonly keep: readonly string[];
  /** `grown`: while the run goes on. */
  readonly how: keyof typeof SUFFIX;
};

export function createPendingReport(directory: string, { keep, how }: PendingOptions): PendingReport {
  const claims: PendingFile[] = [];
  const files = new Map<string, PendingFile>();
  const fileOf = async (name: string) => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const file = await openPendingFile(directory, name, how);
    files.set(name, file);
    return file;
  };
  return {
    append: async (name, text) => {
      if (!keep.includes(name)) await (await fileOf(name)).append(text);
    },
    claim: async (name, text) => {
      const file = await openPendingFile(directory, name);
      claims.push(file);
      await file.append(text);
    },
    names: () => [...files.keys()],
    publish: async () => {
      const inOrder = [...claims, ...files.values()];
      for (const file of inOrder) await file.seal();
      for (const file of inOrder) await file.publish();
      await removeStaleFiles(directory, new Set([...files.keys(), ...keep]));
      await syncDirectory(directory);
    },
    discard: async () => {
      await Promise.allSettled([...claims, ...files.values()].map((file) => file.discard()));
    },
  };
}

/** Removes report files that the latest writing did not write. */
async function removeStaleFiles(directory: string, written: ReadonlySet<string>): Promise<void> {
  for (const name of OCCASIONAL_FILES) {
    if (!written.has(name)) await rm(join(directory, name), { force: true });
  }
}

/** A rename outlives a power cut only once its directory is on the disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file that is seen under its name only once it is whole. */
type PendingFile = {
  /** Resolves when more text may be given: at most 64 Ki characters and the last text wait in memory. */
  append(text: string): Promise<void>;
  /** Puts everything on the disk; nothing can be appended any more. */
  seal(): Promise<void>;
  /** Takes its name, and the place of an older file of that name; only after `seal`. */
  publish(): Promise<void>;
  /** Removes what was not published; safe to call at any time. */
  discard(): Promise<void>;
};

/** Opens a file for its owner alone, under a temporary name in the same directory. */
export async function openPendingFile(
  directory: string,
  name: string,
  how: PendingOptions['how'] = 'atOnce',
): Promise<PendingFile> {
  const temporary = join(directory, `.${name}.${randomBytes(6).toString('hex')}${SUFFIX[how]}`);
  const handle = await open(temporary, 'wx', 0o600);
  let buffered = '';
  const flush = async () => {
    const text = buffered;
    buffered = '';
    if (text !== '') await handle.appendFile(text, 'utf8');
  };
  return {
    append: async (text) => {
      buffered += text;
      if (buffered.length >= BUFFER_CHARACTERS) await flush();
    },
    seal: async () => {
      await flush();
      await handle.sync();
      await handle.close();
    },
    publish: () => rename(temporary, join(directory, name)),
    discard: async () => {
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

const BUFFER_CHARACTERS = 65_536;
const SUFFIX = { atOnce: '.tmp', grown: '.part' } as const;

/** Whether a file of that name is an unfinished one of this module's. */
function isTemporaryName(fileName: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.(tmp|part)$/.test(fileName);
}
