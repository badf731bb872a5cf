import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { jobSchema } from '../../src/config/job-definition.ts';
import { SANDBOX_TARGET } from '../../src/delivery/target.ts';
import { endClaim } from '../../src/inbox/away.ts';
import { claimEntry } from '../../src/inbox/claim.ts';
import { listEntries } from '../../src/inbox/list-entries.ts';
import { createRehearsal } from '../../src/inbox/rehearsal.ts';

const jobs = [jobSchema.parse({ name: 'j', definition: { operation: 'subclient.create', files: '*.csv' } })];

/** A claimed file of the inbox of a home. */
async function setUp(target: string) {
  const home = await mkdtemp(join(tmpdir(), 'onboard-away-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [inbox, processing, done, failed] = ['inbox', 'processing', 'done', 'failed'].map((name) =>
    join(home, name),
  );
  const places = { inbox: inbox ?? '', processing: processing ?? '', done: done ?? '', failed: failed ?? '' };
  await mkdir(places.inbox);
  await writeFile(join(places.inbox, 'a.csv'), 'text');
  const [entry] = (await listEntries(places.inbox)).entries;
  if (entry === undefined) throw new Error('expected a file');
  const { path, stamp } = entry;
  const info = {
    job: 'j',
    target,
    inbox: places.inbox,
    path,
    claimedAt: '',
    stamp,
    marker: null,
    isAbroad: false,
  };
  const claim = await claimEntry(entry, {
    base: processing ?? '',
    id: '20261121-100000-aaaa',
    member: 'm',
    info,
  });
  if (claim === null) throw new Error('not claimed');
  const book = { jobs: () => jobs, broken: () => new Map(), refresh: async () => false };
  return { home, entry, claim, desk: { home, places, book, rehearsal: createRehearsal(target) } };
}

const ENDING = { result: 'done', textFor: (file: string) => `about ${file}\n` } as const;

test('a rehearsal puts a file back into its inbox, beside a note in done, and knows it there', async () => {
  const { claim, desk, entry } = await setUp(SANDBOX_TARGET);
  const away = await endClaim(claim, ENDING, desk);
  expect(await readdir(desk.places.inbox)).toEqual(['a.csv']);
  expect(await readdir(desk.places.done)).toEqual(['a.20261121-100000-aaaa.csv.note.txt']);
  expect(await readFile(away.note ?? '', 'utf8')).toBe(`about ${join(desk.places.inbox, 'a.csv')}\n`);
  expect(away.words).toContain('A rehearsal: the file is back in');
  expect(await readdir(desk.places.processing)).toEqual([]);
  const [again] = (await listEntries(desk.places.inbox)).entries;
  expect(again === undefined ? false : desk.rehearsal.has(desk.places.inbox, again)).toBe(true);
  expect(desk.rehearsal.has(desk.places.inbox, { ...entry, stamp: 'another' })).toBe(false);
});

test('a rehearsed file whose name is another one by now goes to done', async () => {
  const { claim, desk } = await setUp(SANDBOX_TARGET);
  await writeFile(join(desk.places.inbox, 'a.csv'), 'another');
  expect((await endClaim(claim, ENDING, desk)).words).toContain('Moved to');
  expect(await readFile(join(desk.places.inbox, 'a.csv'), 'utf8')).toBe('another');
  expect(await readdir(desk.places.done)).toHaveLength(2);
});

test('a file that was sent goes to done', async () => {
  const { claim, desk } = await setUp('https://service');
  const away = await endClaim(claim, ENDING, desk);
  expect(await readFile(away.file ?? '', 'utf8')).toBe('text');
  expect(await readdir(desk.places.inbox)).toEqual([]);
});
