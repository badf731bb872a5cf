/** Recently used entries, in memory that does not grow with the life of a process. */

export type RecentMap<Key, Value> = Iterable<readonly [Key, Value]> & {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
};

export function createRecentMap<Key, Value>(most: number): RecentMap<Key, Value> {
  const entries = new Map<Key, Value>();
  // One for all: a new iterator would pass over everything deleted to find the oldest.
  const oldestFirst = entries.keys();
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      const oldest = oldestFirst.next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key) => void entries.delete(key),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
}

/** The `most` added last, or up to twice as many: exact dropping costs twice that. */
export function createRecentSet<Value>(most: number) {
  let newer = new Set<Value>();
  let older: ReadonlySet<Value> = newer;
  return {
    has: (value: Value): boolean => newer.has(value) || older.has(value),
    add(value: Value): void {
      if (newer.size >= most) {
        older = newer;
        newer = new Set();
      }
      newer.add(value);
    },
  };
}
