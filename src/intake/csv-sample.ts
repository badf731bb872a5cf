import { createTextParser } from './csv-cells.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { createCsvSplitter } from './csv-pieces.ts';
import type { Preamble } from './csv-preamble.ts';
import type { FileHead } from './file-head.ts';
import { HEAD_CHARS } from './file-head.ts';

const SAMPLE_CHARS = 64 * 1024;
const SAMPLE_RECORDS = 100;

/** One of a file's first records as a dialect cuts it; a damaged one has no cells. */
export type SampleRecord = { readonly line: number; readonly cells: readonly string[] };

/** The first records from the header on. */
export function sampleRecords(
  head: FileHead,
  { start, line }: Pick<Preamble, 'start' | 'line'>,
  dialect: CsvDialect,
): readonly SampleRecord[] {
  const sample = head.text.slice(start, Math.min(start + SAMPLE_CHARS, HEAD_CHARS));
  const isWhole = head.whole && start + sample.length === head.text.length;
  const parse = createTextParser(dialect);
  return createCsvSplitter({ dialect, columns: 0 }, line)(sample, isWhole)
    .flatMap((piece) =>
      piece.kind === 'records'
        ? parse(piece.text).map((cells, i) => ({ line: piece.lines[i] ?? 0, cells }))
        : [{ line: piece.line, cells: [] }],
    )
    .slice(0, SAMPLE_RECORDS);
}
