/**
 * The profile of a file, from rows spread over it. Shapes say how a cell is built: its kind of
 * text and about how long it is, never what stands there.
 */
import { visitLeaves } from '../../model/json-record.ts';
import { type ColumnProfile, PROFILED_COLUMNS, type Profile } from '../../model/profile.ts';
import type { Row } from '../../model/row.ts';
import type { SourceInfo } from '../../model/source.ts';
import { recordObject } from './row.ts';

/** As many rows as are looked at, and keys asked of. */
const ROWS_SAMPLED = 2_000;

/** Of all their texts, in characters of JSON. */
const CHARACTERS_SAMPLED = 4_000_000;

type Sampled = { readonly row: Row; readonly size: number };

/** Of any number of rows at most so many, evenly spread from the first on. */
export function createSpreadSample(most = ROWS_SAMPLED, characters = CHARACTERS_SAMPLED) {
  let kept: Sampled[] = [];
  let size = 0;
  let step = 1;
  let seen = 0;
  const thinOut = () => {
    kept = kept.filter((_, i) => i % 2 === 0);
    size = kept.reduce((sum, one) => sum + one.size, 0);
    step *= 2;
  };
  return {
    see(rows: readonly Row[]): void {
      for (const row of rows) {
        const isMeant = seen % step === 0;
        seen += 1;
        if (!isMeant) continue;
        const sampled = copyOf(row);
        kept.push(sampled);
        size += sampled.size;
        if (kept.length > most || size > characters) thinOut();
      }
    },
    rows: (): readonly Row[] => kept.map(({ row }) => row),
  };
}

/** A cell is a part of the block that was read, and would keep all of it in memory. */
function copyOf(row: Row): Sampled {
  const text = JSON.stringify(row);
  return { row: JSON.parse(text), size: text.length };
}

type SampledFile = {
  readonly rows: number;
  readonly source: Pick<SourceInfo, 'columns'>;
  readonly sample: readonly Row[];
};

export function profileOf({ rows, source, sample }: SampledFile, known: number | null): Profile {
  const readable = sample.filter((row) => row.kind !== 'unreadable');
  const cells = readable.map((row) => cellsOf(row, source.columns));
  const names = [...new Set(source.columns)].filter((name) => name !== '').toSorted();
  const columns = names.slice(0, PROFILED_COLUMNS).map((name): ColumnProfile => {
    const filled = cells.map((row) => row.get(name)?.trim() ?? '').filter((cell) => cell !== '');
    return {
      name,
      filled: shareOf(filled.length, readable.length),
      repeated: shareOf(mostFrequent(filled), filled.length),
      shapes: shapesOf(filled),
    };
  });
  return { rows, sampled: readable.length, known, columns };
}

function cellsOf(row: Row, columns: readonly string[]): ReadonlyMap<string, string> {
  if (row.kind === 'cells') return new Map(columns.map((name, at) => [name, row.cells[at] ?? '']));
  const cells = new Map<string, string>();
  if (row.kind === 'record')
    visitLeaves(recordObject(row.text), (path, value) =>
      cells.set(path, value === null ? '' : String(value)),
    );
  return cells;
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((100 * part) / whole) / 100;
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function mostFrequent(cells: readonly string[]): number {
  return Math.max(0, ...countsOf(cells).values());
}

/** With fewer, a column has hardly one shape. */
const SHAPES_KEPT = 4;

function shapesOf(cells: readonly string[]): Record<string, number> {
  const counts = [...countsOf(cells.map(shapeOf))].toSorted(([, a], [, b]) => b - a);
  return Object.fromEntries(
    counts.slice(0, SHAPES_KEPT).map(([shape, count]) => [shape, shareOf(count, cells.length)]),
  );
}

/** Where the year stands, and what separates; of day and month nobody can say which is which. */
const DATES = ['-', '.', '/'].flatMap((sign): (readonly [name: string, pattern: RegExp])[] => [
  [`date-year-first${sign}`, new RegExp(`^\\d{4}[${sign}]\\d{1,2}[${sign}]\\d{1,2}(?!\\d)`)],
  [`date-year-last${sign}`, new RegExp(`^\\d{1,2}[${sign}]\\d{1,2}[${sign}]\\d{2,4}(?!\\d)`)],
]);

/** The first that fits. */
const BUILDS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['digits', /^\d+$/],
  ...DATES,
  ['date', /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/],
  ['number', /^[-+]?[\d.,']*\d$/],
  ['phone', /^\+?[\d\s()/.-]{6,}$/],
  ['address', /^\S+@\S+$/],
  ['words', /^[\p{L}\p{M}'’.&,-]+(?:\s+[\p{L}\p{M}'’.&,-]+)+$/u],
  ['word', /^[\p{L}\p{M}'’.-]+$/u],
  ['code', /^\S+$/],
  ['text', /^/],
];

/** A column of one build keeps to a length or two. */
const LENGTHS = [2, 4, 8, 16, 32];

function shapeOf(cell: string): string {
  const [build] = BUILDS.find(([, pattern]) => pattern.test(cell)) ?? ['text'];
  const longest = LENGTHS.find((length) => cell.length <= length);
  return longest === undefined ? `${build} >32` : `${build} ${longest}`;
}
