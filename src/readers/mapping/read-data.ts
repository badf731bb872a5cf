/**
 * What the program knows of names, words and examples is data: tables of `data/`, with a tab
 * between their cells, that are read when somebody asks, never while rows are sent. A line that
 * begins with # says what a table holds.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from '../../lib/version.ts';

/** The bundle lies elsewhere than the sources, and its data where the build has put them. */
const FOLDER = import.meta.url.endsWith('.ts')
  ? fileURLToPath(new URL('./data/', import.meta.url))
  : join(dirname(programFile()), 'readers', 'mapping', 'data');

export const readData = remembered((name: string): readonly (readonly string[])[] => {
  const lines = readFileSync(join(FOLDER, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
});

/** A column of a million texts must not stay in memory. */
const MOST_REMEMBERED = 10_000;

export function remembered<K, V>(make: (of: K) => V): (of: K) => V {
  const known = new Map<K, V>();
  return (of) => {
    const value = known.get(of) ?? make(of);
    if (known.size < MOST_REMEMBERED) known.set(of, value);
    return value;
  };
}

/** The words of one kind; see data/words.tsv. */
export const wordsOf = remembered((kind: string): ReadonlySet<string> => {
  return new Set(readData('words.tsv').flatMap(([of, ...words]) => (of === kind ? words : [])));
});
