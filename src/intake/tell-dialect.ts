import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { detectNewline } from './csv-dialect.ts';
import type { Preamble } from './csv-preamble.ts';
import { detectDelimiter, refuseTitleLines } from './detect-delimiter.ts';
import type { FileHead } from './file-head.ts';

/** How a CSV file is written, as the definition and the file's own `sep=` line say, else as its first records show. */
export function tellDialect(
  path: string,
  head: FileHead,
  told: { readonly preamble: Preamble; readonly format: Format },
): { readonly dialect: CsvDialect; readonly notes: readonly string[] } {
  const { preamble, format } = told;
  const { quote, trim, comment = null } = format;
  const rest = { quote, trim, comment, newline: detectNewline(head.text, quote, preamble.start) };
  const given = givenDelimiter(told);
  refuseClash(path, [given, quote, comment]);
  if (given === null) {
    const { delimiter, notes } = detectDelimiter(path, head, { ...told, dialect: rest });
    return { dialect: { ...rest, delimiter }, notes };
  }
  const dialect = { ...rest, delimiter: given };
  if (format.header === undefined) refuseTitleLines(path, head, preamble, dialect);
  return { dialect, notes: [] };
}

function givenDelimiter({ preamble, format }: { preamble: Preamble; format: Format }): string | null {
  if (preamble.delimiter !== null) return preamble.delimiter;
  if (format.delimiter === 'auto') return null;
  return format.delimiter === '\\t' ? '\t' : format.delimiter;
}

function refuseClash(path: string, signs: readonly (string | null)[]): void {
  const given = signs.filter((sign) => sign !== null);
  if (new Set(given).size === given.length && !given.some((sign) => /[\r\n]/.test(sign))) return;
  throw new UsageError(
    `${path}: format.delimiter and format.quote (and format.comment): expected different characters and no line break; change one in the job definition`,
  );
}
