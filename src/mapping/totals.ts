/**
 * Totals lines: what stands at the end of a table to add up or count the rows above it, and would become a record. A word
 * for a total is not enough, since companies are called so: two signs must agree, and a row that is as full as the others
 * under a key like theirs is a record whatever it holds. Only the last rows of a table are looked at, so that rows pass
 * by as they are read; where one of them shows a sign, the file is read once more for its sums and for the forms of all keys.
 */
import type { RowFinding } from '../model/issue.ts';
import type { CellsRow, Row } from '../model/row.ts';
import { withFindings } from '../model/row.ts';
import type { KeyOf } from '../model/row-group.ts';
import { isTable, REPORT_COLUMN_PREFIX, type SourceInfo } from '../model/source.ts';

type Batch = { readonly rows: readonly Row[] };

type TotalsOptions = {
  readonly source: Pick<SourceInfo, 'type' | 'columns'>;
  /** `null`: the rows have no keys of their own. */
  readonly keyOf: KeyOf | null;
  /** Reads the same rows again, from the first. */
  again(): AsyncIterable<Batch>;
};

/** How many of the last rows may be totals lines. */
const LAST_ROWS = 5;
/** How many rows above them tell what a row of the table looks like. */
const NEIGHBOURS = 20;

/** The same batches, with totals lines marked as such among the last rows; a batch is held back until enough rows follow it. */
export async function* markTotals<T extends Batch>(
  batches: AsyncIterable<T>,
  options: TotalsOptions,
): AsyncGenerator<T, void, undefined> {
  if (!isTable(options.source)) {
    yield* batches;
    return;
  }
  const markTold = markToldBefore(options.source.columns);
  const held: T[] = [];
  let heldRows = 0;
  for await (const read of batches) {
    const batch = markTold(read);
    held.push(batch);
    heldRows += batch.rows.length;
    for (;;) {
      const [first] = held;
      if (first === undefined || heldRows - first.rows.length < LAST_ROWS + NEIGHBOURS) break;
      heldRows -= first.rows.length;
      held.shift();
      yield first;
    }
  }
  const found = await findTotals(
    held.flatMap(({ rows }) => rows),
    options,
  );
  for (const batch of held) yield found.size === 0 ? batch : { ...batch, rows: marked(batch.rows, found) };
}

type Findings = ReadonlyMap<number, RowFinding>;

function marked(rows: readonly Row[], found: Findings): Row[] {
  return rows.map((row) => {
    const finding = found.get(row.row);
    return finding === undefined ? row : withFindings(row, ['totals_row'], [finding]);
  });
}

const CODE_COLUMN = `${REPORT_COLUMN_PREFIX}code`;
const TOLD = 'a record; the report that this file is says that the row is a totals line: leave it out';

/** In a report file the rows above a totals line are gone: what its run found of it holds. */
function markToldBefore(columns: readonly string[]): <T extends Batch>(batch: T) => T {
  const at = columns.indexOf(CODE_COLUMN);
  if (at === -1) return (batch) => batch;
  return (batch) => {
    const told = batch.rows.filter((row) => row.kind === 'cells' && row.cells[at] === 'totals_row');
    if (told.length === 0) return batch;
    const finding = { code: 'totals_row' as const, column: null, value: null, expected: TOLD };
    return { ...batch, rows: marked(batch.rows, new Map(told.map(({ row }) => [row, finding]))) };
  };
}

/** A row that shows a sign which a look at its neighbours is enough for. */
type Suspect = { readonly row: CellsRow; readonly word: number; readonly isSparse: boolean };

