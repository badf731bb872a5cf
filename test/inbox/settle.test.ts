import { execFileSync } from 'node:child_process';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SANDBOX_TARGET } from '../../src/delivery/target.ts';
import { listEntries } from '../../src/inbox/entry.ts';
import { renderNote } from '../../src/inbox/note.ts';
import { awayName, createLookForLate, endClaim, putAway } from '../../src/inbox/settle.ts';
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
  const taken: string[] = [];
  const rehearsal = {
    isOn: target === SANDBOX_TARGET,
    remember: (...file: readonly string[]) => void taken.push(file.join(' ')),
    has: () => false,
  };
  const note = (file: string) => ({
    subject: file,
    headline: 'is over.',
    facts: [],
    lines: ['  onboard run j a.csv'],
  });
  const session = { io: { command: 'npx onboard' } };
  const end = () => endClaim(claim, { result: 'done', note }, { home, places, book, rehearsal, session });
  return { claim, places, taken, end };
}

test('a rehearsal puts a file back into its inbox, beside a note in done, and knows it there', async () => {
  const { places, taken, end } = await setUp(SANDBOX_TARGET);
  const away = await end();
  expect(await readdir(places.inbox)).toEqual(['a.csv']);
  expect(await readdir(places.done)).toEqual([`a.${CLAIM_ID}.csv.note.txt`]);
  expect(await readFile(away.note ?? '', 'utf8')).toContain(join(places.inbox, 'a.csv'));
  expect(away.words).toContain('A rehearsal: the file is back in');
  expect(await readdir(places.processing)).toEqual([]);
  const { stamp } = await entryIn(places.inbox, 'a.csv');
  expect(taken).toContain(`${places.inbox} a.csv ${stamp}`);
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

/** Looks for late writes in a home, and what it told of them. */
async function startLate() {
  const home = await ownFolder();
  const places = {
    inbox: '',
    processing: join(home, 'processing'),
    done: join(home, 'done'),
    failed: join(home, 'failed'),
  };
  const book = { jobs: () => [], broken: () => new Map(), refresh: async () => false };
  const told: string[] = [];
  const teller = {
    line: () => undefined,
    refused: ({ file }: { readonly file: string | null }) => void told.push(basename(file ?? '')),
  };
  /** As a process that has not looked before. */
  const look = () => createLookForLate({ places, book, home, teller })();
  /** Puts a file with its note into `done`; answers its path. */
  async function putDone({ name = 'a.csv', time = '2026-11-21 10:00:00', id = newRunId(new Date()) } = {}) {
    const from = join(home, 'a.csv');
    await writeFile(from, 'text');
    execFileSync('touch', ['-d', time, from]);
    const { bytes, ms } = writtenOf(await stat(from, { bigint: true }));
    const size = `${bytes} bytes, last written ${new Date(ms).toISOString()}`;
    const note = { subject: 'a.csv', headline: 'was taken.', facts: [['size', size]], lines: [] } as const;
    return (await putAway({ from, folder: places.done, name, id, text: renderNote(note) })).file;
  }
  return { places, told, look, putDone };
}

test('a file in done that was written to since is found for an hour, also by a process that did not put it there', async () => {
  const { told, look, putDone } = await startLate();
  const [file, old] = [await putDone(), await putDone({ id: '20201121-100000-k3f9' })];
  expect(await look()).toBe(0);
  for (const one of [file, old]) await appendFile(one, 'more');
  expect(await look()).toBe(1);
  expect(told).toEqual([basename(file).replace('.csv', '.late.csv')]);
});

test('a file that was last written at the very end of a millisecond is as its note says', async () => {
  const { look, putDone } = await startLate();
  await putDone({ time: '@1763754737.999999990' });
  expect(await look()).toBe(0);
});

test('a file is watched for late writes by its own id, whatever id its sender had in the name', async () => {
  const { look, putDone } = await startLate();
  await appendFile(await putDone({ name: 'a.20200101-000000-aaaa.csv' }), 'more');
  expect(await look()).toBe(1);
});

test('two files with long names that were both written to late take neither place of the other', async () => {
  const { places, told, look, putDone } = await startLate();
  const name = `${'x'.repeat(240)}.csv`;
  for (const more of ['first', 'second']) await appendFile(await putDone({ name }), more);
  expect(await look()).toBe(2);
  const late = (await readdir(places.failed)).filter((one) => one.endsWith('.late.csv'));
  const texts = await Promise.all(late.map((one) => readFile(join(places.failed, one), 'utf8')));
  expect(texts.sort()).toEqual(['textfirst', 'textsecond']);
  expect(told.sort()).toEqual(late.sort());
});
