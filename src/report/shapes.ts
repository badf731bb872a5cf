/**
 * Shapes: how a file writes the dates or numbers of a column, from its refused cells and the
 * settings that would read them, so that one cause of thousands of rows is shown once. Pure.
 */
import { z } from 'zod';
import { lenient, mostMistakes, type WrittenAs, writtenAsSchema } from '../model/issue.ts';
import { settingWords } from '../model/sentence.ts';

export const shapeSchema = z.object({
  column: z.string(),
  count: z.number().int().positive(),
  rows: z.array(z.number().int().positive()),
  /** A made-up cell of that kind. */
  looksLike: z.string(),
  /** Each of these settings reads the cells, with different results: a person has to choose. */
  settings: z.array(writtenAsSchema).min(1),
});
export type Shape = z.infer<typeof shapeSchema>;

/** Refused cells that the same settings would read; `rows`: the first. */
export type Alike = {
  readonly column: string | null;
  readonly settings: readonly WrittenAs[];
  readonly count: number;
  readonly rows: readonly number[];
};

const ROWS_NAMED = 3;

/** Commonest first. */
export function shapesOf(all: readonly Alike[]): readonly Shape[] {
  const columns = [...new Set(all.map(({ column }) => column))];
  return columns
    .flatMap((name) => shapesOfColumn(all.filter(({ column }) => column === name)))
    .sort((a, b) => b.count - a.count || (a.rows[0] ?? 0) - (b.rows[0] ?? 0));
}

/** Shapes with too many rows to be single mistakes. */
export function commonShapes(shapes: readonly Shape[], rows: number): readonly Shape[] {
  return shapes.filter(({ count }) => count > mostMistakes(rows));
}

/** The fewest settings that read all cells of a column: those that read most first. */
function shapesOfColumn(column: readonly Alike[]): readonly Shape[] {
  const readBy = (setting: WrittenAs) =>
    column.filter(({ settings }) => settings.some((one) => covers(setting, one)));
  const cellsReadBy = (setting: WrittenAs) => readBy(setting).reduce((sum, { count }) => sum + count, 0);
  const candidates = distinct(column.flatMap(({ settings }) => settings));
  const most = Math.max(0, ...candidates.map(cellsReadBy));
  const best = candidates.filter((setting) => cellsReadBy(setting) === most);
  // Of two that read the same, `dd` is stricter than `d`.
  const strictest = best.filter((one) => !best.some((other) => other !== one && covers(one, other)));
  const [first] = strictest;
  if (first === undefined) return [];
  const read = readBy(first);
  const rows = read.flatMap((alike) => alike.rows).sort((a, b) => a - b);
  const shape = {
    column: read[0]?.column ?? '',
    count: most,
    rows: rows.slice(0, ROWS_NAMED),
    looksLike: exampleOf(first),
    settings: strictest.filter((one) => readBy(one).every((alike) => read.includes(alike))),
  };
  return [shape, ...shapesOfColumn(column.filter((alike) => !read.includes(alike)))];
}

function distinct(settings: readonly WrittenAs[]): readonly WrittenAs[] {
  return [...new Map(settings.map((one) => [settingWords(one), one])).values()];
}

/** Whether `one` reads all that `other` reads, with the same result. */
function covers(one: WrittenAs, other: WrittenAs): boolean {
  if (one.pattern !== undefined || other.pattern !== undefined) {
    const { pattern = '' } = one;
    return pattern === other.pattern || (pattern === lenient(pattern) && pattern === lenient(other.pattern));
  }
  return one.decimal === other.decimal;
}

function exampleOf({ pattern, decimal }: WrittenAs): string {
  if (pattern === undefined) return decimal === ',' ? '1.234,56' : '1,234.56';
  return pattern.replaceAll(/yyyy|MM?|dd?|HH|mm|ss/g, (token) => EXAMPLE[token] ?? token);
}

const EXAMPLE: Readonly<Record<string, string>> = {
  yyyy: '2020',
  MM: '03',
  M: '3',
  dd: '31',
  d: '31',
  HH: '09',
  mm: '30',
  ss: '00',
};
