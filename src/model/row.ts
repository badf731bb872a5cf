/** Rows: the records of a file as they were read, before any mapping. */
import { z } from 'zod';

const place = {
  /** 1 = the file's first record. */
  row: z.number().int().positive(),
  /** The line of the file on which the record starts, 1 = first. */
  line: z.number().int().positive(),
};

const positions = z.array(z.number().int().nonnegative()).optional();

/** A table's cells in header order, or the raw text of one JSON object. */
export const rowSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('cells'),
    ...place,
    cells: z.array(z.string()),
    /** The positions of a workbook's numbers, which may have lost zeros or digits. */
    numeric: positions,
    /**
     * Workbooks and their report files: the positions of numbers in plain notation, dates in ISO
     * 8601, `true` and `false`, which are read as such whatever signs and patterns the definition
     * gives for text.
     */
    typed: positions,
  }),
  z.object({ kind: z.literal('record'), ...place, text: z.string() }),
  z.object({
    kind: z.literal('unreadable'),
    ...place,
    /** The record's text as it stands in the file, bounded by the reader. */
    text: z.string(),
    /** What was wrong and what was expected; no cell values. */
    problem: z.string(),
    /** A table's cells as far as they are sure, `null` for one that is damaged. */
    cells: z.array(z.string().nullable()).optional(),
    /** As in a row of cells. */
    numeric: positions,
    typed: positions,
  }),
]);
export type Row = z.infer<typeof rowSchema>;
export type CellsRow = Extract<Row, { kind: 'cells' }>;
export type UnreadableRow = Extract<Row, { kind: 'unreadable' }>;
export type RecordRow = Extract<Row, { kind: 'record' }>;
