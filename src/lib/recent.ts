/** Recently used entries, in bounded memory. */

export type RecentMap<Key, Value> = ReturnType<typeof createRecentMap<Key, Value>>;

export function createRecentMap<Key, Value>(most: number) {
  const entries = new Map<Key, Value>();
  // One for all: a new iterator would pass over everything deleted to find the oldest.
  const oldestFirst = entries.keys();
  const forgetOldest = () => {
    const oldest = oldestFirst.next();
    if (oldest.done !== true) entries.delete(oldest.value);
  };
  return {
    get: (key: Key) => entries.get(key),
    has: (key: Key) => entries.has(key),
    set(key: Key, value: Value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > most) forgetOldest();
    },
    delete: (key: Key) => void entries.delete(key),
    forgetOldest,
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
}

/**
 * The entries that were set last, at least so many and twice that at most: where each is used once
 * or twice, soon, to keep an order of use would cost more than they save.
 */
export function createLatestMap<Key, Value>(most: number) {
  let [young, old] = [new Map<Key, Value>(), new Map<Key, Value>()];
  return {
    get: (key: Key) => young.get(key) ?? old.get(key),
    set(key: Key, value: Value) {
      if (young.size >= most) [young, old] = [new Map(), young];
      young.set(key, value);
    },
  };
}
