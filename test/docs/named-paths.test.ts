import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** A path of this repository as the documents write it: from the root, or as docs/architecture.md does, from `src`. */
const NAMED = /`((?:src|test|docs|samples|bench|scripts)\/[\w./*-]+)`/g;

const documents = [
  'CONTRIBUTING.md',
  'README.md',
  ...(await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

test.each(documents)('every file that %s names is there', async (name) => {
  const named = [...(await readFile(join(ROOT, name), 'utf8')).matchAll(NAMED)].map(([, file = '']) => file);
  const missing = named.filter((file) => !file.includes('*') && !existsSync(join(ROOT, file)));
  expect(missing).toEqual([]);
});

test('every stop of a row’s way in docs/architecture.md is a module', async () => {
  const text = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8');
  const way = text.slice(text.indexOf("## A row's way"));
  const stops = [...way.matchAll(/`([a-z]+(?:\/[\w-]+)*\.tsx?)`/g)].map(([, file = '']) => file);
  expect(stops.length).toBeGreaterThan(30);
  expect(stops.filter((file) => !existsSync(join(ROOT, 'src', file)))).toEqual([]);
});
