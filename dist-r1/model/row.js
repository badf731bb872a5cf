/** Rows: the records of a file as they were read, before any mapping. */
import { z } from 'zod';
const place = {
    /** 1 = the file's first record. */
    row: z.number().int().positive(),
    /** The line of the file on which the record starts, 1 = first. */
    line: z.number().int().positive(),
};
/** One record of a file as it was read: a table's cells in header order, or the raw text of one JSON object. */
export const rowSchema = z.discriminatedUnion('kind', [
    z.object({
        kind: z.literal('cells'),
        ...place,
        cells: z.array(z.string()),
        /** Workbooks and their report files: the positions of cells that hold a number, which may have lost zeros or digits. */
        numeric: z.array(z.number().int().nonnegative()).optional(),
        /**
         * Workbooks and their report files: the positions of numbers in plain notation, dates in ISO 8601, `true` and `false`,
         * which are read as such whatever signs and patterns the definition gives for text.
         */
        typed: z.array(z.number().int().nonnegative()).optional(),
    }),
    z.object({ kind: z.literal('record'), ...place, text: z.string() }),
    z.object({
        kind: z.literal('unreadable'),
        ...place,
        /** The record's text as it stands in the file, bounded by the reader. */
        text: z.string(),
        /** What was wrong and what was expected; no cell values. */
        problem: z.string(),
    }),
]);
//# sourceMappingURL=row.js.map