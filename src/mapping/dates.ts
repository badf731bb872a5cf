/**
 * Dates as files write them, by ISO 8601 or by a pattern of the definition's own, and as the
 * service wants them: ISO 8601 with milliseconds and Z. Only days of the calendar pass.
 */
import type { WrittenAs } from '../model/issue.ts';
import type { Conversion } from './conversion.ts';
import { readData, remembered } from './read-data.ts';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})0*)?)?(?:Z|([+-])(\d{2}):?([0-5]\d)))?$/;

/** Digits beyond the millisecond are refused unless they are zeros. */
export const isoDate: Conversion = {
  fromText: parseIso,
  fromJson: () => undefined,
  remedy: patternsFor,
  formOf,
  expected:
    'a date such as 2024-03-31, or a date-time with its offset and at most milliseconds such as 2024-03-31T09:30:00Z',
};

/** Or what is wrong with the pattern. Without a time it is midnight; the zone is UTC. */
export function dateByPattern(pattern: string): Conversion | string {
  const parse = compilePattern(pattern);
  if (typeof parse === 'string') return parse;
  const typed = (text: string) => typedDate(text, parse);
  return {
    fromText: parse,
    fromJson: () => undefined,
    remedy: patternsFor,
    formOf,
    typed: { ...isoDate, fromText: typed },
    expected: `a real date, written as ${pattern}`,
  };
}

const DAY_AND_TIME = /^(.{1,30}?)([T ]\d\d?:\d\d(?::\d\d)?)?$/u;
const NAME = '[\\p{L}\\p{M}]{3,}\\.?';
const SIGN = '([-/.,] ?| )';
const DAY = new RegExp(`^(\\d{1,4}|${NAME})${SIGN}(\\d\\d?|${NAME})${SIGN}(\\d{1,4})$`, 'u');

/** The patterns by which a refused text is a date, one for each order of its parts. */
function patternsFor(text: string): readonly WrittenAs[] {
  const [, day = '', time = ''] = DAY_AND_TIME.exec(text) ?? [];
  return dayPatterns(day).flatMap((dayPattern) => {
    const pattern = dayPattern + timePattern(time);
    const parse = compiledOnce(pattern);
    return typeof parse !== 'string' && parse(text) !== undefined ? [{ pattern }] : [];
  });
}

function dayPatterns(day: string): readonly string[] {
  if (/^\d{8}$/.test(day)) return ['yyyyMMdd', 'ddMMyyyy', 'MMddyyyy'];
  const [, first = '', sign = '', second = '', then = '', third = ''] = DAY.exec(day) ?? [];
  const isShort = [first, second, third].some(({ length }) => length === 1);
  const [d, M] = isShort ? ['d', 'M'] : ['dd', 'MM'];
  const month = (piece: string) => (/^\d/.test(piece) ? M : 'MMM');
  const year = ({ length }: string) => (length > 2 ? 'yyyy' : 'yy');
  return [
    `${d}${sign}${month(second)}${then}${year(third)}`,
    `${month(first)}${sign}${d}${then}${year(third)}`,
    `${year(first)}${sign}${month(second)}${then}${d}`,
  ];
}

function timePattern(time: string): string {
  const units = ['HH', 'mm', 'ss'].values();
  return time.replaceAll(/\d+/g, ({ length }) => String(units.next().value).slice(-length));
}

/** What a text that is no date probably is; see data/date-forms.tsv. */
function formOf(text: string): string | undefined {
  return readData('date-forms.tsv').find(([form = '']) => new RegExp(form).test(text))?.[1];
}

/** 31 March 2020, half past nine, as a valid pattern writes it. */
export function exampleDate(pattern: string): string {
  return [...pattern.matchAll(PIECE)]
    .map(([piece, quoted]) => TOKENS.get(piece)?.example ?? unquoted(piece, quoted))
    .join('');
}

/** A workbook's date has no offset and is UTC; a number may be a date by the pattern. */
function typedDate(text: string, parse: DateParser): string | undefined {
  if (!/^\d{4}-/.test(text)) return parse(text);
  return parseIso(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text);
}

function parseIso(text: string): string | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', ...zone] = match;
  const [sign, hours = '0', minutes = '0'] = zone;
  if (Number(hours) > 23) return undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return isoInstant({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ms: Number(fraction.padEnd(3, '0')),
    offset: sign === '-' ? -offset : offset,
  });
}

type DateParser = (text: string) => string | undefined;

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'ms';
type Token = {
  readonly part: Part;
  readonly shape: string;
  readonly fixed: boolean;
  readonly example: string;
  /** Not as a plain number; NaN: nothing that is known. */
  read?(text: string): number;
};

