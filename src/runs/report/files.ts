/**
 * A report's files get their names only once all are whole and on disk: a reader finds the report
 * before or after, never half of one. A file to correct that a person changed stays, and the new
 * one is `failed-2.csv` beside it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { insteadOf, orElse } from '../../lib/errors.ts';
import { makeFolder, syncFolder } from '../../lib/make-folder.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { remainderOf } from './remainder.ts';

export const SUMMARY_FILE = 'summary.json';
export const RESULTS_FILE = 'results.csv';
export const REJECTIONS_FILE = 'rejections.jsonl';
export const DIGEST_FILE = 'digest.json';
export const PAGE_FILE = 'report.html';
export const DOCUMENTS_FILE = 'documents.jsonl';

/**
 * Answers the digests of the files to correct as last written. A UsageError where the folder has
 * another run's report, or files that this one would replace.
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

/** A person's own must not be replaced. */
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
  return orElse(null, () => summaryHeadSchema.parse(JSON.parse(text)));
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
  /** Asked once more: another writer says in the summary what it will write, before it does. */
  readonly writtenMeanwhile: () => Promise<readonly string[]>;
  /** Files whose changes are in the ledger. */
  readonly followed: readonly string[];
};

export type PendingReport = ReturnType<typeof createPendingReport>;

export function createPendingReport(directory: string) {
  let files = new Map<string, PendingFile>();
  /** Changed by a person: they stay. */
  let kept: string[] = [];
  return {
    async append(name: string, text: string) {
      const file = files.get(name) ?? (await openPendingFile(directory, name));
      files.set(name, file);
      await file.append(text);
    },
    has: (name: string) => files.has(name),
    async place(earlier: Earlier) {
      const written: string[] = [];
      for (const [name, file] of files) {
        const digest = await file.seal();
        if (remainderOf(name) !== null) written.push(digest);
      }
      kept = await changedFiles(directory, { ...earlier, written: [...earlier.written, ...written] });
      files = new Map([...files].map(([name, file]) => [besides(name, kept), file]));
      return { files: [...files.keys()], kept, written };
    },
    /**
     * Every file takes its name in the order in which it was begun, after a summary that says whose
     * all of them are; older report files are removed.
     */
    async publish(first: string) {
      for (const file of files.values()) await file.seal();
      await replaceFile(directory, SUMMARY_FILE, first);
      for (const [name, file] of files) await file.publish(name);
      await removeStaleFiles(directory, new Set([...files.keys(), ...kept]));
      await syncFolder(directory);
    },
    /** Safe to call at any time. */
    async discard() {
      await Promise.allSettled([...files.values()].map((file) => file.discard()));
    },
  };
}

async function changedFiles(directory: string, earlier: Earlier): Promise<string[]> {
  const digests = new Map<string, string>();
  for (const name of (await readdir(directory)).sort()) {
    if (remainderOf(name) === null || earlier.followed.includes(name)) continue;
    const digest = await digestOf(join(directory, name)).catch(insteadOf('ENOENT', null));
    if (digest !== null) digests.set(name, digest);
  }
  const written = [...earlier.written, ...(await earlier.writtenMeanwhile())];
  return [...digests].filter(([, digest]) => !written.includes(digest)).map(([name]) => name);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  // A folder or a pipe of that name was not made here.
  if (!(await stat(path)).isFile()) return '';
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
}

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

const MAY_BE_LEFT_OUT: readonly string[] = [REJECTIONS_FILE, DOCUMENTS_FILE];

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

type PendingFile = Awaited<ReturnType<typeof openPendingFile>>;

const BUFFER_CHARACTERS = 65_536;

/** For its owner alone, under a temporary name until it is whole. */
async function openPendingFile(directory: string, name: string) {
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
    async append(text: string) {
      buffered += text;
      if (buffered.length >= BUFFER_CHARACTERS) await flush();
    },
    /** Puts everything on disk and answers its SHA-256; safe to call again. */
    async seal() {
      if (digest !== null) return digest;
      await flush();
      await handle.sync();
      await handle.close();
      digest = hash.digest('hex');
      return digest;
    },
    /** Only after `seal`. */
    publish: (as: string) => rename(temporary, join(directory, as)),
    async discard() {
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

function isTemporaryName(fileName: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.tmp$/.test(fileName);
}
