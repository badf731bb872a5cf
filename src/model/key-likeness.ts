/**
 * Keys that people take for the same though they are not: in one of them stands a space at the end,
 * an invisible sign, another form of a character, or other capital and small letters. A create under
 * each would make one record twice. Here stand the forms by which such keys are found, the table that
 * finds them among the keys of one file, and the words for what was found. The first row of such keys
 * in file order stands for them, whoever reads the file and however often.
 */
import type { FileCheckCode, RowFinding } from './issue.ts';

export const KEY_CHECK_CODES = ['key_lookalike', 'key_case'] as const satisfies readonly FileCheckCode[];
type KeyLikenessCode = (typeof KEY_CHECK_CODES)[number];

export type KeyLikeness = {
  readonly code: KeyLikenessCode;
  readonly run: string | null;
  readonly row: number;
};

/** Printable ASCII without the space: such a key has nothing that could be hidden in it. */
const PLAIN = /^[!-~]*$/;
/** White space, control characters, and what is drawn as nothing. */
const UNSEEN = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The key as it looks: NFKC, without white space and invisible signs. */
function bareKey(key: string): string {
  return PLAIN.test(key) ? key : key.normalize('NFKC').replaceAll(UNSEEN, '');
}

/** `ß` is `ss` (full case folding, nearly). */
function foldKey(bare: string): string {
  const small = bare.toLowerCase();
  return PLAIN.test(bare) ? small : small.toUpperCase().toLowerCase().normalize('NFKC');
}

/** A key that would look like another one, and how. */
export type AlikeKey = { readonly key: string; readonly code: KeyLikenessCode };

/**
 * The other keys under which the ledger may have what looks like this one, the worst first; most
 * keys have none or one. `withCase`: also those that differ in case alone.
 */
export function alikeKeys(key: string, { withCase }: { readonly withCase: boolean }): readonly AlikeKey[] {
  const bare = bareKey(key);
  const found: AlikeKey[] = bare === key ? [] : [{ key: bare, code: 'key_lookalike' }];
  if (!withCase) return found;
  for (const other of [bare.toUpperCase(), bare.toLowerCase()]) {
    if (other !== bare) found.push({ key: other, code: 'key_case' });
  }
  return found;
}

/** Answers the earlier row whose key looks like this one; to be asked in file order. */
export type FindAlike = (key: string, row: number) => KeyLikeness | null;

/** Keeps some 30 bytes of each key. */
export function createKeyLikeness(): FindAlike {
  const table = createKeyTable();
  const hashesOf = createHashes();
  return (key, row) => {
    const hashes = hashesOf(key);
    const { own, look } = hashes;
    const first = table.findOrAdd(hashes, row);
    if (first === null || first.own === own) return null;
    if (first.look === look) return { code: 'key_lookalike', run: null, row: first.row };
    // A key that differs in case: others may look like it, though not like the first.
    const again = table.findOrAdd({ own, look, a: look ^ OTHER_CASE, b: hashOf(bareKey(key)).b }, row);
    if (again === null || again.own === own) return { code: 'key_case', run: null, row: first.row };
    return { code: 'key_lookalike', run: null, row: again.row };
  };
}

/** Sets the forms of keys that came second apart from those that came first. */
const OTHER_CASE = 0x5bd1e995;

/** Of the key itself, of how it looks, and twice of how it looks without case. */
type KeyHashes = { own: number; look: number; a: number; b: number };

/** The hashes of a key; the same object each time, since millions of keys are asked for. */
function createHashes(): (key: string) => Readonly<KeyHashes> {
  const hashes: KeyHashes = { own: 0, look: 0, a: 0, b: 0 };
  return (key) => {
    const look = bareKey(key);
    hashes.own = hashOf(key).a;
    hashes.look = look === key ? hashes.own : hashOf(look).a;
    return Object.assign(hashes, hashOf(foldKey(look)));
  };
}

const SEED_A = 0xdeadbeef;
const SEED_B = 0x41c6ce57;
const PRIME_A = 2_654_435_761;
const PRIME_B = 1_597_334_677;

