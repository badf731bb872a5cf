/** Recently used entries, in bounded memory. */

export type RecentMap<Key, Value> = ReturnType<typeof createRecentMap<Key, Value>>;

export function createRecentMap<Key, Value>(most: number) {
  const entries = new Map<Key, Value>();
  // One for all: a new iterator would pass over everything deleted to find the oldest.
  const oldestFirst = entries.keys();
  return {
    get: (key: Key) => entries.get(key),
    has: (key: Key) => entries.has(key),
    set(key: Key, value: Value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      const oldest = oldestFirst.next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key: Key) => void entries.delete(key),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
}
