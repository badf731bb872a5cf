/**
 * Dates as files write them, by ISO 8601 or by a pattern of the definition's own, and as the
 * service wants them: ISO 8601 with milliseconds and Z. Only days of the calendar pass.
 */
import type { WrittenAs } from '../../model/issue.ts';
import type { Conversion } from './conversion.ts';
import { readData, remembered, rememberedCell } from './read-data.ts';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})0*)?)?(?:Z|([+-])(\d{2}):?([0-5]\d)))?$/;

/** Digits beyond the millisecond are refused unless they are zeros. */
export const isoDate: Conversion = {
  fromText: rememberedCell(parseIso),
  fromJson: () => undefined,
  remedy: patternsFor,
  formOf,
  expected:
    'a date such as 2024-03-31, or a date-time with its offset ' +
    'and at most milliseconds such as 2024-03-31T09:30:00Z',
};

/**
 * Or what is wrong with the patterns, of which no two may read one text differently. Without a
 * time it is midnight; the zone is UTC.
 */
export function dateByPattern(pattern: string | readonly string[]): Conversion | string {
  const parsers = new Map<string, DateParser>();
  for (const one of [pattern].flat()) {
    const parse = compilePattern(one);
    if (typeof parse === 'string') return `pattern "${one}": ${parse}`;
    parsers.set(one, parse);
  }
  const clash = clashIn(parsers);
  if (clash !== undefined) return `pattern ${JSON.stringify(pattern)}: ${clash}`;
  const all = [...parsers.values()];
  const fromText = rememberedCell((text) => {
    for (const parse of all) {
      const read = parse(text);
      if (read !== undefined) return read;
    }
    return undefined;
  });
  const typed = { ...isoDate, fromText: (text: string) => typedDate(text, fromText) };
  const expected = `a real date, written as ${[...parsers.keys()].join(' or ')}`;
  return { ...isoDate, fromText, typed, expected };
}

const MIDNIGHT = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, ms: 0, offset: 0, half: 0 };
const EXAMPLE = { ...MIDNIGHT, year: 2020, month: 3, day: 31, hour: 9, minute: 30 };

/** Each part is another one's, too; with one digit and with two. */
const SAMPLES: readonly WrittenTime[] = [2003, 1203, 1999].flatMap((year) => [
  { ...MIDNIGHT, year, month: 4, day: 5, hour: 9, minute: 10, second: 11, ms: 12 },
  { ...MIDNIGHT, year, month: 10, day: 11, hour: 12, minute: 6, second: 7, ms: 8 },
]);

/** A text that two of the patterns read differently. */
function clashIn(parsers: ReadonlyMap<string, DateParser>): string | undefined {
  if (parsers.size < 2) return undefined;
  const all = [...parsers.values()];
  const examples = (pattern: string) => SAMPLES.map((sample) => exampleDate(pattern, sample));
  const readings = (text: string) => new Set(all.flatMap((parse) => parse(text) ?? []));
  const texts = [...parsers.keys()].flatMap(examples);
  const clash = texts.find((text) => readings(text).size > 1);
  return clash && `${clash} could be read by both; expected no two that read one cell differently`;
}

const TIME = ',?[T ]\\d\\d?:\\d\\d(?::\\d\\d(?:\\.\\d{3})?)?';
const HALF = '[AaPp](?:\\. ?)?[Mm]\\.?';
const HOURS = '[+-](?:[01]\\d|2[0-3])';
const OFFSET = `(?:Z|${HOURS}(?::?[0-5]\\d)?)`;
const DAY_AND_TIME = new RegExp(`^(.{1,30}?)(${TIME}(?:\\s?${HALF})?(?: ?${OFFSET})?)?$`, 'u');
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
  const halved = time.replace(new RegExp(HALF), 'a');
  const units = [halved === time ? 'HH' : 'hh', 'mm', 'ss', 'SSS'].values();
  return halved
    .replace(new RegExp(`${OFFSET}$`), ({ length }) => (length === 1 ? 'XXX' : 'X'.repeat(length / 2)))
    .replaceAll(/\d+/g, ({ length }) => String(units.next().value).slice(-length));
}

/** What a text that is no date probably is; see data/date-forms.tsv. */
function formOf(text: string): string | undefined {
  return readData('date-forms.tsv').find(([form = '']) => new RegExp(form).test(text))?.[1];
}

