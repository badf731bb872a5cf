import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Job, jobSchema } from '../../src/config/job-definition.ts';
import type { Entry } from '../../src/inbox/entry.ts';
import type { Inbox } from '../../src/inbox/inbox-folder.ts';

/** A folder of one test's own. */
export async function ownFolder(under = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(under, 'onboard-inbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A regular file that was changed at the moment 1,000. */
export function entryOf(path: string, over: Partial<Entry> = {}): Entry {
  const parts = path.split('/').map((part) => Buffer.from(part));
  return {
    parts: parts.slice(0, -1),
    name: parts.at(-1) ?? Buffer.from(''),
    path,
    kind: 'file',
    links: 1,
    stamp: '1:2:3',
    changedMs: 1_000,
    ...over,
  };
}

export function jobOf(name: string, settings: Readonly<Record<string, unknown>>): Job {
  return jobSchema.parse({ name, definition: { operation: 'subclient.create', ...settings } });
}

export function inboxOf(jobs: readonly Job[], over: Partial<Inbox> = {}): Inbox {
  return { folder: '/in', isMain: true, jobs, ...over };
}
