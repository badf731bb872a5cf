/**
 * A report's folder and its files. Files get their own names only once all are whole and on disk: a
 * reader finds the report before or the report after, never half of one. A folder with another
 * run's report, or with files that a person might miss, is refused. A file to correct that a person
 * changed stays, and the new one is `failed-2.csv` beside it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { UsageError } from '../lib/usage-error.ts';
import { remainderOf } from './remainder.ts';

export const SUMMARY_FILE = 'summary.json';
export const RESULTS_FILE = 'results.csv';
export const REJECTIONS_FILE = 'rejections.jsonl';
export const DIGEST_FILE = 'digest.json';
export const PAGE_FILE = 'report.html';
export const SHARED_PAGE_FILE = 'report-share.html';
export const DOCUMENTS_FILE = 'documents.jsonl';

/**
 * Makes the folder, for its owner alone; answers the digests of the files to correct as last
 * written. A UsageError where it holds another run's report, or files that this report would
 * replace.
 */
export async function claimReportDirectory(directory: string, run: string): Promise<readonly string[]> {
  await makeFolder(directory);
  const text = await readFile(join(directory, SUMMARY_FILE), 'utf8').catch(insteadOf('ENOENT', null));
  if (text === null) {
    await refuseForeignFiles(directory);
    return [];
  }
  const found = headOf(text);
  if (found?.run === run) return found.written;
  throw new UsageError(
    `${join(directory, SUMMARY_FILE)} belongs to ${found === null ? 'something else' : `run ${found.run}`}: ` +
      `expected an empty folder or the report of run ${run}. Name another folder with --out.`,
  );
}

/** Without a summary the files' origin is unknown: a person's own must not be replaced. */
async function refuseForeignFiles(directory: string): Promise<void> {
  const foreign = (await readdir(directory)).filter((name) => remainderOf(name) !== null);
  if (foreign.length === 0) return;
  throw new UsageError(
    `${directory} has ${foreign.join(', ')}, but no ${SUMMARY_FILE} that says of which run: ` +
      'writing the report there would replace them. Move them away, or name another folder with --out.',
  );
}

const summaryHeadSchema = z.looseObject({ run: z.string(), written: z.array(z.string()) });

function headOf(text: string): z.infer<typeof summaryHeadSchema> | null {
  try {
    return summaryHeadSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A living writer touches its unfinished files far more often. */
const LEFT_OVER_AFTER_MS = 3_600_000;

/** Unfinished files of killed writers hold personal data. */
export async function removeLeftOvers(directory: string, now: Date): Promise<void> {
  for (const name of (await readdir(directory)).filter(isTemporaryName)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now.getTime() - found.mtimeMs > LEFT_OVER_AFTER_MS) await rm(path, { force: true });
  }
}

type Earlier = {
  readonly written: readonly string[];
  /** Files whose changes are in the ledger. */
  readonly followed: readonly string[];
};

type Placed = {
  readonly files: string[];
  /** Changed by a person: they stay. */
  readonly kept: string[];
  readonly written: string[];
};

export type PendingReport = {
  append(name: string, text: string): Promise<void>;
  has(name: string): boolean;
  /** Ends all files, and decides under which names they are published. */
  place(earlier: Earlier): Promise<Placed>;
  /**
   * Every file takes its name in the order in which it was begun, after a summary that says whose
   * all of them are; older report files are removed.
   */
  publish(first: string): Promise<void>;
  /** Safe to call at any time. */
  discard(): Promise<void>;
};

export function createPendingReport(directory: string): PendingReport {
  let files = new Map<string, PendingFile>();
  let kept: string[] = [];
  return {
    async append(name, text) {
      const file = files.get(name) ?? (await openPendingFile(directory, name));
      files.set(name, file);
      await file.append(text);
    },
    has: (name) => files.has(name),
    async place(earlier) {
      const written: string[] = [];
      for (const [name, file] of files) {
        const digest = await file.seal();
        if (remainderOf(name) !== null) written.push(digest);
      }
      kept = await changedFiles(directory, { ...earlier, written: [...earlier.written, ...written] });
      files = new Map([...files].map(([name, file]) => [besides(name, kept), file]));
      return { files: [...files.keys()], kept, written };
    },
    async publish(first) {
      for (const file of files.values()) await file.seal();
      await replaceFile(directory, SUMMARY_FILE, first);
      for (const [name, file] of files) await file.publish(name);
      await removeStaleFiles(directory, new Set([...files.keys(), ...kept]));
      await syncDirectory(directory);
    },
    async discard() {
      await Promise.allSettled([...files.values()].map((file) => file.discard()));
    },
  };
}

async function changedFiles(directory: string, { written, followed }: Earlier): Promise<string[]> {
  const changed: string[] = [];
  for (const name of (await readdir(directory)).sort()) {
    if (remainderOf(name) === null || followed.includes(name)) continue;
    if (!written.includes(await digestOf(join(directory, name)))) changed.push(name);
  }
  return changed;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  // A folder or a pipe of that name was not made here.
  if (!(await stat(path)).isFile()) return '';
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
}

/** The name itself, or the first of `failed-2.csv`, `failed-3.csv` … that is free. */
function besides(name: string, kept: readonly string[]): string {
  let free = name;
  for (let n = 2; kept.includes(free); n += 1) free = name.replace('.', `-${n}.`);
  return free;
}

async function removeStaleFiles(directory: string, current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(directory)) {
    const isOurs = remainderOf(name) !== null || MAY_BE_LEFT_OUT.includes(name);
    if (isOurs && !current.has(name)) await rm(join(directory, name), { force: true });
  }
}

const MAY_BE_LEFT_OUT: readonly string[] = [REJECTIONS_FILE, DOCUMENTS_FILE, SHARED_PAGE_FILE];

/** A rename survives a power cut only once its directory is on disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

export async function replaceFile(directory: string, name: string, text: string): Promise<void> {
  const file = await openPendingFile(directory, name);
  try {
    await file.append(text);
    await file.seal();
    await file.publish(name);
  } finally {
    await file.discard();
  }
}

/** A file that gets its name only once it is whole. */
type PendingFile = {
  append(text: string): Promise<void>;
  /** Puts everything on disk and answers its SHA-256; safe to call again. */
  seal(): Promise<string>;
  /** Takes that name, replacing an older file; only after `seal`. */
  publish(name: string): Promise<void>;
  discard(): Promise<void>;
};

const BUFFER_CHARACTERS = 65_536;

/** For its owner alone, under a temporary name in the same directory. */
async function openPendingFile(directory: string, name: string): Promise<PendingFile> {
  const temporary = join(directory, `.${name}.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(temporary, 'wx', 0o600);
  const hash = createHash('sha256');
  let buffered = '';
  let digest: string | null = null;
  const flush = async () => {
    const text = buffered;
    buffered = '';
    if (text === '') return;
    hash.update(text, 'utf8');
    await handle.appendFile(text, 'utf8');
  };
  return {
    async append(text) {
      buffered += text;
      if (buffered.length >= BUFFER_CHARACTERS) await flush();
    },
    async seal() {
      if (digest !== null) return digest;
      await flush();
      await handle.sync();
      await handle.close();
      digest = hash.digest('hex');
      return digest;
    },
    publish: (as) => rename(temporary, join(directory, as)),
    async discard() {
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

function isTemporaryName(fileName: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.tmp$/.test(fileName);
}
