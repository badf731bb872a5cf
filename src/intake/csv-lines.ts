import type { CsvDialect } from './csv-dialect.ts';
import { indexOfNewline } from './csv-dialect.ts';
import type { TextView } from './csv-record.ts';
import { cutRecord } from './csv-record.ts';

/** A stretch of a file with how its records are written and how many cells they have. */
export type RecordGround = {
  readonly view: TextView;
  readonly dialect: CsvDialect;
  readonly columns: number;
};

/** Whether what starts at `start` is a record of the right number of cells. */
export function isRecordAt({ view, dialect, columns }: RecordGround, start: number): boolean {
  const cut = cutRecord(view, start, dialect);
  return cut.kind === 'record' && cut.cells === columns;
}

/** Index of the first character of the line that `at` is in. */
export function startOfLine({ view, dialect }: RecordGround, at: number): number {
  const lf = view.text.lastIndexOf('\n', at);
  return 1 + (dialect.newline === 'lf' ? lf : Math.max(lf, view.text.lastIndexOf('\r', at)));
}

/** Index of the next line end, or of the end of the file; `null` where the stretch ends first. */
export function newlineOrEnd({ view, dialect }: RecordGround, from: number): number | null {
  const at = indexOfNewline(view.text, from, dialect.newline);
  if (at !== -1 && at < view.end) return at;
  return view.final ? view.end : null;
}