/** As a valid pattern writes it; by default 31 March 2020, half past nine. */
export function exampleDate(pattern: string, moment: WrittenTime = EXAMPLE): string {
  return pattern.replaceAll(PIECE, (piece: string, quoted?: string) => {
    const token = TOKENS.get(piece);
    if (token === undefined) return unquoted(piece, quoted);
    const value = moment[token.part];
    return token.write?.(value) ?? String(value).padStart(piece.length, '0');
  });
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

type Part = keyof typeof MIDNIGHT;
type Token = {
  readonly part: Part;
  readonly shape: string;
  readonly fixed: boolean;
  /** Not as a plain number; NaN: nothing that is known. */
  read?(text: string): number;
  write?(value: number): string;
};

/** The same on every day: 50 to 99 are of the last century. */
const fullYear = (digits: string) => Number(digits) + (Number(digits) < 50 ? 2000 : 1900);
const shortYear = (year: number) => String(year).slice(-2);
const NAME_OF_MONTH = '([\\p{L}\\p{M}]+\\.?)';
const inEnglish = (month: 'short' | 'long') => (value: number) =>
  new Intl.DateTimeFormat('en', { month, timeZone: 'UTC' }).format(Date.UTC(2000, value - 1));
const hourOfTwelve = (digits: string) => Number(digits) % 12;
const hoursOfHalf = (name: string) => (/^p/i.test(name) ? 12 : 0);
const AHEAD = { part: 'offset', fixed: true, read: minutesAhead, write: () => 'Z' } as const;

const TOKENS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ['yyyy', { part: 'year', shape: '(\\d{4})', fixed: true }],
  ['yy', { part: 'year', shape: '(\\d{2})', fixed: true, read: fullYear, write: shortYear }],
  ['MMMM', { part: 'month', shape: NAME_OF_MONTH, fixed: true, read: monthOf, write: inEnglish('long') }],
  ['MMM', { part: 'month', shape: NAME_OF_MONTH, fixed: true, read: monthOf, write: inEnglish('short') }],
  ['MM', { part: 'month', shape: '(\\d{2})', fixed: true }],
  ['M', { part: 'month', shape: '(\\d{1,2})', fixed: false }],
  ['dd', { part: 'day', shape: '(\\d{2})', fixed: true }],
  ['d', { part: 'day', shape: '(\\d{1,2})', fixed: false }],
  ['HH', { part: 'hour', shape: '(\\d{2})', fixed: true }],
  ['H', { part: 'hour', shape: '(\\d{1,2})', fixed: false }],
  ['hh', { part: 'hour', shape: '(0[1-9]|1[0-2])', fixed: true, read: hourOfTwelve }],
  ['h', { part: 'hour', shape: '(0?[1-9]|1[0-2])', fixed: false, read: hourOfTwelve }],
  ['a', { part: 'half', shape: `(${HALF})`, fixed: true, read: hoursOfHalf, write: () => 'AM' }],
  ['mm', { part: 'minute', shape: '(\\d{2})', fixed: true }],
  ['ss', { part: 'second', shape: '(\\d{2})', fixed: true }],
  ['SSS', { part: 'ms', shape: '(\\d{3})', fixed: true }],
  ['XXX', { ...AHEAD, shape: `(Z|${HOURS}:[0-5]\\d)` }],
  ['XX', { ...AHEAD, shape: `(Z|${HOURS}[0-5]\\d)` }],
  ['X', { ...AHEAD, shape: `(Z|${HOURS})` }],
]);

function minutesAhead(offset: string): number {
  const [hours = '0', minutes = '0'] = offset.match(/\d\d/g) ?? [];
  const difference = Number(hours) * 60 + Number(minutes);
  return offset.startsWith('-') ? -difference : difference;
}

/** In any language of data/months.tsv. */
function monthOf(name: string): number {
  const plain = name
    .normalize('NFD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLowerCase();
  const [month] = readData('months.tsv').find((names) => names.includes(plain)) ?? [];
  return Number(month);
}

const PIECE = /'((?:[^']|'')*)'|yyyy|yy|M{1,4}|dd?|HH?|hh?|a|mm|ss|SSS|X{1,3}|[\s\S]/gu;
const KNOWN =
  'expected dd, d, MMMM, MMM, MM, M, yyyy, yy, HH, H, hh, h, a, mm, ss, SSS, XXX, XX, X, ' +
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
      problems.push('a sign is needed after d, M, H and h, else it is not known where the number ends');
    }
    open = token !== undefined && !token.fixed;
    if (token !== undefined) tokens.push(token);
    shape += token === undefined ? literal(piece, quoted, problems) : token.shape;
  }
  const parts = tokens.map(({ part }) => part);
  problems.push(...partProblems(parts));
  const isHalved = tokens.some(({ read }) => read === hourOfTwelve);
  if (isHalved !== parts.includes('half'))
    problems.push('hh or h needs a, which is AM or PM, and a needs hh or h');
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
  const time = TIME_PARTS.map((part) => parts.includes(part));
  if (time.some((here, i) => here && time[i - 1] === false)) {
    problems.push('minutes need hours, seconds need minutes, and milliseconds need seconds');
  }
  if (parts.includes('offset') && !parts.includes('hour')) problems.push('an offset needs hours');
  return problems;
}

const TIME_PARTS: readonly Part[] = ['hour', 'minute', 'second', 'ms'];

function parserOf(shape: RegExp, tokens: readonly Token[]): DateParser {
  return (text) => {
    const match = shape.exec(text);
    if (match === null) return undefined;
    const written = { ...MIDNIGHT };
    for (const [i, { part, read = Number }] of tokens.entries()) {
      written[part] = read(match[i + 1] ?? '');
    }
    return isoInstant({ ...written, hour: written.hour + written.half });
  };
}

/** `offset`: minutes that the clock is ahead of UTC. `half`: hours that PM adds. */
type WrittenTime = Readonly<Record<Part, number>>;

function isoInstant({
  year,
  month,
  day,
  hour,
  minute,
  second,
  ms,
  offset,
}: Omit<WrittenTime, 'half'>): string | undefined {
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
