/**
 * Answers that partners have corrected and put into their inbox: known by the tags of their rows,
 * whatever such a file is called. Only a file's beginning is read, and nothing of it is kept.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatSchema } from '../../config/job-definition.ts';
import { folderDigest, readTags } from '../../engine/ledger/reply-tags.ts';
import { createRecentMap } from '../../lib/recent.ts';
import { type Origin, originsIn } from '../../readers/intake/origins.ts';
import { openRows } from '../../readers/intake/rows.ts';
import type { Ledger } from '../../session.ts';
import { accountsAt } from '../account.ts';
import { folderOf } from '../origins.ts';
import { type Entry, entryProblem } from './entry.ts';
import { folderFrom } from './job-book.ts';
import type { InboxLook, Placed } from './sort-out.ts';

/** The job of an answer's rows; `null`: it is none, or none for this folder. */
type ReplyJobs = (placed: Placed) => string | null;

/** No answer is larger: its workbook was made in memory. */
const MOST_BYTES = 64 * 1024 ** 2;
const FILES_REMEMBERED = 1_000;

/** What the files were found to be, by their stamps. */
export type RepliesKnown = ReturnType<typeof knownReplies>;

export function knownReplies() {
  return createRecentMap<string, Origin | null>(FILES_REMEMBERED);
}

type Looking = {
  readonly home: string;
  readonly target: string;
  readonly ledger: Pick<Ledger, 'redis' | 'of'>;
  readonly known: RepliesKnown;
};

export async function findReplies(looks: readonly InboxLook[], looking: Looking): Promise<ReplyJobs> {
  const found = new Map<Entry, string>();
  for (const { inbox, entries } of looks)
    for (const entry of entries) {
      const job = await jobOf({ inbox, entry }, looking);
      if (job !== null && inbox.jobs.some(({ name }) => name === job)) found.set(entry, job);
    }
  return ({ entry }) => found.get(entry) ?? null;
}

async function jobOf({ inbox, entry }: Placed, { home, target, ledger, known }: Looking) {
  if (entryProblem(entry) !== null) return null;
  const path = join(inbox.folder, entry.path);
  const stamp = `${entry.stamp} ${path}`;
  if (!known.has(stamp)) known.set(stamp, await firstNamed(path));
  const first = known.get(stamp) ?? null;
  if (first === null) return null;
  const { keys, store } = ledger.of(target);
  const run = await store.get(first.run);
  if (run === null) return null;
  const from = folderFrom(home, inbox.folder, entry.path);
  const accounts = accountsAt(target, ledger);
  const folder = await folderOf(run.id, accounts, store);
  if (folder !== folderDigest(from, keys)) return null;
  const tagOf = await readTags(ledger.redis, keys);
  return tagOf(run.id, first.from, folder) === first.tag ? run.job : null;
}

const ANY = formatSchema.parse({});

/** The first row with a tag; `null` also where the file can't be read as it is. */
async function firstNamed(path: string): Promise<Origin | null> {
  try {
    if ((await lstat(path)).size > MOST_BYTES) return null;
    for await (const { rows, source } of openRows(path, ANY)) {
      const named = originsIn(rows, source).find(({ tag }) => tag !== '');
      if (rows.length > 0 || named !== undefined) return named ?? null;
    }
  } catch {
    // Whoever takes it says what is wrong.
  }
  return null;
}
