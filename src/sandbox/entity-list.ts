import { createEntityIds } from './entity-ids.ts';

export type Entity = {
  /** From 0, in the order in which they were made. */
  readonly number: number;
  readonly id: string;
  /** `null`: what was sent carries no key. */
  readonly key: string | null;
};

/** A key under which more than one entity was made. */
export type Duplicate = {
  readonly key: string;
  readonly count: number;
  /** The first ones' identifiers, at most MAX_IDS_PER_DUPLICATE. */
  readonly ids: readonly string[];
};

export const MAX_IDS_PER_DUPLICATE = 20;

/** All entities of one kind that were ever made: key and identifier of each, about 100 bytes at a short key. */
export type EntityList = {
  add(key: string | null): Entity;
  /** Takes an entity of an earlier life back, under the identifier it had. */
  restore(id: string, key: string | null): void;
  find(id: string): Entity | null;
  count(): number;
  /** The entities from a number on. */
  from(number: number): Generator<Entity>;
  duplicateKeys(): number;
  /** The first `limit` of the keys made more than once. */
  duplicates(limit: number): Duplicate[];
};

export function createEntityList(): EntityList {
  const ids = createEntityIds();
  const keys: Array<string | null> = [];
  const index = createKeyIndex();
  // Only what was made in an earlier life has an identifier that its number doesn't give.
  const restoredIds = new Map<number, string>();
  const restoredNumbers = new Map<string, number>();
  const idOf = (number: number) => restoredIds.get(number) ?? ids.idOf(number);
  const entityOf = (number: number): Entity => ({ number, id: idOf(number), key: keys[number] ?? null });
  const append = (key: string | null): number => {
    const number = keys.push(key) - 1;
    if (key !== null) index.add(key, number);
    return number;
  };

  return {
    add: (key) => entityOf(append(key)),
    restore(id, key) {
      const number = append(key);
      restoredIds.set(number, id);
      restoredNumbers.set(id, number);
    },
    find(id) {
      const number = restoredNumbers.get(id) ?? ids.numberOf(id);
      return number !== null && number < keys.length && idOf(number) === id ? entityOf(number) : null;
    },
    count: () => keys.length,
    *from(number) {
      for (let n = Math.max(0, number); n < keys.length; n += 1) yield entityOf(n);
    },
    duplicateKeys: index.duplicateKeys,
    duplicates: (limit) =>
      index.duplicates(limit).map(({ key, count, numbers }) => ({ key, count, ids: numbers.map(idOf) })),
  };
}

type Repeated = { count: number; readonly numbers: number[] };

function createKeyIndex() {
  const first = new Map<string, number>();
  const repeated = new Map<string, Repeated>();

  const repeat = (key: string, firstNumber: number, number: number) => {
    const entry = repeated.get(key) ?? { count: 1, numbers: [firstNumber] };
    entry.count += 1;
    if (entry.numbers.length < MAX_IDS_PER_DUPLICATE) entry.numbers.push(number);
    repeated.set(key, entry);
  };

  return {
    add(key: string, number: number) {
      const firstNumber = first.get(key);
      if (firstNumber === undefined) first.set(key, number);
      else repeat(key, firstNumber, number);
    },
    duplicateKeys: () => repeated.size,
    duplicates: (limit: number) =>
      [...repeated.entries()].slice(0, limit).map(([key, entry]) => ({ key, ...entry })),
  };
}
