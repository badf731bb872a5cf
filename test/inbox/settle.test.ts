import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SANDBOX_TARGET } from '../../src/delivery/target.ts';
import { listEntries } from '../../src/inbox/entry.ts';
import { renderNote, writtenWords } from '../../src/inbox/note.ts';
import { awayName, createFindChanged, createLookForLate, endClaim, putAway } from '../../src/inbox/settle.ts';
import { createRehearsal } from '../../src/inbox/watcher.ts';
import { newRunId } from '../../src/ledger/run-store.ts';
import { writtenOf } from '../../src/lib/file-stamp.ts';
import { ownFolder } from '../support/folder.ts';
import { CLAIM_ID, claimed, entryIn, jobOf } from './files.ts';

/** A claimed file of the inbox of a home, and how its claim ends there. */
async function setUp(target: string) {
  const { home, inbox, base, claim } = await claimed('a.csv', { target });
  const places = { inbox, processing: base, done: join(home, 'done'), failed: join(home, 'failed') };
  const book = {
    jobs: () => [jobOf('j', { files: '*.csv' })],
    broken: () => new Map(),
    refresh: async () => false,
  };
  const rehearsal = createRehearsal(target);
  const note = (file: string) => ({
    subject: file,
    headline: 'is over.',
    facts: [],
    lines: ['  onboard run j a.csv'],
  });
  const session = { io: { command: 'npx onboard' } };
  const end = () => endClaim(claim, { result: 'done', note }, { home, places, book, rehearsal, session });
  return { claim, places, rehearsal, end };
}

test('a rehearsal puts a file back into its inbox, beside a note in done, and knows it there', async () => {
  const { places, rehearsal, end } = await setUp(SANDBOX_TARGET);
  const away = await end();
  expect(await readdir(places.inbox)).toEqual(['a.csv']);
  expect(await readdir(places.done)).toEqual([`a.${CLAIM_ID}.csv.note.txt`]);
  expect(await readFile(away.note ?? '', 'utf8')).toContain(join(places.inbox, 'a.csv'));
  expect(away.words).toContain('A rehearsal: the file is back in');
  expect(await readdir(places.processing)).toEqual([]);
  const again = await entryIn(places.inbox, 'a.csv');
  expect(rehearsal.has(places.inbox, again)).toBe(true);
  expect(rehearsal.has(places.inbox, { ...again, stamp: 'another' })).toBe(false);
});

test('a rehearsed file whose name is another one by now goes to done', async () => {
  const { places, end } = await setUp(SANDBOX_TARGET);
  await writeFile(join(places.inbox, 'a.csv'), 'another');
  expect((await end()).words).toContain('Moved to');
  expect(await readFile(join(places.inbox, 'a.csv'), 'utf8')).toBe('another');
  expect(await readdir(places.done)).toHaveLength(2);
});

test('a file that was sent goes to done', async () => {
  const { places, end } = await setUp('https://service');
  const away = await end();
  expect(await readFile(away.file ?? '', 'utf8')).toBe('text');
  // A command in a note is called as the watcher was.
  expect(await readFile(away.note ?? '', 'utf8')).toContain('  npx onboard run j a.csv');
  expect((await listEntries(places.inbox)).entries).toEqual([]);
  expect(await readdir(places.processing)).toEqual([]);
});

test('what can not be moved leaves no note', async () => {
  const home = await ownFolder();
  const failed = join(home, 'failed');
  const moving = putAway({ from: join(home, 'gone'), folder: failed, name: 'gone', id: 'id', text: 'note' });
  await expect(moving).rejects.toThrow('ENOENT');
  expect(await readdir(failed)).toEqual([]);
});

test.each([
  ['portfolio.csv', 'portfolio.ID.csv'],
  ['portfolio.csv.gz', 'portfolio.ID.csv.gz'],
  ['a.b.JSON', 'a.b.ID.JSON'],
  ['portfolio', 'portfolio.ID'],
  ['../../etc/passwd', '______etc_passwd.ID'],
  ['a\u001b[2J.csv', 'a_[2J.ID.csv'],
])('%s is put away as %s', (name, away) => {
  expect(awayName(name, 'ID')).toBe(away);
});

test('whatever a name is, it is put away under one that leads nowhere else, and fits with its note', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 255 }), (bytes) => {
      const away = awayName(Buffer.from(bytes), '20261121-034512-k3f9');
      expect(away).not.toMatch(/[\p{Cc}/\\]|\.\./u);
      expect(Buffer.byteLength(`${away}.note.txt.tmp`)).toBeLessThanOrEqual(255);
      expect(away).toContain('20261121-034512-k3f9');
    }),
  );
});

test('a file in done that was written to since is found, also by a process that did not put it there', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  await mkdir(done);
  const name = await putDone(home, done);
  const now = () => new Date('2026-11-21T10:30:00Z');
  expect(await createFindChanged(done, now)()).toEqual([]);
  await appendFile(join(done, name), 'more');
  expect(await createFindChanged(done, now)()).toEqual([name]);
  expect(await createFindChanged(done, () => new Date('2026-11-21T12:30:00Z'))()).toEqual([]);
});

async function putDone(
  home: string,
  done: string,
  time = '2026-11-21 10:00:00',
  name = 'a.csv',
): Promise<string> {
  const from = join(home, 'a.csv');
  await writeFile(from, 'text');
  execFileSync('touch', ['-d', time, from]);
  const written = writtenWords(writtenOf(await stat(from, { bigint: true })));
  const text = renderNote({
    subject: 'a.csv',
    headline: 'was taken.',
    facts: [['size', written]],
    lines: [],
  });
  const { file, note } = await putAway({ from, folder: done, name, id: '20261121-100000-k3f9', text });
  expect(await readFile(note, 'utf8')).toBe(text);
  return basename(file);
}

test('a file that was last written at the very end of a millisecond is as its note says', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  await putDone(home, done, '@1763754737.999999990');
  expect(await createFindChanged(done, () => new Date('2026-11-21T10:30:00Z'))()).toEqual([]);
});

test('a file is watched for late writes by its own id, whatever id its sender had in the name', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  const name = await putDone(home, done, '2026-11-21 10:00:00', 'a.20200101-000000-aaaa.csv');
  await appendFile(join(done, name), 'more');
  expect(await createFindChanged(done, () => new Date('2026-11-21T10:30:00Z'))()).toEqual([name]);
});

test('two files with long names that were both written to late take neither place of the other', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  await mkdir(done);
  const places = { inbox: '', processing: join(home, 'processing'), done, failed: join(home, 'failed') };
  const book = { jobs: () => [], broken: () => new Map(), refresh: async () => false };
  for (const text of ['first', 'second']) {
    const from = join(home, 'long.csv');
    await writeFile(from, text);
    const size = writtenWords({ bytes: 1, ms: 0 });
    const note = renderNote({ subject: 'a.csv', headline: 'was taken.', facts: [['size', size]], lines: [] });
    const id = newRunId(new Date());
    await putAway({ from, folder: done, name: `${'x'.repeat(240)}.csv`, id, text: note });
  }
  const told: string[] = [];
  const lookForLate = createLookForLate({
    ...{ places, book, home },
    teller: { line: () => undefined, refused: ({ file }) => void told.push(basename(file ?? '')) },
  });
  expect(await lookForLate()).toBe(2);
  const late = (await readdir(places.failed)).filter((name) => name.endsWith('.late.csv'));
  const texts = await Promise.all(late.map((name) => readFile(join(places.failed, name), 'utf8')));
  expect(texts.sort()).toEqual(['first', 'second']);
  expect(told.sort()).toEqual(late.sort());
});
