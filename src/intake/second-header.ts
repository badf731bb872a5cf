import { UsageError } from '../lib/usage-error.ts';
import { looksLikeHeader, looksLikeValue } from './header-look.ts';
import type { OddRecord, TableWatch } from './second-table.ts';

/** A row has so many values (ids, amounts, dates, addresses), a header none. */
const ENOUGH = 2;

/**
 * Watches records as long as the header for a second table's header: a record of names that a blank line sets off,
 * between rows that both hold values and share no cell with it. Rows of nothing but words are never taken for one.
 */
export function createHeaderWatch(path: string): TableWatch {
  let above: OddRecord | null = null;
  let candidate: OddRecord | null = null;
  return (record) => {
    // A file that has a blank line after every record sets nothing off by them.
    if (candidate !== null && record?.isAfterBlank === false && isRowFor(record, candidate)) {
      throw secondHeader(path, candidate);
    }
    candidate = record !== null && isSetOff(record, above) ? record : null;
    above = record;
  };
}

function isSetOff(record: OddRecord, above: OddRecord | null): boolean {
  return record.isAfterBlank && above !== null && looksLikeHeader(record.cells) && isRowFor(above, record);
}

function isRowFor({ cells }: OddRecord, header: OddRecord): boolean {
  return cells.filter(looksLikeValue).length >= ENOUGH && !cells.some((cell) => header.cells.includes(cell));
}

function secondHeader(path: string, { line, cells }: OddRecord): UsageError {
  return new UsageError(
    `${path}, line ${line}: a second table seems to begin here: after a blank line, this line looks like a header of ${cells.length} columns, and the rows above and below it don't: expected one table per file; put the second one into a file of its own, or remove the blank line if this is a row`,
  );
}
