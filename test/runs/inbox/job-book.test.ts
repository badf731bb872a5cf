import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inboxesOf, openJobBook } from '../../../src/runs/inbox/job-book.ts';
import { ownFolder } from '../../support/folder.ts';
import { jobOf } from './files.ts';

test('an inbox of its own is below ONBOARD_HOME unless its path is absolute, and jobs may share one', () => {
  const jobs = [jobOf('a', { inbox: 'x' }), jobOf('b', { inbox: '/abs' }), jobOf('c', { inbox: '/home/x' })];
  const inboxes = inboxesOf(jobs, '/home');
  expect(inboxes.map(({ folder, jobs: theirs }) => [folder, theirs.map(({ name }) => name)])).toEqual([
    ['/home/inbox', ['a', 'b', 'c']],
    ['/home/x', ['a', 'c']],
    ['/abs', ['b']],
  ]);
});

const GOOD = 'operation: subclient.create\nfiles: "a*"\n';

test.each<[jobs: Record<string, string>, words: string]>([
  [{ a: 'after: a' }, 'can not wait for itself'],
  [{ a: 'after: b', b: 'after: [c]', c: 'after: a' }, 'a → b → c → a'],
  ...['inbox/sub', 'done', '/home', 'done/x', '/'].map((inbox): [Record<string, string>, string] => [
    { a: `inbox: ${inbox}` },
    'expected a folder apart from it',
  ]),
])('jobs %j are refused', async (jobs, words) => {
  const files = Object.entries(jobs).map(([name, line]) => [`${name}.yaml`, `${GOOD}${line}\n`]);
  const folder = await ownFolder(Object.fromEntries(files));
  await expect(openJobBook(folder, '/home', () => [])).rejects.toThrow(words);
});

test('at the start all problems of all definitions are listed', async () => {
  const folder = await ownFolder({
    'a.yaml': 'operation: nothing\n',
    'b.yaml': `${GOOD}nonsense: 1\n`,
    'c.yaml': GOOD,
  });
  await expect(openJobBook(folder, '/home', () => [])).rejects.toThrow(/a\.yaml.*\n.*b\.yaml.*nonsense/);
});

test('a definition that is changed is read again; while one is broken the last ones that could be used stay', async () => {
  const folder = await ownFolder({ 'a.yaml': GOOD, 'b.yaml': GOOD });
  const book = await openJobBook(folder, '/home', () => []);
  const change = async (text: string) => {
    await writeFile(join(folder, 'a.yaml'), text);
    await book.refresh();
    return [book.jobs()[0]?.definition.files, book.problems().length];
  };
  const changed = GOOD.replace('a*', 'other*');
  expect(await change(changed)).toEqual(['other*', 0]);
  expect(await change('operation: [\n')).toEqual(['other*', 1]);
  expect(await change(`${GOOD}after: b\n`)).toEqual(['a*', 0]);
  await writeFile(join(folder, 'b.yaml'), `${GOOD}after: a\n`);
  await book.refresh();
  expect(book.problems().join()).toContain('jobs wait for each other: a → b → a');
});
