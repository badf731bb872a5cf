/** Records of a file as they were read, before any mapping. */
import { z } from 'zod';
import { type RowFinding, rowFindingSchema } from './issue.ts';

const place = {
  /** 1 = the file's first record. */
  row: z.number().int().positive(),
  /** The line on which the record starts, 1 = first. */
  line: z.number().int().positive(),
};

const findings = z.array(rowFindingSchema).optional();

/** A table's cells in header order, or the raw text of one JSON object. */
export const rowSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('cells'),
    ...place,
    cells: z.array(z.string()),
    /**
     * In workbooks and their report files: positions of plain numbers, ISO 8601 dates, `true` and
     * `false`, which the definition's signs and patterns for text don't apply to. As an identifier
     * each may be another than was meant.
     */
    typed: z.array(z.number().int().nonnegative()).optional(),
    /** Needs the file or the ledger to be found. */
    findings,
  }),
  z.object({ kind: z.literal('record'), ...place, text: z.string(), findings }),
  z.object({
    kind: z.literal('unreadable'),
    ...place,
    /** As it stands in the file, bounded by the reader. */
    text: z.string(),
    /** What was wrong and what was expected; no cell values. */
    problem: z.string(),
  }),
]);
export type Row = z.infer<typeof rowSchema>;
export type CellsRow = Extract<Row, { kind: 'cells' }>;
export type RecordRow = Extract<Row, { kind: 'record' }>;

/** Replaces earlier findings of the same checks. */
export function withFindings(
  row: Row,
  codes: readonly RowFinding['code'][],
  found: readonly RowFinding[],
): Row {
  if (row.kind === 'unreadable' || (found.length === 0 && row.findings === undefined)) return row;
  const others = row.findings?.filter(({ code }) => !codes.includes(code)) ?? [];
  const { findings: _, ...plain } = row;
  const all = [...others, ...found];
  return all.length === 0 ? plain : { ...plain, findings: all };
}
