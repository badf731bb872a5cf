/**
 * What a delivery looks like, without a value of it: how many rows, how full each column is, how
 * its cells are built, how often one repeats, how many keys were known. And what of that is unlike
 * the deliveries before: the limits, and the order in which people are told.
 */
import { z } from 'zod';

const share = z.number().min(0).max(1);

const columnProfileSchema = z.object({
  name: z.string(),
  /** Of the rows. */
  filled: share,
  /** Of the filled cells: those that have the value that most have. */
  repeated: share,
  /** Of the filled cells by how they are built; the rest is built otherwise. */
  shapes: z.record(z.string(), share),
});
export type ColumnProfile = z.infer<typeof columnProfileSchema>;

export const profileSchema = z.object({
  rows: z.number().int().nonnegative(),
  /** Of the keys asked of, when it was registered; `null`: its rows have none, or it is the first. */
  known: share.nullable(),
  /** By name. */
  columns: z.array(columnProfileSchema),
});
export type Profile = z.infer<typeof profileSchema>;

export const PROFILED_COLUMNS = 40;

/** `before`: the median of earlier deliveries, as `now`. */
export const findingSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('rows'), now: z.number(), before: z.number() }),
  z.object({ what: z.literal('known'), now: share, before: share }),
  z.object({ what: z.literal('filled'), column: z.string(), now: share, before: share }),
  z.object({ what: z.literal('repeated'), column: z.string(), now: share, before: share }),
  /** `now`, `before`: how most of its cells are built. */
  z.object({ what: z.literal('shapes'), column: z.string(), now: z.string(), before: z.string() }),
]);
export type Finding = z.infer<typeof findingSchema>;

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
  /** `changes`: how many rows there are, and how many of them are known, is no sign. */
  readonly delivery: 'full' | 'changes';
};

/** Empty: the delivery is like those before, or there are too few. */
export function unusualIn(profile: Profile, { earlier, delivery }: Comparing): readonly Finding[] {
  const before = earlier.slice(0, LIMITS.deliveries.most);
  if (before.length < LIMITS.deliveries.fewest) return [];
  return [
    ...(delivery === 'full' ? rowsFindings(profile, before) : []),
    ...knownFindings(profile, before),
    ...profile.columns.flatMap((column) => columnFindings(column, columnsOf(before, column.name), profile)),
  ];
}

function rowsFindings({ rows }: Profile, earlier: readonly Profile[]): readonly Finding[] {
  const counts = earlier.map((one) => one.rows);
  const before = medianOf(counts);
  const { least, most } = LIMITS.rows;
  if (!doAgree(counts) || (rows >= least * before && rows <= most * before)) return [];
  return [{ what: 'rows', now: rows, before }];
}

function knownFindings({ known }: Profile, earlier: readonly Profile[]): readonly Finding[] {
  const shares = earlier.flatMap((one) => one.known ?? []);
  if (known === null || shares.length === 0) return [];
  if (known >= LIMITS.known * Math.min(...shares)) return [];
  const before = medianOf(shares);
  return [{ what: 'known', now: known, before }];
}

/** The column in earlier deliveries, with how many cells of it were filled. */
type EarlierColumn = ColumnProfile & { readonly cells: number };

function columnsOf(earlier: readonly Profile[], name: string): readonly EarlierColumn[] {
  return earlier.flatMap(({ rows, columns }) => {
    const column = columns.find((one) => one.name === name);
    return column === undefined ? [] : { ...column, cells: rows * column.filled };
  });
}

function columnFindings(
  column: ColumnProfile,
  earlier: readonly EarlierColumn[],
  { rows }: Profile,
): readonly Finding[] {
  if (earlier.length < LIMITS.deliveries.fewest) return [];
  const { name, filled } = column;
  const fills = earlier.map((one) => one.filled);
  const before = medianOf(fills);
  const { least, apart } = LIMITS.filled;
  if (doAgree(fills) && filled < least * before && before - filled > apart)
    return [{ what: 'filled', column: name, now: filled, before }];

  const telling = earlier.filter(({ cells }) => cells >= LIMITS.cells);
  if (rows * filled < LIMITS.cells || telling.length < LIMITS.deliveries.fewest) return [];
  return [...repeatedFindings(column, telling), ...shapeFindings(column, telling)];
}

function repeatedFindings(column: ColumnProfile, earlier: readonly ColumnProfile[]): readonly Finding[] {
  const { name, repeated } = column;
  const before = Math.max(...earlier.map((one) => one.repeated));
  const isVaried = before <= LIMITS.repeated.before;
  if (!isVaried || repeated < LIMITS.repeated.now) return [];
  return [{ what: 'repeated', column: name, now: repeated, before }];
}

function shapeFindings(
  { name, shapes }: ColumnProfile,
  earlier: readonly ColumnProfile[],
): readonly Finding[] {
  const nearest = Math.min(...earlier.map((one) => distance(shapes, one.shapes)));
  if (nearest <= LIMITS.shapes.apart) return [];
  const [latest] = earlier;
  return [{ what: 'shapes', column: name, now: mostOf(shapes), before: mostOf(latest?.shapes ?? {}) }];
}

/** 0: the same shares; 1: nothing in common. */
function distance(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): number {
  let common = 0;
  for (const [shape, own] of Object.entries(a)) common += Math.min(own, b[shape] ?? 0);
  const known = Math.min(sumOf(a), sumOf(b));
  return known === 0 ? 0 : 1 - common / known;
}

function sumOf(shares: Readonly<Record<string, number>>): number {
  return Object.values(shares).reduce((sum, one) => sum + one, 0);
}

function mostOf(shapes: Readonly<Record<string, number>>): string {
  const [most] = Object.entries(shapes).toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? '';
}

function doAgree(values: readonly number[]): boolean {
  return Math.max(...values) <= LIMITS.agreement * Math.min(...values);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
}
