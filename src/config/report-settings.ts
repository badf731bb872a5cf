/**
 * What a job definition lets report.html show. It is read, printed and sent on by more people than the files beside it, so that cells
 * stand in it only where the definition names their column, and keys can be hidden.
 */
import { z } from 'zod';

/** More would not fit beside each other, nor keep the page below its size. */
const MOST_COLUMNS = 5;

export const reportSettingsSchema = z.strictObject({
  show: z
    .array(z.string().min(1).describe('A column of the file, as its header names it.'))
    .max(MOST_COLUMNS)
    .default([])
    .describe('Columns whose cells `report.html` may show beside the rows that it names; by default none.'),
  keys: z
    .enum(['shown', 'hidden'])
    .default('shown')
    .describe('Whether `report.html`, and the page to a viewer, shows keys, or the numbers of rows alone.'),
});
