import { UsageError } from '../lib/usage-error.ts';
import { createCellParser } from './csv-cells.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { createCsvSplitter } from './csv-pieces.ts';
import { DELIMITER_NAMES } from './delimiter-name.ts';
import type { FileHead } from './file-head.ts';

const SAMPLE_CHARS = 64 * 1024;
const SAMPLE_RECORDS = 100;

type Candidate = { readonly delimiter: string; readonly share: number };

/**
 * The delimiter that cuts the most of the first records into as many cells as the header, outside quotes;
 * `,` where none cuts the header at all (a file of one column). UsageError where two are equally good.
 */
export function detectDelimiter(
  path: string,
  head: FileHead,
  dialect: Omit<CsvDialect, 'delimiter'>,
): string {
  const candidates = [...DELIMITER_NAMES.keys()]
    .filter((delimiter) => delimiter !== dialect.quote)
    .map((delimiter) => ({ delimiter, share: consistency(head, { ...dialect, delimiter }) }))
    .sort((a, b) => b.share - a.share);
  const [best, second] = candidates;
  if (best === undefined || best.share === 0) return ',';
  if (second !== undefined && second.share === best.share) throw ambiguous(path, best, second);
  return best.delimiter;
}

/** The share of the first records that have as many cells as the header; 0 where the header has one. */
function consistency(head: FileHead, dialect: CsvDialect): number {
  const sample = head.text.slice(0, SAMPLE_CHARS);
  const isWhole = head.whole && sample.length === head.text.length;
  const parse = createCellParser(dialect);
  const counts = createCsvSplitter({ dialect, columns: 0 }, 1)(sample, isWhole)
    .flatMap((piece) => (piece.kind === 'records' ? parse(piece.text).map((cells) => cells.length) : [0]))
    .slice(0, SAMPLE_RECORDS);
  const header = counts[0] ?? 0;
  return header < 2 ? 0 : counts.filter((count) => count === header).length / counts.length;
}

function ambiguous(path: string, best: Candidate, second: Candidate): UsageError {
  const names = [best, second].map((c) => DELIMITER_NAMES.get(c.delimiter)).join(' and ');
  return new UsageError(
    `${path}: ${names} cut its first lines into cells equally well: expected one of them to; set format.delimiter in the job definition`,
  );
}
