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
const FIRST_SLOTS = 256;
/** Grows above this share of taken slots: look-ups would take ever more steps. */
const FULL = 0.75;
const GROWTH = 1.3;
/** Each grows by itself: what grows takes its room twice meanwhile. A power of two. */
const PARTS = 16;

/** Whole numbers by 96 bits of each text's SHA-256, in 21 to 28 bytes. */
export function createDigestTable() {
  const parts = Array.from({ length: PARTS }, createPart);
  const [first = createPart()] = parts;
  const partOf = (digest: string) => parts[digest.charCodeAt(digest.length - 1) % PARTS] ?? first;
  return {
    get(text: string) {
      const digest = digestOf(text);
      return partOf(digest).get(digest);
    },
    /** A number of 32 bits other than 0. */
    set(text: string, value: number) {
      const digest = digestOf(text);
      partOf(digest).set(digest, value);
    },
    /** The text's earlier number; `undefined`: it has this one now. */
    setFirst(text: string, value: number) {
      const digest = digestOf(text);
      const part = partOf(digest);
      const known = part.get(digest);
      if (known === undefined) part.set(digest, value);
      return known;
    },
  };
}

function createPart() {
  let table = new Int32Array(FIRST_SLOTS * WORDS);
  let used = 0;
  const placeOf = (first: number, second: number, third: number): number => {
    const slots = table.length / WORDS;
    for (let slot = (first >>> 0) % slots; ; slot = slot + 1 === slots ? 0 : slot + 1) {
      const at = slot * WORDS;
      const isSame = table[at] === first && table[at + 1] === second && table[at + 2] === third;
      if (isSame || table[at + 3] === 0) return at;
    }
  };
  const placeOfDigest = (digest: string) => placeOf(wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8));
  const grow = () => {
    const old = table;
    table = new Int32Array(Math.ceil((old.length / WORDS) * GROWTH) * WORDS);
    for (let from = 0; from < old.length; from += WORDS) {
      if (old[from + 3] === 0) continue;
      const to = placeOf(old[from] ?? 0, old[from + 1] ?? 0, old[from + 2] ?? 0);
      for (let word = 0; word < WORDS; word += 1) table[to + word] = old[from + word] ?? 0;
    }
  };
  return {
    get(digest: string): number | undefined {
      return table[placeOfDigest(digest) + 3] || undefined;
    },
    set(digest: string, value: number): void {
      const at = placeOfDigest(digest);
      if (table[at + 3] === 0) used += 1;
      for (let word = 0; word < WORDS - 1; word += 1) table[at + word] = wordAt(digest, 4 * word);
      table[at + 3] = value;
      if (used > (table.length / WORDS) * FULL) grow();
    },
  };
}

/** One character per byte: a buffer for each digest takes three times as long. */
function digestOf(text: string): string {
  return hash('sha256', text, 'binary');
}

function wordAt(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  );
}
