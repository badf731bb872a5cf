/**
 * What the program knows of names, words and examples is data: tables of `data/` that are read when
 * somebody asks, never while rows are sent.
 */
import { readTable } from '../../lib/data-table.ts';

export const readData = remembered((name: string) => readTable(import.meta.url, 'readers/mapping', name));

/** A column of a million texts must not stay in memory. */
const MOST_REMEMBERED = 10_000;

export function remembered<K, V>(make: (of: K) => V): (of: K) => V {
  const known = new Map<K, V>();
  return (of) => {
    const before = known.get(of);
    if (before !== undefined) return before;
    const value = make(of);
    if (known.size < MOST_REMEMBERED) known.set(of, value);
    return value;
  };
}

export function once<V>(make: () => V): () => V {
  let made: { readonly value: V } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A longer text is a part of the block that was read, and would keep all of it in memory. */
const LONGEST_KEPT = 12;

/** For cells: most columns of dates have few. A check asks of the text that was just converted. */
export function rememberedCell<V>(make: (text: string) => V): (text: string) => V {
  const known = remembered(make);
  let last: { readonly text: string; readonly value: V } | null = null;
  return (text) => {
    if (last?.text === text) return last.value;
    const value = text.length > LONGEST_KEPT ? make(text) : known(text);
    last = { text, value };
    return value;
  };
}

/** The words of one kind; see data/words.tsv. */
export const wordsOf = remembered((kind: string): ReadonlySet<string> => {
  return new Set(readData('words.tsv').flatMap(([of, ...words]) => (of === kind ? words : [])));
});
