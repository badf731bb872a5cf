/** Settings of a field that read a file's dates or numbers. */
import { z } from 'zod';

export const writtenAsSchema = z.object({
  pattern: z.string().optional(),
  decimal: z.enum(['.', ',']).optional(),
});

export type WrittenAs = z.infer<typeof writtenAsSchema>;

/** Also reads days and months of one digit. */
export function lenient(pattern = ''): string {
  return pattern.replace('dd', 'd').replace('MM', 'M');
}

/** Where more rows differ, they are no single mistakes: the file is written so. */
export function mostMistakes(rows: number): number {
  return Math.max(1, rows * 0.1);
}