async function findTotals(rows: readonly Row[], { source, keyOf, again }: TotalsOptions): Promise<Findings> {
  const columns = source.columns.map((name) => !name.startsWith(REPORT_COLUMN_PREFIX));
  const tail = rows.filter((row) => row.kind === 'cells');
  const usual = medianOf(tail.map((row) => filledIn(row, columns)));
  const suspects = tail.slice(-LAST_ROWS).flatMap((row): Suspect[] => {
    const isSparse = usual >= SEVERAL && filledIn(row, columns) * 2 <= usual;
    const word = row.cells.findIndex((cell, i) => columns[i] === true && isTotalWord(cell));
    const isLone =
      hasKey(row, keyOf) && tail.every((other) => other === row || !areKeysAlike(row, other, keyOf));
    const isRecord = hasKey(row, keyOf) && !isLone && filledIn(row, columns) >= usual;
    return !isRecord && (isSparse || word !== -1 || isLone) ? [{ row, word, isSparse }] : [];
  });
  if (suspects.length === 0) return new Map();
  const table = await readTable(again(), new Set(suspects.map(({ row }) => row.row)), keyOf);
  return new Map(
    suspects.flatMap((suspect) => {
      const isFull = filledIn(suspect.row, columns) >= usual;
      const finding = findingOf(suspect, table, { names: source.columns, columns, keyOf, isFull });
      return finding === null ? [] : [[suspect.row.row, finding] as const];
    }),
  );
}

/** Below so many filled cells a row, half of them says nothing. */
const SEVERAL = 4;

function filledIn({ cells }: CellsRow, columns: readonly boolean[]): number {
  return cells.filter((cell, i) => columns[i] === true && cell.trim() !== '').length;
}

function medianOf(counts: readonly number[]): number {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
}

function hasKey(row: Row, keyOf: KeyOf | null): boolean {
  return keyOf !== null && keyOf(row) !== null;
}

function areKeysAlike(row: Row, other: Row, keyOf: KeyOf | null): boolean {
  return keyOf === null || shapeOf(keyOf(row)) === shapeOf(keyOf(other));
}

/** A key with `a` for its letters and `9` for its digits, however many. */
function shapeOf(key: string | null): string {
  return (key ?? '').replaceAll(/\p{L}+/gu, 'a').replaceAll(/\d+/g, '9');
}

/** What the rows of a table are together, without those that may be totals lines. */
type Table = {
  readonly rows: number;
  /** The forms of their keys. */
  readonly shapes: ReadonlySet<string>;
  /** By column, by the decimal sign. */
  readonly sums: readonly Sum[];
};

type Sum = Record<'.' | ',', { count: number; sum: number }>;

/** Keys have few forms; a file whose keys have more has none that would be unlike the others. */
const MAX_SHAPES = 1_000;

async function readTable(
  batches: AsyncIterable<Batch>,
  without: ReadonlySet<number>,
  keyOf: KeyOf | null,
): Promise<Table> {
  const shapes = new Set<string>();
  const sums: Sum[] = [];
  let rows = 0;
  for await (const batch of batches) {
    for (const row of batch.rows) {
      if (row.kind !== 'cells' || without.has(row.row)) continue;
      rows += 1;
      if (keyOf !== null && shapes.size < MAX_SHAPES) shapes.add(shapeOf(keyOf(row)));
      for (const [i, cell] of row.cells.entries()) addTo(sums, i, cell);
    }
  }
  return { rows, shapes, sums };
}

function addTo(sums: Sum[], column: number, cell: string): void {
  if (!DIGIT.test(cell)) return;
  sums[column] ??= { '.': { count: 0, sum: 0 }, ',': { count: 0, sum: 0 } };
  const own = sums[column];
  for (const decimal of DECIMALS) {
    const number = numberIn(cell, decimal);
    if (number === null) continue;
    own[decimal].count += 1;
    own[decimal].sum += number;
  }
}

const DIGIT = /^[^\p{L}\d]*\d/u;
const DECIMALS = ['.', ','] as const;
const NUMBER = {
  '.': /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/,
  ',': /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/,
} as const;

