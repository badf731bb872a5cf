import { isoInstant } from './calendar.ts';

/** Reads a cell by a pattern: the moment in ISO 8601 with milliseconds and Z, or `undefined`. */
export type DateParser = (text: string) => string | undefined;

export type CompiledDatePattern =
  | {
      readonly kind: 'parser';
      readonly parse: DateParser;
      /** Whether day and month the other way round are another day; `null` for an order that nobody turns round. */
      readonly isSwappable: ((text: string) => boolean) | null;
    }
  | { readonly kind: 'problem'; readonly problem: string };

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'ms';
type Token = {
  readonly part: Part;
  readonly shape: string;
  readonly fixed: boolean;
  readonly example: string;
};

const TOKENS: ReadonlyMap<string, Token> = new Map([
  ['yyyy', { part: 'year', shape: '(\\d{4})', fixed: true, example: '2020' }],
  ['MM', { part: 'month', shape: '(\\d{2})', fixed: true, example: '03' }],
  ['M', { part: 'month', shape: '(\\d{1,2})', fixed: false, example: '3' }],
  ['dd', { part: 'day', shape: '(\\d{2})', fixed: true, example: '31' }],
  ['d', { part: 'day', shape: '(\\d{1,2})', fixed: false, example: '31' }],
  ['HH', { part: 'hour', shape: '(\\d{2})', fixed: true, example: '09' }],
  ['mm', { part: 'minute', shape: '(\\d{2})', fixed: true, example: '30' }],
  ['ss', { part: 'second', shape: '(\\d{2})', fixed: true, example: '00' }],
  ['SSS', { part: 'ms', shape: '(\\d{3})', fixed: true, example: '000' }],
] as const);

const PIECE = /'((?:[^']|'')*)'|yyyy|MM?|dd?|HH|mm|ss|SSS|[\s\S]/gu;
const KNOWN =
  'expected dd, d, MM, M, yyyy, HH, mm, ss, SSS, and letters that stand for themselves in single quotes';

/** Compiles a pattern once; what it doesn't name is midnight, and the time zone is UTC. */
export function compileDatePattern(pattern: string): CompiledDatePattern {
  const parts: Part[] = [];
  const problems: string[] = [];
  let shape = '';
  let open = false; // a one-or-two-digit number was the last piece
  for (const [piece, quoted] of pattern.matchAll(PIECE)) {
    const token = TOKENS.get(piece);
    if (open && (token !== undefined || /^\d/.test(quoted ?? piece))) {
      problems.push('a sign is needed after d and M, else it is not known where the number ends');
    }
    open = token !== undefined && !token.fixed;
    if (token !== undefined) parts.push(token.part);
    shape += token === undefined ? literal(piece, quoted, problems) : token.shape;
  }
  problems.push(...partProblems(parts));
  const [problem] = problems;
  return problem === undefined
    ? compiledOf(new RegExp(`^${shape}$`, 'u'), parts)
    : { kind: 'problem', problem };
}

/** The 31st of March 2020, half past nine, as a valid pattern writes it. */
export function exampleDate(pattern: string): string {
  return [...pattern.matchAll(PIECE)]
    .map(([piece, quoted]) => TOKENS.get(piece)?.example ?? unquoted(piece, quoted))
    .join('');
}

/** `T` and `Z` stand for themselves as in ISO 8601, since there `Z` says UTC; other bare letters look like a token. */
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

function compiledOf(shape: RegExp, parts: readonly Part[]): CompiledDatePattern {
  const parse = parserOf(shape, parts);
  // What begins with the year is written year, month, day all over the world.
  const turned = parts[0] === 'year' ? null : parserOf(shape, parts.map(turnRound));
  return {
    kind: 'parser',
    parse,
    isSwappable: turned && ((text) => isAnotherDay(parse(text), turned(text))),
  };
}

function turnRound(part: Part): Part {
  return part === 'day' ? 'month' : part === 'month' ? 'day' : part;
}

function isAnotherDay(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function parserOf(shape: RegExp, parts: readonly Part[]): DateParser {
  return (text) => {
    const match = shape.exec(text);
    if (match === null) return undefined;
    const written = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, ms: 0, offset: 0 };
    for (const [i, part] of parts.entries()) written[part] = Number(match[i + 1]);
    return isoInstant(written);
  };
}
