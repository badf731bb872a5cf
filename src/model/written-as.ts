/** How a file writes dates or numbers: the settings of a field by which they are read. */
import { z } from 'zod';

export const writtenAsSchema = z.object({
  pattern: z.string().optional(),
  decimal: z.enum(['.', ',']).optional(),
});

export type WrittenAs = z.infer<typeof writtenAsSchema>;

/** The pattern that also reads days and months of one digit. */
export function lenient(pattern = ''): string {
  return pattern.replace('dd', 'd').replace('MM', 'M');
}

/** The most rows that may be single mistakes; where more rows differ, the file is written so. */
export function mostMistakes(rows: number): number {
  return Math.max(1, rows * 0.1);
}