/** The same on every day: 50 to 99 are of the last century. */
const fullYear = (digits: string) => Number(digits) + (Number(digits) < 50 ? 2000 : 1900);
const NAME_OF_MONTH = '([\\p{L}\\p{M}]+\\.?)';
const TOKENS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ['yyyy', { part: 'year', shape: '(\\d{4})', fixed: true, example: '2020' }],
  ['yy', { part: 'year', shape: '(\\d{2})', fixed: true, example: '20', read: fullYear }],
  ['MMMM', { part: 'month', shape: NAME_OF_MONTH, fixed: true, example: 'March', read: monthOf }],
  ['MMM', { part: 'month', shape: NAME_OF_MONTH, fixed: true, example: 'Mar', read: monthOf }],
  ['MM', { part: 'month', shape: '(\\d{2})', fixed: true, example: '03' }],
  ['M', { part: 'month', shape: '(\\d{1,2})', fixed: false, example: '3' }],
  ['dd', { part: 'day', shape: '(\\d{2})', fixed: true, example: '31' }],
  ['d', { part: 'day', shape: '(\\d{1,2})', fixed: false, example: '31' }],
  ['HH', { part: 'hour', shape: '(\\d{2})', fixed: true, example: '09' }],
  ['H', { part: 'hour', shape: '(\\d{1,2})', fixed: false, example: '9' }],
  ['mm', { part: 'minute', shape: '(\\d{2})', fixed: true, example: '30' }],
  ['ss', { part: 'second', shape: '(\\d{2})', fixed: true, example: '00' }],
  ['SSS', { part: 'ms', shape: '(\\d{3})', fixed: true, example: '000' }],
]);

/** In any language of data/months.tsv. */
function monthOf(name: string): number {
  const plain = name.normalize('NFD').replaceAll(/[\p{M}.]/gu, '');
  return Number(readData('months.tsv').find((names) => names.includes(plain.toLowerCase()))?.[0]);
}

const PIECE = /'((?:[^']|'')*)'|yyyy|yy|M{1,4}|dd?|HH?|mm|ss|SSS|[\s\S]/gu;
const KNOWN =
  'expected dd, d, MMMM, MMM, MM, M, yyyy, yy, HH, H, mm, ss, SSS, ' +
  'and letters that stand for themselves in single quotes';

const compiledOnce = remembered(compilePattern);

function compilePattern(pattern: string): DateParser | string {
  const tokens: Token[] = [];
  const problems: string[] = [];
  let shape = '';
  let open = false; // a one-or-two-digit number was the last piece
  for (const [piece, quoted] of pattern.matchAll(PIECE)) {
    const token = TOKENS.get(piece);
    if (open && (token !== undefined || /^\d/.test(quoted ?? piece))) {
      problems.push('a sign is needed after d, M and H, else it is not known where the number ends');
    }
    open = token !== undefined && !token.fixed;
    if (token !== undefined) tokens.push(token);
    shape += token === undefined ? literal(piece, quoted, problems) : token.shape;
  }
  problems.push(...partProblems(tokens.map(({ part }) => part)));
  return problems[0] ?? parserOf(new RegExp(`^${shape}$`, 'u'), tokens);
}

/** `T` and `Z` stand for themselves; any other bare letter may be a mistyped token. */
function literal(piece: string, quoted: string | undefined, problems: string[]): string {
  if (piece === "'") problems.push('a single quote is not closed');
  else if (quoted === undefined && /\p{L}/u.test(piece) && piece !== 'T' && piece !== 'Z') {
    problems.push(`"${piece}" is not known: ${KNOWN}`);
  }
  return unquoted(piece, quoted).replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}

function unquoted(piece: string, quoted: string | undefined): string {
  if (quoted === undefined) return piece;
  return quoted === '' ? "'" : quoted.replaceAll("''", "'");
}

function partProblems(parts: readonly Part[]): readonly string[] {
  const problems: string[] = [];
  const twice = parts.find((part, i) => parts.indexOf(part) !== i);
  if (twice !== undefined) problems.push(`the ${twice} appears more than once`);
  for (const part of ['year', 'month', 'day'] as const) {
    if (!parts.includes(part)) problems.push(`the ${part} is missing`);
  }
  const time = (['hour', 'minute', 'second', 'ms'] as const).map((part) => parts.includes(part));
  if (time.some((here, i) => here && time[i - 1] === false)) {
    problems.push('minutes need hours, seconds need minutes, and milliseconds need seconds');
  }
  return problems;
}

function parserOf(shape: RegExp, tokens: readonly Token[]): DateParser {
  return (text) => {
    const match = shape.exec(text);
    if (match === null) return undefined;
    const written = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, ms: 0, offset: 0 };
    for (const [i, { part, read = Number }] of tokens.entries()) written[part] = read(match[i + 1] ?? '');
    return isoInstant(written);
  };
}

/** `offset`: minutes that the clock is ahead of UTC. */
type WrittenTime = Readonly<Record<Part | 'offset', number>>;

function isoInstant({ year, month, day, hour, minute, second, ms, offset }: WrittenTime): string | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const moment = new Date(0);
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  moment.setUTCFullYear(year, month - 1, day);
  // A day that no calendar has became another month's.
  if (moment.getUTCMonth() !== month - 1) return undefined;
  moment.setUTCHours(hour, minute - offset, second, ms);
  const text = moment.toISOString();
  return text.length === 24 && !text.startsWith('0000') ? text : undefined;
}
