/** A map of what was set last: so that what is remembered of each run or process does not grow with the life of this one. */
export type RecentMap<Key, Value> = Iterable<readonly [Key, Value]> & {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  /** The newest now; where there are too many, the oldest goes. */
  set(key: Key, value: Value): void;
  delete(key: Key): void;
};

/** Keeps no more than `most` entries. */
export function createRecentMap<Key, Value>(most: number): RecentMap<Key, Value> {
  const entries = new Map<Key, Value>();
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
    delete: (key) => void entries.delete(key),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
}

/** The same work for texts that come again soon: what it was for the last ones, `count` of them or up to twice as many, is remembered. */
export function recently<Result>(work: (text: string) => Result, count: number): (text: string) => Result {
  let recent = new Map<string, Result>();
  let earlier = new Map<string, Result>();
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const result = earlier.get(text) ?? work(text);
    recent.set(text, result);
    if (recent.size >= count) [earlier, recent] = [recent, new Map()];
    return result;
  };
}
