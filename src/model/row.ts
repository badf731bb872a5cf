/** Records of a file as they were read, before any mapping. */
import { z } from 'zod';

const place = {
  /** 1 = the file's first record. */
  row: z.number().int().positive(),
  /** The line on which the record starts, 1 = first. */
  line: z.number().int().positive(),
};

const positions = z.array(z.number().int().nonnegative()).optional();

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
    typed: positions,
  }),
  z.object({ kind: z.literal('record'), ...place, text: z.string() }),
  z.object({
    kind: z.literal('unreadable'),
    ...place,
    /** As it stands in the file, bounded by the reader. */
    text: z.string(),
    /** What was wrong and what was expected; no cell values. */
    problem: z.string(),
    /** In a report file: what it says of the row, as intake/origins.ts reads it. */
    said: z.array(z.string()).optional(),
  }),
]);
export type Row = z.infer<typeof rowSchema>;
export type CellsRow = Extract<Row, { kind: 'cells' }>;
export type RecordRow = Extract<Row, { kind: 'record' }>;
export type UnreadRow = Extract<Row, { kind: 'unreadable' }>;
