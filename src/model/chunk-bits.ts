/**
 * Which chunks of a run hold rows of one kind, in a bit for each, so that who lists such rows reads no other chunk. Bounded
 * whatever the run: where it has more chunks than bits, neighbours share one. A set bit promises nothing; without it there is
 * no such row.
 */

/** 342 characters as text, also for each of 200 causes: 68 kB. */
const MAX_BITS = 2_048;

export function newChunkBits(chunks: number): Uint8Array {
  return new Uint8Array(Math.ceil(Math.min(chunks, MAX_BITS) / 8));
}

/** `chunk` from 1 to `chunks`. */
export function setChunk(bits: Uint8Array, chunk: number, chunks: number): void {
  const at = bitOf(chunk, chunks);
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
}

export function chunkBitsText(bits: Uint8Array): string {
  return Buffer.from(bits).toString('base64');
}

/** The chunks of a run of so many that may have such rows, in order, from `first` on. */
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
