import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listJobs, loadJob } from '../../src/config/load-job.ts';
import { isNeverTaken, NOTE_ENDING } from '../../src/runs/inbox/entry.ts';
import { jobsFor } from '../../src/runs/inbox/job-book.ts';
import { ROOT, textOf } from '../house/source-files.ts';

const JOBS = join(ROOT, 'jobs');
const DELIVERING = (textOf('docs/files.md').split('## Delivering a file')[1] ?? '').split('\n## ')[0] ?? '';
const NAMED = [...new Set(textOf('docs/files.md').match(/subclients-create-[\w-]+\.csv\b/g))];

async function shippedInbox() {
  const jobs = await Promise.all((await listJobs(JOBS)).map((name) => loadJob(name, JOBS)));
  return { folder: '/inbox', isMain: true, jobs };
}

describe('what senders are told about names', () => {
  test.each(['.part', '.tmp', '.filepart', '.crdownload', '~'])('%s keeps a file untouched', (ending) => {
    expect(DELIVERING.replaceAll(/\s+/g, ' ')).toContain(`\`${ending}\``);
    expect(isNeverTaken(`subclients-create.csv${ending}`, [])).toBe(true);
  });

  test('a marker is never taken itself, and neither is a note', () => {
    expect(textOf('docs/files.md')).toContain(`\`${NOTE_ENDING}\``);
    expect(
      ['a.csv.done', `a.csv${NOTE_ENDING}`, '.a.csv'].map((name) => isNeverTaken(name, ['.done'])),
    ).toEqual([true, true, true]);
  });

  test.each(NAMED)('%s belongs to the job that its name begins with, and to no other', async (name) => {
    expect(jobsFor(name, await shippedInbox()).map((job) => job.name)).toEqual(['subclients-create']);
  });

  test('there are such names', () => {
    expect(NAMED.length).toBeGreaterThan(1);
  });
});

test('a file called after a shipped job belongs to that job alone', async () => {
  const inbox = await shippedInbox();
  const own = inbox.jobs.filter(({ name }) => !name.startsWith('example-'));
  const taken = own.map(({ name }) => jobsFor(`${name}-2026-11-21.csv`, inbox).map((job) => job.name));
  expect(taken).toEqual(own.map(({ name }) => [name]));
});
