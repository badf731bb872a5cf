/** What this process has recorded of the rows of open chunks: a chunk that it has settled alone is closed without reading it again. */
export type ChunkMemory = {
  /** `recovery`: how often the ledger had been put back when it was asked to record this; what is remembered of a time before is void. */
  recorded(row: RecordedRow, recovery: number): void;
  /** Nothing is known of the chunk any more. */
  forget(chunk: number): void;
  /** JSON text of all rows' settlements, in row order; `null` where some were recorded by others, or before the ledger was put back. */
  whole(chunk: number, rows: number, recovery: number): string | null;
};

export type RecordedRow = { readonly chunk: number; readonly row: number; readonly mark: string };

type Remembered = { readonly recovery: number; readonly marks: Map<number, string> };

/** Chunks that were given back unsettled leave something behind: so many are remembered. */
const CHUNKS_KEPT = 256;

export function createChunkMemory(): ChunkMemory {
  const chunks = new Map<number, Remembered>();
  return {
    recorded({ chunk, row, mark }, recovery) {
      const known = chunks.get(chunk);
      if (known?.recovery === recovery) known.marks.set(row, mark);
      else chunks.set(chunk, { recovery, marks: new Map([[row, mark]]) });
      if (chunks.size > CHUNKS_KEPT) chunks.delete(chunks.keys().next().value ?? chunk);
    },
    forget: (chunk) => void chunks.delete(chunk),
    whole(chunk, rows, recovery) {
      const known = chunks.get(chunk);
      if (known?.recovery !== recovery || known.marks.size !== rows) return null;
      const ordered = [...known.marks].sort(([a], [b]) => a - b);
      return `[${ordered.map(([, mark]) => mark).join(',')}]`;
    },
  };
}