/** Ends as MurmurHash3 does; a SHA-256 takes several times as long. */
function hashOf(text: string): { a: number; b: number } {
  let a = SEED_A;
  let b = SEED_B;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, PRIME_A);
    b = Math.imul(b ^ unit, PRIME_B);
  }
  return { a: mixed(a, b), b: mixed(b, a) };
}

function mixed(a: number, b: number): number {
  return Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
}

type Entry = { readonly own: number; readonly look: number; readonly row: number };

/** An entry: its 64 bits, the key's own 32, the 32 of how it looks, and its row. */
const WORDS = 5;
/** Entries are in arrays of 65,536: millions of them are never copied to make room. */
const PAGE_BITS = 16;
const LAST_OF_PAGE = 2 ** PAGE_BITS - 1;
const PAGE_WORDS = 2 ** PAGE_BITS * WORDS;
const FIRST_SLOTS = 16_384;
const FULL = 0.6;

/** Entries one after the other, and slots with their numbers, from 1, by their hash. */
function createKeyTable() {
  const pages: Int32Array[] = [];
  let slots = new Int32Array(FIRST_SLOTS);
  let count = 0;
  const slotOf = (a: number, b: number) => {
    const last = slots.length - 1;
    for (let slot = a & last; ; slot = (slot + 1) & last) {
      const entry = (slots[slot] ?? 0) - 1;
      if (entry < 0) return slot;
      const page = pages[entry >>> PAGE_BITS];
      const at = (entry & LAST_OF_PAGE) * WORDS;
      if (page?.[at] === a && page[at + 1] === b) return slot;
    }
  };
  const growSlots = () => {
    slots = new Int32Array(slots.length * 2);
    for (let entry = 0; entry < count; entry += 1) {
      const page = pages[entry >>> PAGE_BITS];
      const at = (entry & LAST_OF_PAGE) * WORDS;
      slots[slotOf(page?.[at] ?? 0, page?.[at + 1] ?? 0)] = entry + 1;
    }
  };
  const write = (entry: number, { a, b, own, look }: Readonly<KeyHashes>, row: number) => {
    const page = pages[entry >>> PAGE_BITS] ?? new Int32Array(PAGE_WORDS);
    const at = (entry & LAST_OF_PAGE) * WORDS;
    if (at === 0) pages.push(page);
    page[at] = a;
    page[at + 1] = b;
    page[at + 2] = own;
    page[at + 3] = look;
    page[at + 4] = row;
  };
  return {
    /** The entry that is there; `null`: there was none, and this is it now. */
    findOrAdd(hashes: Readonly<KeyHashes>, row: number): Entry | null {
      const slot = slotOf(hashes.a, hashes.b);
      const entry = (slots[slot] ?? 0) - 1;
      if (entry >= 0) {
        const page = pages[entry >>> PAGE_BITS];
        const at = (entry & LAST_OF_PAGE) * WORDS;
        return { own: page?.[at + 2] ?? 0, look: page?.[at + 3] ?? 0, row: page?.[at + 4] ?? 0 };
      }
      write(count, hashes, row);
      count += 1;
      slots[slot] = count;
      if (count >= slots.length * FULL) growSlots();
      return null;
    },
  };
}

/** The one that says more; else that of the file. */
export function worse(inFile: KeyLikeness | null, inLedger: KeyLikeness | null): KeyLikeness | null {
  if (inFile === null || inLedger === null) return inFile ?? inLedger;
  return inFile.code === 'key_case' && inLedger.code === 'key_lookalike' ? inLedger : inFile;
}

/** What is wrong with the key of the row; no values in its words. */
export function likenessFinding(
  { code, run, row }: KeyLikeness,
  { column, key }: { readonly column: string; readonly key: string },
): RowFinding {
  const place = run === null ? 'row {row} of this file' : 'row {row} of run {run}';
  const values = { row: String(row), ...(run !== null && { run }) };
  return { code, column, value: key, expected: `${EXPECTED[code]} ${place}`, values };
}

const EXPECTED = {
  key_lookalike:
    'a key that looks like no other; but for white space, invisible signs or forms of the same character it is that of',
  key_case:
    'a key that differs from others by more than capital and small letters; but for these it is that of',
} as const satisfies Record<KeyLikenessCode, string>;
