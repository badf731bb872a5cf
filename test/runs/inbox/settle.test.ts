import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SANDBOX_TARGET } from '../../../src/delivery/target.ts';
import { listEntries } from '../../../src/runs/inbox/entry.ts';
import { awayName, endClaim, putAway } from '../../../src/runs/inbox/settle.ts';
import { ownFolder } from '../../support/folder.ts';
import { CLAIM_ID, claimed, ELSEWHERE, entryIn, jobOf } from './files.ts';

/** A claimed file of the inbox of a home, and how its claim ends there. */
async function setUp(target: string, under?: string) {
  const { home, inbox, claim } = await claimed('a.csv', { target }, under);
  const places = { inbox, done: join(home, 'done'), failed: join(home, 'failed') };
  const book = {
    jobs: () => [jobOf('j', { files: '*.csv', inbox: under === undefined ? undefined : inbox })],
    problems: () => [],
    refresh: async () => undefined,
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
  expect(await readdir(places.inbox)).toEqual(['.processing', 'a.csv']);
  expect(await readdir(places.done)).toEqual([`a.${CLAIM_ID}.csv.note.txt`]);
  expect(await readFile(away.note ?? '', 'utf8')).toContain(join(places.inbox, 'a.csv'));
  expect(away.words).toContain('A rehearsal: the file is back in');
  expect(await readdir(join(places.inbox, '.processing'))).toEqual([]);
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

test.each([
  ['the home', undefined],
  ['another file system', ELSEWHERE],
])('a file that was sent goes from an inbox on %s to done', async (_, under) => {
  const { places, end } = await setUp('https://service', under);
  const away = await end();
  expect(await readFile(away.file ?? '', 'utf8')).toBe('text');
  // A command in a note is called as the watcher was.
  expect(await readFile(away.note ?? '', 'utf8')).toContain('  npx onboard run j a.csv');
  expect((await listEntries(places.inbox)).entries).toEqual([]);
  expect(await readdir(join(places.inbox, '.processing'))).toEqual([]);
});

test('a kill between the copy to done and the end of the original leaves a claim whose ending is repeated', async () => {
  const { claim, places, end } = await setUp('https://service', ELSEWHERE);
  const kept = await readFile(claim.file);
  await end();
  await mkdir(claim.folder);
  await writeFile(claim.file, kept);
  expect((await end()).file).toBe(join(places.done, `a.${CLAIM_ID}.csv`));
  expect(await readdir(places.done)).toEqual([`a.${CLAIM_ID}.csv`, `a.${CLAIM_ID}.csv.note.txt`]);
  expect(await readdir(join(places.inbox, '.processing'))).toEqual([]);
});

test.each(['link', 'pipe'])('no %s is copied to another file system', async (kind) => {
  const from = join(await ownFolder({}, ELSEWHERE), 'a.csv');
  if (kind === 'link') await symlink('/etc/hostname', from);
  else execFileSync('mkfifo', [from]);
  const folder = join(await ownFolder(), 'failed');
  await expect(putAway({ from, folder, name: 'a.csv', id: 'id', text: 'note' })).rejects.toThrow(
    /EXDEV|ELOOP/,
  );
  expect(await readdir(folder)).toEqual([]);
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
