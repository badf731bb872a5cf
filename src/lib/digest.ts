/**
 * Short digests of texts (SHA-256), and a table of numbers for millions of texts by their digests,
 * in a fraction of the texts' memory.
 */
import { hash } from 'node:crypto';

/** The first `length` characters of the SHA-256 in base64url: 6 bits each. */
export function shortDigest(text: string, length: number): string {
  // Half the time of a hash object, which counts at a digest per row.
  return hash('sha256', text, 'base64url').slice(0, length);
}

/** The same in hex: 4 bits each. */
export function hexDigest(text: string, length: number): string {
  return hash('sha256', text, 'hex').slice(0, length);
}

/** A slot: three words of the digest and the value; 0: free. */
const WORDS = 4;
const FIRST_SLOTS = 1024;
/** Grows above this share of taken slots: look-ups would take ever more steps. */
const FULL = 0.6;

/** Whole numbers by 96 bits of each text's SHA-256, in 30 to 60 bytes. */
export function createDigestTable() {
  let table = new Int32Array(FIRST_SLOTS * WORDS);
  let used = 0;
  const grow = () => {
    const old = table;
    table = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 3] !== 0)
        table.set(old.subarray(at, at + WORDS), placeOf(table, old.subarray(at, at + 3)));
    }
  };
  const put = (words: Int32Array, at: number, value: number) => {
    if (table[at + 3] === 0) used += 1;
    table.set(words, at);
    table[at + 3] = value;
    if (used > (table.length / WORDS) * FULL) grow();
  };
  return {
    get(text: string) {
      const value = table[placeOf(table, wordsOf(text)) + 3];
      return value === 0 ? undefined : value;
    },
    /** A number of 32 bits other than 0. */
    set(text: string, value: number) {
      const words = wordsOf(text);
      put(words, placeOf(table, words), value);
    },
    /** The text's earlier number; `undefined`: it has this one now. */
    setFirst(text: string, value: number) {
      const words = wordsOf(text);
      const at = placeOf(table, words);
      const known = table[at + 3];
      if (known !== 0) return known;
      put(words, at, value);
      return undefined;
    },
  };
}

function wordsOf(text: string): Int32Array {
  // One character per byte: a buffer for each digest takes three times as long.
  const digest = hash('sha256', text, 'binary');
  return Int32Array.of(wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8));
}

function wordAt(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  );
}

function placeOf(table: Int32Array, words: Int32Array): number {
  const first = words[0] ?? 0;
  const last = table.length / WORDS - 1;
  for (let slot = first & last; ; slot = (slot + 1) & last) {
    const at = slot * WORDS;
    const isSame = table[at] === first && table[at + 1] === words[1] && table[at + 2] === words[2];
    if (isSame || table[at + 3] === 0) return at;
  }
}
