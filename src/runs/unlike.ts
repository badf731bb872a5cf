/**
 * What of a delivery is unlike those before it: the limits, and the order in which people are told.
 */
import { type ColumnProfile, PROFILED_COLUMNS, type Profile } from '../model/profile.ts';

type Of<Value> = { readonly now: Value; readonly before: Value };
type OfColumn<Value> = Of<Value> & { readonly column: string };

/** `before`: of earlier deliveries, mostly their median. */
export type Finding =
  /** Which there are now and were not, and the other way round. */
  | ({ readonly what: 'columns' } & Of<readonly string[]>)
  | ({ readonly what: 'rows' } & Of<number>)
  | ({ readonly what: 'known' } & Of<number>)
  | ({ readonly what: 'filled' } & OfColumn<number>)
  | ({ readonly what: 'repeated' } & OfColumn<number>)
  /** How most cells are built. */
  | ({ readonly what: 'shapes' } & OfColumn<string>);
type Findings = readonly Finding[];

/** Limits were set on seeds 1 to 50 of test/support/histories.ts and judged on 51 to 200. */
export const LIMITS = {
  /** Deliveries are compared with so many before them at most, and from so many on. */
  deliveries: { most: 5, fewest: 2 },
  /** With fewer rows shares mean little. */
  rowsToPause: 50,
  /** Earlier deliveries agree within that factor, or they say nothing. */
  agreement: 2,
  rows: { least: 0.6, most: 1.8 },
  /** Of the least that was known before: shares of changes vary too much to agree. */
  known: 0.2,
  /** Of a column: with fewer that are filled its values and shapes say nothing. */
  cells: 30,
  /** A column that is emptied; one that is filled better is no trouble. */
  filled: { least: 0.4, apart: 0.3 },
  /** A column of values that hardly repeat. */
  repeated: { before: 0.1, now: 0.5 },
  shapes: { apart: 0.5 },
} as const;

type Comparing = {
  /** Newest first. */
  readonly earlier: readonly Profile[];
  /** Of `changes` the number of rows is no sign. */
  readonly delivery: 'full' | 'changes';
  /** Column of the rows' keys. */
  readonly key?: string | undefined;
};

/** Empty: the delivery is like those before, or there are too few. */
export function unusualIn(profile: Profile, comparing: Comparing): Findings {
  const { most, fewest } = LIMITS.deliveries;
  const before = comparing.earlier.slice(0, most);
  if (before.length < fewest) return [];

  const isFull = comparing.delivery === 'full';
  const ofRows = isFull ? rowsFindings(profile, before) : [];
  // Of few rows, as where they are huge, shares mean little.
  if (profile.sampled < LIMITS.cells) return ofRows;
  const ofKeys = knownFindings(profile, before, isFull);
  const names = new Set([profile, ...before].flatMap(({ columns }) => columns.map((one) => one.name)));
  const ofColumns = [...names].flatMap((name) => {
    const [now] = columnIn(profile, name);
    const earlier = before.flatMap((one) => columnIn(one, name));
    return now === undefined ? [] : columnFindings(now, earlier);
  });
  // Keys that were renamed are mostly built otherwise, too, which is one finding.
  const isSaid = (finding: Finding) => finding.what === 'shapes' && finding.column === comparing.key;
  const others = ofKeys.length === 0 ? ofColumns : ofColumns.filter((one) => !isSaid(one));
  return [...ofRows, ...ofKeys, ...others];
}

function rowsFindings({ rows }: Profile, earlier: readonly Profile[]): Findings {
  const numbers = earlier.map((one) => one.rows);
  const before = medianOf(numbers);
  const { least, most } = LIMITS.rows;
  const isLike = rows >= least * before && rows <= most * before;
  if (isLike || !doAgree(numbers)) return [];
  return [{ what: 'rows', now: rows, before }];
}

function knownFindings({ known }: Profile, earlier: readonly Profile[], isFull: boolean): Findings {
  const all = earlier.flatMap((one) => one.known ?? []);
  const shares = isFull ? all : withoutRepetition(all);
  if (known === null || shares.length === 0) return [];
  const least = Math.min(...shares);
  if (known >= LIMITS.known * least) return [];
  return [{ what: 'known', now: known, before: medianOf(shares) }];
}

