import { z } from 'zod';
import { type KeyClaim, keyClaimSchema } from '../model/identity.ts';
import type { CellsRow, Row } from '../model/row.ts';

/** A row of a chunk with what its key's claim said. */
export type JobRow = { readonly row: Row; readonly claim: KeyClaim };

/** DEL: one byte in UTF-8 that JSON leaves as it is, and that hardly any cell has. */
const SEPARATOR = '\u007f';

const packedSchema = z.object({
  /** Of each row its number and its line. */
  places: z.custom<readonly number[]>(arePlaces, 'expected the number and the line of each row'),
  /** Cells of each row. */
  width: z.number().int().positive(),
  /** The rows' cells in order. */
  cells: z.string(),
  /** Of each row; without them, all are claimed. */
  claims: z.array(keyClaimSchema).optional(),
});
type PackedRows = z.infer<typeof packedSchema>;

/**
 * Rows that are nothing but their cells, as many in each: most are. All cells in one text are written and read several times
 * as fast as a list for each row.
 */
export const packedRowsSchema = packedSchema.transform(unpackRows);

/** `null`: there are rows with more to them, or a cell that has the separator in it. */
export function packRows(rows: readonly JobRow[]): PackedRows | null {
  const places: number[] = [];
  const lines: string[] = [];
  const width = rows[0]?.row.kind === 'cells' ? rows[0].row.cells.length : 0;
  for (const { row } of rows) {
    if (!isPlain(row) || row.cells.length !== width) return null;
    places.push(row.row, row.line);
    lines.push(row.cells.join(SEPARATOR));
  }
  const cells = lines.join(SEPARATOR);
  // More of them than stand between cells: one is part of a cell.
  if (width === 0 || countSeparators(cells) !== rows.length * width - 1) return null;
  const isClaimed = rows.every(({ claim }) => claim.kind === 'claimed');
  return { places, width, cells, ...(!isClaimed && { claims: rows.map(({ claim }) => claim) }) };
}

function isPlain(row: Row): row is CellsRow {
  return row.kind === 'cells' && row.numeric === undefined && row.typed === undefined;
}

function countSeparators(text: string): number {
  let count = 0;
  for (let at = text.indexOf(SEPARATOR); at !== -1; at = text.indexOf(SEPARATOR, at + 1)) count += 1;
  return count;
}

function unpackRows({ places, width, cells, claims }: PackedRows, context: z.RefinementCtx): JobRow[] {
  const all = cells.split(SEPARATOR);
  const count = places.length / 2;
  if (all.length !== count * width || (claims ?? all).length < count) {
    context.addIssue({
      code: 'custom',
      message: `expected ${count} rows of ${width} cells with their claims`,
    });
    return z.NEVER;
  }
  return Array.from({ length: count }, (_, i) => ({
    row: {
      kind: 'cells',
      row: places[2 * i] ?? 0,
      line: places[2 * i + 1] ?? 0,
      cells: all.slice(i * width, (i + 1) * width),
    },
    claim: claims?.[i] ?? { kind: 'claimed' },
  }));
}

function arePlaces(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.length % 2 === 0 && value.every(isPlace);
}

function isPlace(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
