import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { circleProblems, inboxesOf, inboxProblems, openJobBook } from '../../src/inbox/job-book.ts';
import { ownFolder } from '../support/folder.ts';
import { jobOf } from './files.ts';

test.each([
  [[jobOf('a', { after: 'a' })], ['job a waits for itself']],
  [[jobOf('a', { after: 'b' }), jobOf('b', { after: ['c'] }), jobOf('c', { after: 'a' })], ['a → b → c → a']],
  [[jobOf('a', { after: ['b', 'c'] }), jobOf('b', { after: 'c' }), jobOf('c', {})], []],
])('jobs that wait for each other in a circle are named', (jobs, expected) => {
  const problems = circleProblems(jobs);
  expect(problems).toHaveLength(expected.length);
  for (const [i, words] of expected.entries()) expect(problems[i]).toContain(words);
});

test('an inbox of its own is below ONBOARD_HOME unless its path is absolute, and jobs may share one', () => {
  const jobs = [jobOf('a', { inbox: 'x' }), jobOf('b', { inbox: '/abs' }), jobOf('c', { inbox: '/home/x' })];
  const inboxes = inboxesOf(jobs, '/home');
  expect(inboxes.map(({ folder, jobs: theirs }) => [folder, theirs.map(({ name }) => name)])).toEqual([
    ['/home/inbox', ['a', 'b', 'c']],
    ['/home/x', ['a', 'c']],
    ['/abs', ['b']],
  ]);
});

test.each(['inbox/sub', 'done', '/home', 'processing/x', '/'])('an own inbox %s is refused', (inbox) => {
  expect(inboxProblems([jobOf('a', { inbox })], '/home')).toHaveLength(1);
});

test.each(['inbox', 'x', '/abs', 'inbox-of-x'])('an own inbox %s is fine', (inbox) => {
  expect(inboxProblems([jobOf('a', { inbox })], '/home')).toEqual([]);
});

const GOOD = 'operation: subclient.create\nfiles: "a*"\n';

test('at the start all problems of all definitions are listed', async () => {
  const folder = await ownFolder({
    'a.yaml': 'operation: nothing\n',
    'b.yaml': `${GOOD}nonsense: 1\n`,
    'c.yaml': GOOD,
  });
  await expect(openJobBook(folder, '/home', () => [])).rejects.toThrow(/a\.yaml.*\n.*b\.yaml.*nonsense/);
});

test('a folder without definitions has none, and one that is added later is read', async () => {
  const folder = await ownFolder();
  const book = await openJobBook(folder, '/home', () => []);
  expect(book.jobs()).toEqual([]);
  await writeFile(join(folder, 'a.yaml'), GOOD);
  expect(await book.refresh()).toBe(true);
  expect(book.jobs()).toMatchObject([{ name: 'a' }]);
});

test('a definition that is changed is read again; one that is broken then keeps its last version and is named', async () => {
  const folder = await ownFolder({ 'a.yaml': GOOD });
  const book = await openJobBook(folder, '/home', () => []);
  expect(await book.refresh()).toBe(false);
  await writeFile(join(folder, 'a.yaml'), GOOD.replace('a*', 'other*'));
  expect(await book.refresh()).toBe(true);
  expect(book.jobs()[0]?.definition.files).toBe('other*');
  await writeFile(join(folder, 'a.yaml'), 'operation: [\n');
  expect(await book.refresh()).toBe(true);
  expect(book.jobs()[0]?.definition.files).toBe('other*');
  expect([...book.broken().keys()]).toEqual(['a']);
});

test('jobs that come to wait for each other later are both held', async () => {
  const folder = await ownFolder({ 'a.yaml': GOOD, 'b.yaml': `${GOOD}after: a\n` });
  const book = await openJobBook(folder, '/home', () => []);
  await writeFile(join(folder, 'a.yaml'), `${GOOD}after: b\n`);
  await book.refresh();
  expect([...book.broken().keys()].sort()).toEqual(['a', 'b']);
});
