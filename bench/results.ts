import { z } from 'zod';
import { FIGURES, type Figure, type FigureId, type Unit } from './figures.ts';
import { type Samples, spreadOf } from './samples.ts';

const measuredSchema = z.object({
  id: z.enum(FIGURES.map(({ id }) => id)),
  target: z.number(),
  median: z.number(),
  low: z.number(),
  high: z.number(),
  met: z.boolean(),
  /** One per round, in the figure's unit. */
  values: z.array(z.number()).min(1),
  /** The share of the machine that others used during each round, 0 to 1; empty where it was not measured. */
  others: z.array(z.number()),
  details: z.record(z.string(), z.array(z.number())),
});
/** A figure's result: median, least and greatest of the rounds that count, or of all where none does. */
export type Measured = z.infer<typeof measuredSchema>;

/** What was measured on. */
export const machineSchema = z.object({
  processor: z.string(),
  cores: z.number(),
  memoryGiB: z.number(),
  system: z.string(),
  /** Processes at work in the minute before the first measurement. */
  load: z.number(),
  disk: z.string(),
  node: z.string(),
  redis: z.string(),
  service: z.string(),
});

/** The content of performance.json. */
export const resultsSchema = z.object({
  /** ISO 8601, UTC. */
  measuredAt: z.string(),
  command: z.string(),
  /** Small files: a look, not a measurement. */
  quick: z.boolean(),
  machine: machineSchema,
  sizes: z.object({
    rounds: z.number(),
    rows: z.number(),
    slowRows: z.number(),
    rowsPerWorker: z.number(),
    warmRows: z.number(),
    longRows: z.number(),
    shortRows: z.number(),
    longRounds: z.number(),
  }),
  figures: z.array(measuredSchema),
});
export type Results = z.infer<typeof resultsSchema>;

/** What a figure's rounds come to, against its target. */
export function judge({ figure, values, others, details }: Samples): Measured {
  const { target, bound, kind } = figureOf(figure);
  const shares = others.map(rounded);
  const { low, high, ...spread } = spreadOf(quietOnly(values, kind, shares).values.map(rounded));
  const median = rounded(spread.median);
  return {
    id: figure,
    target,
    median,
    low,
    high,
    met: bound === 'least' ? median >= target : median <= target,
    values: values.map(rounded),
    others: shares,
    details: Object.fromEntries(Object.entries(details).map(([name, list]) => [name, list.map(rounded)])),
  };
}

/** Where others used more of the machine meanwhile, a speed does not count; what something costs does. */
const QUIET_SHARE = 0.05;

/** Of values with one for each round: those of the rounds that count; all of them where none counts, or nobody knows. */
export function quietOnly<T>(
  values: readonly T[],
  kind: Figure['kind'],
  others: readonly number[],
): { readonly counts: boolean; readonly values: readonly T[] } {
  if (kind === 'cost' || others.length === 0) return { counts: true, values };
  const quiet = values.filter((_, round) => (others[round] ?? 0) <= QUIET_SHARE);
  return quiet.length === 0 ? { counts: false, values } : { counts: true, values: quiet };
}

/** `†` marks what does not count. */
export const NOT_COUNTED = '†';
export const NOT_COUNTED_WORDS = `${NOT_COUNTED} does not count: others used more than ${QUIET_SHARE * 100} % of the machine meanwhile, in every round.`;

/** What became of a figure, in words. */
export function verdictOf({ id, met, values, others }: Measured): 'met' | 'not met' | 'not counted' {
  if (!quietOnly(values, figureOf(id).kind, others).counts) return 'not counted';
  return met ? 'met' : 'not met';
}

function figureOf(id: FigureId): Figure {
  const figure = FIGURES.find((one) => one.id === id);
  if (figure === undefined) throw new Error(`no figure ${id}`);
  return figure;
}

/** Four digits are more than any of it is exact to. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A value as people read it, with its unit. */
export function amount(value: number, unit: Unit): string {
  if (unit === '%') return `${(value * 100).toFixed(1)} %`;
  return `${value.toFixed(DECIMALS[unit])} ${unit}`;
}

const DECIMALS: Readonly<Record<Exclude<Unit, '%'>, number>> = {
  '×': 2,
  MB: 0,
  s: 2,
  µs: 0,
  rows: 0,
  writes: 1,
};

/** What a figure has to be: `≥ 0.80 ×`. */
export function targetText({ bound, target, unit }: Pick<Figure, 'bound' | 'target' | 'unit'>): string {
  return `${bound === 'least' ? '≥' : '≤'} ${amount(target, unit)}`;
}
