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
  details: z.record(z.string(), z.array(z.number())),
});
/** A figure's result: median, least and greatest of its rounds. */
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
    longRows: z.number(),
    shortRows: z.number(),
    longRounds: z.number(),
  }),
  figures: z.array(measuredSchema),
});
export type Results = z.infer<typeof resultsSchema>;

/** What a figure's rounds come to, against its target. */
export function judge({ figure, values, details }: Samples): Measured {
  const { target, bound } = figureOf(figure);
  const { low, high, ...spread } = spreadOf(values.map(rounded));
  const median = rounded(spread.median);
  return {
    id: figure,
    target,
    median,
    low,
    high,
    met: bound === 'least' ? median >= target : median <= target,
    values: values.map(rounded),
    details: Object.fromEntries(Object.entries(details).map(([name, list]) => [name, list.map(rounded)])),
  };
}

export function figureOf(id: FigureId): Figure {
  const figure = FIGURES.find((one) => one.id === id);
  if (figure === undefined) throw new Error(`no figure ${id}`);
  return figure;
}

/** Four digits are more than any of it is exact to. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

const WRITE: Readonly<Record<Unit, (value: number) => string>> = {
  '%': (value) => `${(value * 100).toFixed(1)} %`,
  '×': (value) => `${value.toFixed(2)} ×`,
  MB: (value) => `${value.toFixed(0)} MB`,
  s: (value) => `${value.toFixed(2)} s`,
};

/** A value as people read it, with its unit. */
export function amount(value: number, unit: Unit): string {
  return WRITE[unit](value);
}

/** What a figure has to be: `≥ 0.80 ×`. */
export function targetText({ bound, target, unit }: Pick<Figure, 'bound' | 'target' | 'unit'>): string {
  return `${bound === 'least' ? '≥' : '≤'} ${amount(target, unit)}`;
}