/** An amount as people write it, with or without groups and a currency; `null`: it is none with this decimal sign. */
function numberIn(cell: string, decimal: '.' | ','): number | null {
  const plain = cell.replaceAll(/[\s'’€$£]|\b[A-Z]{3}\b/g, '');
  if (!NUMBER[decimal].test(plain)) return null;
  const grouping = decimal === '.' ? ',' : '.';
  return Number(plain.replaceAll(grouping, '').replace(',', '.'));
}

type Judging = {
  readonly names: readonly string[];
  readonly columns: readonly boolean[];
  readonly keyOf: KeyOf | null;
  /** The row has as many filled cells as the others. */
  readonly isFull: boolean;
};

function findingOf({ row, word, isSparse }: Suspect, table: Table, judging: Judging): RowFinding | null {
  const { names, columns, keyOf, isFull } = judging;
  const key = keyOf?.(row) ?? null;
  const isKnown = key !== null && hasShape(table, key);
  if (table.rows === 0 || (isFull && isKnown)) return null;
  const find = (holds: (cell: string, i: number) => boolean) =>
    row.cells.findIndex((cell, i) => columns[i] === true && cell !== key && holds(cell, i));
  const summed = find((cell, i) => isSum(cell, table.sums[i]));
  const counted = find((cell) => isCount(cell, table.rows));
  const number = summed === -1 ? 'the number of the other rows' : `the sum of the column "${names[summed]}"`;
  const signs = [
    { holds: word !== -1, says: 'a word for a total' },
    { holds: summed !== -1 || counted !== -1, says: number },
    { holds: isSparse, says: 'far fewer filled cells than the other rows' },
    { holds: key !== null && !isKnown && table.rows >= ENOUGH_KEYS, says: 'a key unlike all others' },
  ].flatMap(({ holds, says }) => (holds ? [says] : []));
  if (signs.length < 2) return null;
  const first = row.cells.findIndex((cell) => cell !== '');
  const at = [word, summed, counted].find((i) => i !== -1) ?? first;
  const expected = `a record; this looks like a totals line, since it has ${signs.join(', and ')}: leave it out`;
  return { code: 'totals_row', column: names[at] ?? null, value: row.cells[at] ?? null, expected };
}

function hasShape({ shapes }: Table, key: string): boolean {
  return shapes.has(shapeOf(key)) || shapes.size === MAX_SHAPES;
}

/** Of fewer keys one that is unlike the others says nothing. */
const ENOUGH_KEYS = 3;

/** `7`, or `7 Kunden`. */
function isCount(cell: string, rows: number): boolean {
  return Number(/^\s*(\d{1,9})(?:\s+\p{L}+\.?)?\s*$/u.exec(cell)?.[1] ?? -1) === rows;
}

function isSum(cell: string, sums: Sum | undefined): boolean {
  return DECIMALS.some((decimal) => {
    const total = numberIn(cell, decimal);
    const { count = 0, sum = 0 } = sums?.[decimal] ?? {};
    // As many cents as additions of binary fractions may lose.
    return total !== null && total !== 0 && count > 1 && Math.abs(sum - total) < 0.005 + Math.abs(sum) * 1e-9;
  });
}

/** Whole cells that say total, sum, count in English, German, French, Spanish, Italian, Dutch, Polish and Portuguese. */
const TOTAL_WORDS: ReadonlySet<string> = new Set(
  [
    'total|totals|sum|sums|sum total|grand total|subtotal|sub-total|sub total|total sum|total amount|total rows|row count|count|overall',
    'summe|summen|gesamt|gesamtsumme|gesamtbetrag|gesamtanzahl|insgesamt|endsumme|zwischensumme|teilsumme|anzahl|summe gesamt',
    'somme|sommes|totaux|total général|total general|sous-total|montant total|nombre total|ensemble',
    'suma|sumas|totales|suma total|importe total|total parcial|gran total|subtotales',
    'totale|totali|somma|somme totali|totale generale|totale complessivo|importo totale|subtotale|totale parziale',
    'totaal|totalen|som|eindtotaal|subtotaal|totaalbedrag|totaal generaal|aantal',
    'razem|łącznie|ogółem|suma całkowita|suma częściowa|podsumowanie|w sumie|soma|total geral|σ|∑',
  ].flatMap((words) => words.split('|')),
);
const LONGEST_WORD = 30;

function isTotalWord(cell: string): boolean {
  if (cell.length > LONGEST_WORD) return false;
  const word = cell.normalize('NFKC').toLowerCase();
  return TOTAL_WORDS.has(word.replace(/\s*\([^)]*\)\s*$/, '').replaceAll(/^[\s:=.*-]+|[\s:=.*-]+$/g, ''));
}
