import { UsageError } from '../lib/usage-error.ts';
import type { CsvHeader } from './csv-header.ts';
import { looksLikeHeader, looksLikeValue } from './header-look.ts';

/** A record that may begin a second table. */
export type OddRecord = {
  readonly cells: readonly string[];
  readonly line: number;
  /** Blank lines stand before it. */
  readonly isAfterBlank: boolean;
};

/** Told every record in order, `null` for one that can't begin a table or is damaged; UsageError where a second table begins. */
export type TableWatch = (record: OddRecord | null) => void;

/** So many records as long as what looks like a header make a table where nothing else sets it off. */
const ENOUGH = 3;

/**
 * Watches for a second table: a record of another length that looks like a header, and below it records as long as it.
 * One is enough where a blank line stands before the header or a value below a name; rows with a separator too many
 * are seldom all names, so they stay rows.
 */
export function createTableWatch(path: string, header: CsvHeader): TableWatch {
  let candidate: OddRecord | null = null;
  let below = 0;
  return (record) => {
    if (record !== null && candidate?.cells.length === record.cells.length) {
      below += 1;
      const isSetOff = candidate.isAfterBlank || record.cells.some(looksLikeValue);
      if (isSetOff || below >= ENOUGH) throw secondTable(path, candidate, header);
      return;
    }
    below = 0;
    candidate = record !== null && looksLikeHeader(record.cells) ? record : null;
  };
}

function secondTable(path: string, { line, cells }: OddRecord, header: CsvHeader): UsageError {
  return new UsageError(
    `${path}, line ${line}: a second table seems to begin here: this line looks like a header of ${cells.length} columns, and the one on line ${header.headerLine} has ${header.width}: expected one table per file; put the second one into a file of its own`,
  );
}
