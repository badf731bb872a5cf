/**
 * A chunk as a BullMQ job: its id and its payload, the rows in a box where the ledger is sealed.
 * `chunkOfPayload` rebuilds the chunk from what `payloadOf` writes, and refuses what it does not
 * know: a payload of a later version goes back to the queue and waits for a worker of that version.
 */

import { z } from 'zod';
import type { Seal } from '../../lib/seal.ts';
import { accountClaimSchema, keyClaimSchema, rowContentSchema } from '../../model/identity.ts';
import { type CellsRow, type Row, rowSchema } from '../../model/row.ts';

const place = {
  run: z.string(),
  /** 1 = the file's first chunk. */
  chunk: z.number().int().positive(),
  /** By which verification the keys were claimed; without it each claim is checked again. */
  claimed: z.string().optional(),
};

/**
 * `rowContent`: of a row without a key that maps, as it was claimed. `accounts`: of a job that
 * guards them.
 */
const jobRowSchema = z.object({
  row: rowSchema,
  claim: keyClaimSchema,
  rowContent: rowContentSchema.optional(),
  accounts: accountClaimSchema.optional(),
});
type JobRow = z.infer<typeof jobRowSchema>;

/** Up to `chunkRows` consecutive rows of a run, each with its key's claim. */
const chunkJobSchema = z.object({ ...place, rows: z.array(jobRowSchema).min(1) });
export type ChunkJob = z.infer<typeof chunkJobSchema>;

/** DEL: one byte in UTF-8, unescaped in JSON, and hardly ever in a cell. */
const SEPARATOR = '\u007f';

const packedSchema = z.object({
  /** Each row's number and line. */
  places: z.custom<readonly number[]>(arePlaces, 'expected the number and the line of each row'),
  width: z.number().int().positive(),
  cells: z.string(),
  /** Of each row; absent: all are claimed. */
  claims: z.array(keyClaimSchema).optional(),
  /** Of each row; absent: none has one. */
  rowContents: z.array(rowContentSchema.nullable()).optional(),
  accounts: z.array(accountClaimSchema.nullable()).optional(),
});
type PackedRows = z.infer<typeof packedSchema>;

const packedJobSchema = z.object({ ...place, packed: packedSchema.transform(unpackRows) });

const payloadSchema = z.union(
  [packedJobSchema.transform(({ packed: rows, ...own }): ChunkJob => ({ ...own, rows })), chunkJobSchema],
  'expected a chunk in a form that this version knows; workers of the version that added it take it on',
);

/**
 * Plain, or packed where rows are only cells, equally many in each, as in most files: one text for
 * all cells is several times as fast to write and read as a list per row.
 */
type OpenPayload = ChunkJob | z.input<typeof packedJobSchema>;

const sealedSchema = z.object({ ...place, box: z.string() });
export type ChunkPayload = OpenPayload | z.infer<typeof sealedSchema>;

/** Of a run's data key. */
export type SealOf = (run: string) => Promise<Seal>;

export async function payloadOf(job: ChunkJob, sealOf: SealOf): Promise<ChunkPayload> {
  const seal = await sealOf(job.run);
  const open = openPayload(job);
  if (seal.isClear) return open;
  const { rows: _, ...own } = job;
  return { ...own, box: seal.text(boxPlace(job.chunk), JSON.stringify(open)) };
}

function boxPlace(chunk: number): string {
  return `chunk ${chunk}`;
}

function openPayload(job: ChunkJob): OpenPayload {
  const packed = packRows(job.rows);
  if (packed === null) return job;
  const { rows: _, ...own } = job;
  return { ...own, packed };
}

/** Throws where the payload is no chunk of this version: the job goes back to the queue. */
export async function chunkOfPayload(payload: unknown, sealOf: SealOf): Promise<ChunkJob> {
  const { data: sealed } = sealedSchema.safeParse(payload);
  if (sealed === undefined) return payloadSchema.parse(payload);
  const text = (await sealOf(sealed.run)).openText(boxPlace(sealed.chunk), sealed.box);
  return payloadSchema.parse(JSON.parse(text));
}

/** Fixed: adding a chunk again is harmless. BullMQ refuses a single colon and all digits. */
export function chunkJobId(run: string, chunk: number): string {
  return `${run}-c${chunk}`;
}

export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('-c'));
}

/** `null`: a row is more than its cells, or a cell has the separator in it. */
function packRows(rows: ChunkJob['rows']): PackedRows | null {
  const places: number[] = [];
  const lines: string[] = [];
  const width = rows[0]?.row.kind === 'cells' ? rows[0].row.cells.length : 0;
  for (const { row } of rows) {
    if (!isPlain(row) || row.cells.length !== width) return null;
    places.push(row.row, row.line);
    lines.push(row.cells.join(SEPARATOR));
  }
  const cells = lines.join(SEPARATOR);
  // Any further separator is part of a cell.
  if (width === 0 || countSeparators(cells) !== rows.length * width - 1) return null;
  const isClaimed = rows.every(({ claim }) => claim.kind === 'claimed');
  const hasContents = rows.some(({ rowContent }) => rowContent !== undefined);
  const hasAccounts = rows.some(({ accounts }) => accounts !== undefined);
  return {
    places,
    width,
    cells,
    ...(!isClaimed && { claims: rows.map(({ claim }) => claim) }),
    ...(hasContents && { rowContents: rows.map(({ rowContent = null }) => rowContent) }),
    ...(hasAccounts && { accounts: rows.map(({ accounts: claimed = null }) => claimed) }),
  };
}

function isPlain(row: Row): row is CellsRow {
  return row.kind === 'cells' && row.typed === undefined;
}

function countSeparators(text: string): number {
  let count = 0;
  for (let at = text.indexOf(SEPARATOR); at !== -1; at = text.indexOf(SEPARATOR, at + 1)) count += 1;
  return count;
}

function unpackRows(
  { places, width, cells, claims, rowContents, accounts }: PackedRows,
  context: z.RefinementCtx,
): JobRow[] {
  const all = cells.split(SEPARATOR);
  const count = places.length / 2;
  const isWhole =
    all.length === count * width &&
    [claims, rowContents, accounts].every((of) => of === undefined || of.length >= count);
  if (!isWhole) {
    context.addIssue({
      code: 'custom',
      message: `expected ${count} rows of ${width} cells with their claims, contents and accounts`,
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
    ...(rowContents?.[i] && { rowContent: rowContents[i] }),
    ...(accounts?.[i] && { accounts: accounts[i] }),
  }));
}

function arePlaces(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.length % 2 === 0 && value.every(isPlace);
}

function isPlace(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
