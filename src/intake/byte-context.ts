/** What stands before or after a byte: `accented` is a letter from C0 on, the same in all three single-byte encodings. */
const NEIGHBOURS = ['other', 'digit', 'lower', 'upper', 'accented'] as const;
export type Neighbour = (typeof NEIGHBOURS)[number];

/** The place of `accented` in the list. */
export const ACCENTED = 4;

/** A byte from 80 on with its neighbours. */
export type ByteContext = { readonly byte: number; readonly before: Neighbour; readonly after: Neighbour };

/** The neighbour's place in the list, which is what `contextKey` takes. */
export function neighbourOf(byte: number): number {
  if (byte >= 0xc0) return byte === 0xd7 || byte === 0xf7 ? 0 : ACCENTED;
  if (byte >= 0x61 && byte <= 0x7a) return 2;
  if (byte >= 0x41 && byte <= 0x5a) return 3;
  return byte >= 0x30 && byte <= 0x39 ? 1 : 0;
}

/** A context as a number, so that a file's are counted without an object for each. */
export function contextKey(byte: number, before: number, after: number): number {
  return (byte << 8) | (before << 4) | after;
}

export function contextOf(key: number): ByteContext {
  return {
    byte: key >> 8,
    before: NEIGHBOURS[(key >> 4) & 15] ?? 'other',
    after: NEIGHBOURS[key & 15] ?? 'other',
  };
}

export function isLetter(neighbour: Neighbour): boolean {
  return neighbour !== 'other' && neighbour !== 'digit';
}
