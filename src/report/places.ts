/**
 * Where in a file the rows of one kind are: how many in each of at most 100 parts, for pictures,
 * and in which chunks, one bit each, so that listing such rows reads no other chunk. Where chunks
 * share a bit, a set bit promises nothing; without it there is no such row.
 */

const MOST_PARTS = 100;
/** 342 characters of text, 68 kB for 200 causes. */
const MAX_BITS = 2_048;

export type Size = { readonly rows: number; readonly chunks: number };

export type Places = {
  /** `row`: a rerun's row has its number in the parent's file. */
  add(row: number, chunk: number): void;
  /** Both together. */
  with(other: Places): Places;
  readonly strip: Uint32Array;
  readonly bits: Uint8Array;
  where(): number[];
  chunks(): string;
};

export function createPlaces({ rows, chunks }: Size): Places {
  const parts = Math.max(1, Math.min(MOST_PARTS, rows));
  const strip = new Uint32Array(parts);
  const bits = new Uint8Array(Math.ceil(Math.min(chunks, MAX_BITS) / 8));
  return {
    add(row, chunk) {
      const part = Math.floor(((row - 1) * parts) / Math.max(rows, row));
      strip[part] = (strip[part] ?? 0) + 1;
      const at = bitOf(chunk, chunks);
      bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
    },
    with(other) {
      const both = createPlaces({ rows, chunks });
      both.strip.set(strip.map((count, part) => count + (other.strip[part] ?? 0)));
      both.bits.set(bits.map((byte, i) => byte | (other.bits[i] ?? 0)));
      return both;
    },
    strip,
    bits,
    where: () => [...strip],
    chunks: () => Buffer.from(bits).toString('base64'),
  };
}

/** The chunks that may have such rows, in order. */
export function* chunksIn(text: string, chunks: number, first = 1): Generator<number, void, undefined> {
  const bits = Buffer.from(text, 'base64');
  for (let chunk = Math.max(1, first); chunk <= chunks; chunk += 1) {
    const at = bitOf(chunk, chunks);
    if (((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0) yield chunk;
  }
}

function bitOf(chunk: number, chunks: number): number {
  return chunks <= MAX_BITS ? chunk - 1 : Math.floor(((chunk - 1) * MAX_BITS) / chunks);
}
