import { hash } from 'node:crypto';

/** What this process has recorded of the rows of open chunks: a chunk that it has settled alone is closed without reading it again. */
export type ChunkMemory = {
  recorded(chunk: number, row: number, mark: string): void;
  /** Nothing is known of the chunk any more. */
  forget(chunk: number): void;
  /** The marks of all rows, in row order; `null` where some of them were recorded by others. */
  whole(chunk: number, rows: number): WholeChunk | null;
};

export type WholeChunk = {
  readonly rows: readonly number[];
  /** JSON text of the rows' settlements. */
  readonly json: string;
  /** SHA-1 of the marks, as the script CLOSE reckons it. */
  readonly sha1: string;
};

/** Chunks that were given back unsettled leave something behind: so many are remembered. */
const CHUNKS_KEPT = 256;

export function createChunkMemory(): ChunkMemory {
  const chunks = new Map<number, Map<number, string>>();
  return {
    recorded(chunk, row, mark) {
      const marks = chunks.get(chunk);
      if (marks !== undefined) marks.set(row, mark);
      else chunks.set(chunk, new Map([[row, mark]]));
      if (chunks.size > CHUNKS_KEPT) chunks.delete(chunks.keys().next().value ?? chunk);
    },
    forget: (chunk) => void chunks.delete(chunk),
    whole(chunk, rows) {
      const marks = chunks.get(chunk);
      if (marks?.size !== rows) return null;
      const ordered = [...marks].sort(([a], [b]) => a - b);
      const texts = ordered.map(([, mark]) => mark);
      return {
        rows: ordered.map(([row]) => row),
        json: `[${texts.join(',')}]`,
        sha1: hash('sha1', texts.join('\n'), 'hex'),
      };
    },
  };
}