/**
 * Of changes, one file without a new key is mostly an earlier one that came again: it doesn't say
 * that the next has few new ones. Two say so.
 */
function withoutRepetition(shares: readonly number[]): readonly number[] {
  const others = shares.filter((share) => share < 1);
  const isUsual = shares.length - others.length >= LIMITS.deliveries.fewest;
  return isUsual ? shares : others;
}

/** With how many cells of it were filled. */
type CountedColumn = ColumnProfile & { readonly cells: number };

/** JSON leaves empty fields out. None: it may be one of those that are too many to be profiled. */
function columnIn({ sampled, columns }: Profile, name: string): readonly CountedColumn[] {
  const own = columns.find((one) => one.name === name);
  if (own !== undefined) return [{ ...own, cells: sampled * own.filled }];
  const isCut = columns.length === PROFILED_COLUMNS && name > (columns.at(-1)?.name ?? '');
  return isCut ? [] : [{ name, filled: 0, repeated: 0, shapes: {}, cells: 0 }];
}

/** Of a file with columns that none before had; `null`: there were none with others. */
export function columnsFindings(columns: readonly string[], others: readonly string[] | null): Findings {
  if (others === null) return [];
  const without = (all: readonly string[], some: readonly string[]) =>
    all.filter((name) => name !== '' && !some.includes(name));
  const [now, before] = [without(columns, others), without(others, columns)];
  return now.length + before.length === 0 ? [] : [{ what: 'columns', now, before }];
}

function columnFindings(now: CountedColumn, earlier: readonly CountedColumn[]): Findings {
  const { fewest } = LIMITS.deliveries;
  if (earlier.length < fewest) return [];
  const emptied = emptiedFindings(now, earlier);
  if (emptied.length > 0) return emptied;

  const telling = earlier.filter(isTelling);
  if (!isTelling(now) || telling.length < fewest) return [];
  return [...repeatedFindings(now, telling), ...shapeFindings(now, telling)];
}

function isTelling({ cells }: CountedColumn): boolean {
  return cells >= LIMITS.cells;
}

function emptiedFindings(now: CountedColumn, earlier: readonly CountedColumn[]): Findings {
  const { name, filled } = now;
  const fills = earlier.map((one) => one.filled);
  const before = medianOf(fills);
  const { least, apart } = LIMITS.filled;
  const isFar = filled < least * before && before - filled > apart;
  if (!isFar || !doAgree(fills)) return [];
  return [{ what: 'filled', column: name, now: filled, before }];
}

function repeatedFindings(now: CountedColumn, earlier: readonly CountedColumn[]): Findings {
  const { name, repeated } = now;
  const limits = LIMITS.repeated;
  const before = Math.max(...earlier.map((one) => one.repeated));
  const wasVaried = before <= limits.before;
  if (!wasVaried || repeated < limits.now) return [];
  return [{ what: 'repeated', column: name, now: repeated, before }];
}

function shapeFindings(now: CountedColumn, earlier: readonly CountedColumn[]): Findings {
  const { name, shapes } = now;
  const distances = earlier.map((one) => distance(shapes, one.shapes));
  const nearest = Math.min(...distances);
  if (nearest <= LIMITS.shapes.apart) return [];
  const [latest = now] = earlier;
  const before = mostOf(latest.shapes);
  return [{ what: 'shapes', column: name, now: mostOf(shapes), before }];
}

type Shares = ColumnProfile['shapes'];

/** 0: the same shares; 1: nothing in common. */
function distance(a: Shares, b: Shares): number {
  let common = 0;
  for (const [shape, own] of Object.entries(a)) {
    const other = b[shape] ?? 0;
    common += Math.min(own, other);
  }
  const known = Math.min(sumOf(a), sumOf(b));
  return known === 0 ? 0 : 1 - common / known;
}

function sumOf(of: Shares): number {
  return Object.values(of).reduce((sum, one) => sum + one, 0);
}

function mostOf(shapes: Shares): string {
  const sorted = Object.entries(shapes).toSorted(([, a], [, b]) => b - a);
  const [shape = ''] = sorted[0] ?? [];
  return shape;
}

function doAgree(values: readonly number[]): boolean {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most <= LIMITS.agreement * least;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const isOdd = sorted.length % 2 === 1;
  const lower = isOdd ? upper : (sorted[sorted.length / 2 - 1] ?? 0);
  return (lower + upper) / 2;
}
