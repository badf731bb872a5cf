import { randomUUID } from 'node:crypto';

/** Identifiers that carry the entity's number, so that a million of them need no table. */
export type EntityIds = {
  /** A UUID, version 8 (RFC 9562, 5.8), for a number from 0. */
  idOf(number: number): string;
  /** The number in an identifier of this scheme, else `null`. */
  numberOf(id: string): number | null;
};

/** A scheme of its own each time: identifiers of an earlier life of the sandbox never name what this one made. */
export function createEntityIds(): EntityIds {
  const random = randomUUID();
  const prefix = `${random.slice(0, 14)}8${random.slice(15, 24)}`;
  return {
    idOf: (number) => prefix + number.toString(16).padStart(12, '0'),
    numberOf: (id) => {
      const digits = id.startsWith(prefix) ? id.slice(prefix.length) : '';
      return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : null;
    },
  };
}
