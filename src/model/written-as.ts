/**
 * How a file writes the dates or numbers of a column: the settings of a field with which cells that were refused would be read. An
 * issue names them in its words, so that they go where the issue goes, with no value of a cell; here those words are made,
 * read back, and counted by column, so that one cause of thousands of rows is told once. Pure.
 */
import { z } from 'zod';

const writtenAsSchema = z.object({
  pattern: z.string().optional(),
  decimal: z.enum(['.', ',']).optional(),
});

/** Settings of a field, as a job definition has them. */
export type WrittenAs = z.infer<typeof writtenAsSchema>;

/** Refused cells of a column that are written in one way. */
export const shapeSchema = z.object({
  column: z.string(),
  count: z.number().int().positive(),
  /** The first rows. */
  rows: z.array(z.number().int().positive()),
  /** A cell of that kind, made up. */
  looksLike: z.string(),
  /** With any of these settings the cells are read, each time as something else: only who knows the file can choose. */
  settings: z.array(writtenAsSchema).min(1),
});
export type Shape = z.infer<typeof shapeSchema>;

/** The settings with which a refused text is read, to follow what was expected; empty where there are none. */
export function readWith(settings: readonly WrittenAs[]): string {
  return settings.length === 0 ? '' : `${START}${settings.map(settingWords).join(OR)}${END}`;
}

const START = '; it is one with ';
const OR = ' or with ';
const END = ' in the job definition';

/** `decimal: ","`, as a job definition has it. */
export function settingWords(setting: WrittenAs): string {
  return Object.entries(setting)
    .map(([name, sign]) => `${name}: "${sign}"`)
    .join();
}

/** The settings that the words of issues name, by column. */
function settingsIn(description: string): Array<{ column: string; settings: readonly WrittenAs[] }> {
  return [...description.matchAll(ISSUE)].flatMap(([, column = '', expected = '']) => {
    const start = expected.indexOf(START);
    const end = expected.indexOf(END, start);
    if (start === -1 || end === -1) return [];
    const settings = expected
      .slice(start + START.length, end)
      .split(OR)
      .map((words) => writtenAsSchema.parse(Object.fromEntries([...words.matchAll(SETTING)].map(namedSign))));
    return [{ column, settings }];
  });
}

const ISSUE = /(?:^|; )column "(.*?)": expected (.*?)(?=; column "|$)/gs;
const SETTING = /(pattern|decimal): "([^"]*)"/g;

function namedSign([, name = '', sign = '']: RegExpExecArray): [string, string] {
  return [name, sign];
}

/** Whether the words of an issue name settings. */
export function namesSettings(description: string): boolean {
  return description.includes(START);
}

/** Refused cells of a column for which the same settings are named. */
type Alike = {
  readonly column: string;
  readonly settings: readonly WrittenAs[];
  count: number;
  readonly rows: number[];
};

/** Counts refused cells by how they are written. */
export function createShapeTally() {
  const found = new Map<string, Alike>();
  /** Rows with the same issues have the same words. */
  const byWords = new Map<string, readonly Alike[]>();
  const kindOf = (column: string, settings: readonly WrittenAs[]) => {
    const mark = JSON.stringify([column, settings]);
    const known = found.get(mark) ?? { column, settings, count: 0, rows: [] };
    if (found.size < MAX_KINDS) found.set(mark, known);
    return known;
  };
  const kindsIn = (description: string) => {
    const known = byWords.get(description);
    if (known !== undefined) return known;
    const kinds = settingsIn(description).map(({ column, settings }) => kindOf(column, settings));
    if (byWords.size < MAX_KINDS) byWords.set(description, kinds);
    return kinds;
  };
  return {
    /** Takes a row's issues in words. */
    add(row: number, description: string) {
      if (!namesSettings(description)) return;
      for (const kind of kindsIn(description)) {
        kind.count += 1;
        if (kind.rows.length < ROWS_NAMED) kind.rows.push(row);
      }
    },
    /** The commonest first. */
    shapes(): readonly Shape[] {
      const all = [...found.values()];
      const columns = [...new Set(all.map(({ column }) => column))];
      return columns
        .flatMap((name) => shapesOf(all.filter(({ column }) => column === name)))
        .sort((a, b) => b.count - a.count || (a.rows[0] ?? 0) - (b.rows[0] ?? 0));
    },
  };
}

const ROWS_NAMED = 3;
/** Settings come from short lists and columns from a header; the bound keeps memory flat all the same. */
const MAX_KINDS = 1_000;

/** The most rows that may be single mistakes; where more rows differ, the file is written so. */
export function mostMistakes(rows: number): number {
  return Math.max(1, rows * 0.1);
}

/** The shapes that are no single mistakes among so many rows. */
export function commonShapes(shapes: readonly Shape[], rows: number): readonly Shape[] {
  return shapes.filter(({ count }) => count > mostMistakes(rows));
}

/** The fewest settings that read all cells of a column: those that read the most of them first. */
function shapesOf(column: readonly Alike[]): readonly Shape[] {
  const readBy = (setting: WrittenAs) =>
    column.filter(({ settings }) => settings.some((one) => covers(setting, one)));
  const cellsReadBy = (setting: WrittenAs) => readBy(setting).reduce((sum, { count }) => sum + count, 0);
  const candidates = distinct(column.flatMap(({ settings }) => settings));
  const most = Math.max(0, ...candidates.map(cellsReadBy));
  const best = candidates.filter((setting) => cellsReadBy(setting) === most);
  // Of two that read the same, `dd` says more than `d`.
  const strictest = best.filter((one) => !best.some((other) => other !== one && covers(one, other)));
  const [first] = strictest;
  if (first === undefined) return [];
  const read = readBy(first);
  const shape = {
    column: read[0]?.column ?? '',
    count: most,
    rows: read
      .flatMap(({ rows }) => rows)
      .sort((a, b) => a - b)
      .slice(0, ROWS_NAMED),
    looksLike: exampleOf(first),
    settings: strictest.filter((one) => readBy(one).every((alike) => read.includes(alike))),
  };
  return [shape, ...shapesOf(column.filter((alike) => !read.includes(alike)))];
}

function distinct(settings: readonly WrittenAs[]): readonly WrittenAs[] {
  return [...new Map(settings.map((one) => [settingWords(one), one])).values()];
}

/** Whether whatever the other setting reads is read as the same with this one. */
function covers(one: WrittenAs, other: WrittenAs): boolean {
  if (one.pattern !== undefined || other.pattern !== undefined) {
    const { pattern = '' } = one;
    return pattern === other.pattern || (pattern === lenient(pattern) && pattern === lenient(other.pattern));
  }
  return one.decimal === other.decimal;
}

/** The pattern that also reads days and months of one digit. */
export function lenient(pattern = ''): string {
  return pattern.replace('dd', 'd').replace('MM', 'M');
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
