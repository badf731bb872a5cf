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

/** As tables take them: 96 bits. */
export const TABLE_CHARACTERS = 16;

/** By which a table knows a text. */
export function tableDigest(text: string): string {
  return shortDigest(text, TABLE_CHARACTERS);
}

/** A slot: three words of the digest and the value; 0: free. */
const WORDS = 4;
const FIRST_SLOTS = 256;
/** Grows above this share of taken slots: look-ups would take ever more steps. */
const FULL = 0.75;
const GROWTH = 1.3;
/** Each grows by itself: what grows takes its room twice meanwhile. A power of two. */
const PARTS = 16;

/**
 * Whole numbers of 32 bits other than 0 by digests in base64url (`tableDigest`), of which the first
 * 96 bits count, in 21 to 28 bytes.
 */
export function createDigestTable() {
  const parts = Array.from({ length: PARTS }, createPart);
  const [only = createPart()] = parts;
  const words = new Int32Array(WORDS - 1);
  const partOf = (digest: string) => {
    readWords(digest, words);
    return parts[(words[0] ?? 0) & (PARTS - 1)] ?? only;
  };
  return {
    get(digest: string) {
      return partOf(digest).get(words);
    },
    set(digest: string, value: number) {
      partOf(digest).set(words, value);
    },
    /** The digest's earlier number; `undefined`: it has this one now. */
    setFirst(digest: string, value: number) {
      return partOf(digest).setFirst(words, value);
    },
    /** Where it has just that number. */
    replace(digest: string, value: number, by: number) {
      partOf(digest).replace(words, value, by);
    },
  };
}

type Words = Int32Array;

function createPart() {
  let table = new Int32Array(FIRST_SLOTS * WORDS);
  let used = 0;
  const placeOf = (words: Words, from = 0): number => {
    const first = words[from] ?? 0;
    const second = words[from + 1] ?? 0;
    const third = words[from + 2] ?? 0;
    const slots = table.length / WORDS;
    let slot = (second >>> 0) % slots;
    for (;;) {
      const at = slot * WORDS;
      if (table[at + 3] === 0) return at;
      if (table[at] === first && table[at + 1] === second && table[at + 2] === third) return at;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  };
  const grow = () => {
    const old = table;
    table = new Int32Array(Math.ceil((old.length / WORDS) * GROWTH) * WORDS);
    for (let from = 0; from < old.length; from += WORDS) {
      if (old[from + 3] === 0) continue;
      const to = placeOf(old, from);
      for (let word = 0; word < WORDS; word += 1) table[to + word] = old[from + word] ?? 0;
    }
  };
  const put = (at: number, words: Words, value: number) => {
    if (table[at + 3] === 0) used += 1;
    table.set(words, at);
    table[at + 3] = value;
    if (used > (table.length / WORDS) * FULL) grow();
  };
  return {
    get(words: Words): number | undefined {
      return table[placeOf(words) + 3] || undefined;
    },
    set(words: Words, value: number): void {
      put(placeOf(words), words, value);
    },
    setFirst(words: Words, value: number): number | undefined {
      const at = placeOf(words);
      const known = table[at + 3] || undefined;
      if (known === undefined) put(at, words, value);
      return known;
    },
    replace(words: Words, value: number, by: number): void {
      const at = placeOf(words);
      if (table[at + 3] === value) table[at + 3] = by;
    },
  };
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const SEXTETS = new Uint8Array(128);
for (let i = 0; i < BASE64URL.length; i += 1) SEXTETS[BASE64URL.charCodeAt(i)] = i;

/** By hand: a buffer for each digest takes three times as long. */
function readWords(digest: string, words: Words): void {
  const fifth = sextet(digest, 5);
  const tenth = sextet(digest, 10);
  words[0] = (four(digest, 0) << 8) | (sextet(digest, 4) << 2) | (fifth >> 4);
  words[1] = (fifth << 28) | (four(digest, 6) << 4) | (tenth >> 2);
  words[2] = (tenth << 30) | (sextet(digest, 11) << 24) | four(digest, 12);
}

/** 24 bits. */
function four(digest: string, at: number): number {
  let bits = 0;
  for (let i = at; i < at + 4; i += 1) bits = (bits << 6) | sextet(digest, i);
  return bits;
}

/** Of a character of base64url: its 6 bits. */
export function sextet(digest: string, at: number): number {
  return SEXTETS[digest.charCodeAt(at)] ?? 0;
}
