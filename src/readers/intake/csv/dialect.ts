/**
 * How a CSV file is written: as its definition or `sep=` line says, else by the delimiter that cuts
 * the first records alike. Two that do so equally well, or title lines above a header, are refused.
 */
import type { Format } from '../../../config/job-definition.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import { headerBelow, headerChoices, type SampleRecord, titleProblem } from '../column-names.ts';
import { ChoiceError, type FileHead, HEAD_CHARS } from '../row-feed.ts';
import { createCsvReader } from './cells.ts';
import { type CsvDialect, delimiterOf, detectNewline } from './grammar.ts';
import type { Preamble } from './header.ts';

export function tellDialect(
  path: string,
  head: FileHead,
  preamble: Preamble,
  format: Format,
): { readonly dialect: CsvDialect; readonly notes: readonly string[] } {
  const { quote, trim } = format;
  const sign = format.escape === undefined || format.escape === quote ? null : format.escape;
  const newline = detectNewline(head.text, { quote, escape: sign }, preamble.start);
  const rest = { quote, escape: sign, trim, newline };
  const given = givenDelimiter(preamble, format);
  refuseClash(path, [given, quote, sign]);
  if (given === null) {
    const { delimiter, notes } = detectDelimiter(path, head, preamble, format, rest);
    return { dialect: { ...rest, delimiter }, notes };
  }
  const dialect = { ...rest, delimiter: given };
  const found = candidate(head, preamble, dialect);
  refuseUncut(path, found, [given]);
  if (format.header === undefined) refuseTitles(path, [found]);
  return { dialect, notes: [] };
}

function givenDelimiter(preamble: Preamble, format: Format): string | null {
  if (preamble.delimiter !== null) return preamble.delimiter;
  return format.delimiter === 'auto' ? null : delimiterOf(format.delimiter);
}

function refuseClash(path: string, signs: readonly (string | null)[]): void {
  const given = signs.filter((sign) => sign !== null);
  if (new Set(given).size === given.length && !given.some((sign) => /[\r\n]/.test(sign))) return;
  throw new UsageError(
    `${path}: format.delimiter, format.quote and format.escape: expected different characters and no line break`,
  );
}

type Candidate = {
  readonly delimiter: string;
  readonly records: readonly SampleRecord[];
  readonly fitting: number;
  readonly share: number;
};

type FoundDelimiter = { readonly delimiter: string; readonly notes: readonly string[] };

/** `,` where none cuts the header (a file of one column). */
function detectDelimiter(
  path: string,
  head: FileHead,
  preamble: Preamble,
  format: Format,
  dialect: Omit<CsvDialect, 'delimiter'>,
): FoundDelimiter {
  const candidates = [...DELIMITER_NAMES.keys()]
    .filter((delimiter) => ![dialect.quote, dialect.escape].includes(delimiter))
    .map((delimiter) => candidate(head, preamble, { ...dialect, delimiter }))
    .sort((a, b) => b.share - a.share);
  const [best, second] = candidates;
  if (format.header === undefined) refuseTitles(path, candidates);
  if (best === undefined || best.share === 0) return { delimiter: ',', notes: oneColumn(path, best) };
  if (second !== undefined && second.share === best.share) throw ambiguous(path, best, second);
  return { delimiter: best.delimiter, notes: doubts(best, second) };
}

function candidate(head: FileHead, preamble: Preamble, dialect: CsvDialect): Candidate {
  const records = sampleRecords(head, preamble, dialect);
  const columns = records[0]?.cells.length ?? 0;
  const fitting = columns < 2 ? 0 : records.filter(({ cells }) => cells.length === columns).length;
  return { delimiter: dialect.delimiter, records, fitting, share: fitting / Math.max(1, records.length) };
}

/** A delimiter that fits this share of records is believed: only it is used to find titles. */
const BELIEVED_SHARE = 0.5;

function refuseTitles(path: string, candidates: readonly Candidate[]): void {
  const isBelieved = (candidates[0]?.share ?? 0) >= BELIEVED_SHARE;
  for (const { records } of isBelieved ? candidates.slice(0, 1) : candidates) {
    const header = headerBelow(records);
    const [first] = records;
    if (header === null || first === undefined) continue;
    const problem = `${path}, ${titleProblem('line', first.line, header.line)}`;
    throw new ChoiceError(problem, headerChoices(header, first));
  }
}

/** Each line is one cell with the same sign within: a delimiter, in quotes or unknown. */
function refuseUncut(path: string, { records }: Candidate, signs: readonly string[]): void {
  const isIn = (sign: string) =>
    records.every(({ cells }) => cells.length === 1 && cells.join().includes(sign));
  const sign = signs.find((one) => !NO_DELIMITER.test(one) && isIn(one));
  if (records.length < 2 || sign === undefined) return;
  const isKnown = signs.length === 1 || DELIMITER_NAMES.has(sign);
  const problem = isKnown ? QUOTED : `${UNKNOWN} ${JSON.stringify(sign)}, or to "," where it is one column`;
  throw new UsageError(`${path}, line ${records[0]?.line}: ${problem}`);
}

const NO_DELIMITER = /[\p{L}\p{N} "'._()/-]/u;
const QUOTED = 'the whole line is one cell, since quotes stand around it: expected them around cells alone';
const UNKNOWN = 'no comma, semicolon, tab or vertical bar cuts the lines: set format.delimiter to';

function oneColumn(path: string, best: Candidate | undefined): readonly string[] {
  if (best === undefined || best.records.length < 2) return [];
  refuseUncut(path, best, [...DELIMITER_NAMES.keys(), ...(best.records[0]?.cells[0] ?? '')]);
  return ['No delimiter cuts the header, so the file is read as one column.'];
}

function doubts(best: Candidate, second: Candidate | undefined): readonly string[] {
  if (best.share >= BELIEVED_SHARE && (second?.share ?? 0) === 0) return [];
  const name = DELIMITER_NAMES.get(best.delimiter) ?? best.delimiter;
  return [
    `The delimiter was taken to be ${name}: ${best.fitting} of the first ` +
      `${best.records.length} records have the header's number of cells with it.`,
  ];
}

function ambiguous(path: string, best: Candidate, second: Candidate): UsageError {
  const names = [best, second].map((c) => DELIMITER_NAMES.get(c.delimiter)).join(' and ');
  const choices = [best, second].map(({ delimiter, records: [header] }) => {
    return { setting: 'delimiter' as const, value: delimiter, shows: [...(header?.cells ?? [])] };
  });
  const problem = `${path}: ${names} cut its first lines into cells equally well: expected one of them to; set format.delimiter`;
  return new ChoiceError(problem, choices);
}

const SAMPLE_CHARS = 64 * 1024;
const SAMPLE_RECORDS = 100;

function sampleRecords(
  head: FileHead,
  { start, line }: Pick<Preamble, 'start' | 'line'>,
  dialect: CsvDialect,
): readonly SampleRecord[] {
  const sample = head.text.slice(start, Math.min(start + SAMPLE_CHARS, HEAD_CHARS));
  const isWhole = head.whole && start + sample.length === head.text.length;
  return createCsvReader(dialect, line)(sample, isWhole)
    .map((piece) => ({ line: piece.line, cells: piece.kind === 'record' ? piece.cells : [] }))
    .slice(0, SAMPLE_RECORDS);
}

export const DELIMITER_NAMES: ReadonlyMap<string, string> = new Map([
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'vertical bar'],
]);
