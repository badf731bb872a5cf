import { z } from 'zod';
import { REPORT_TYPED_COLUMN } from '../model/source.ts';

const listSchema = z.array(z.string());

/** What is wrong with a row whose list of typed cells was changed. */
export const NOT_TYPED = `column "${REPORT_TYPED_COLUMN}": expected it as the report file had it; restore it, or empty it where its cells are written as the job definition reads text`;

/** The positions of the cells that a report file says were typed in its workbook; `null` where that can't be told. */
export function typedInReport(
  cells: readonly string[],
  columns: readonly string[],
): readonly number[] | null {
  const listed = cells[columns.indexOf(REPORT_TYPED_COLUMN)] ?? '';
  if (listed === '') return [];
  const names = namesIn(listed);
  const positions = names.map((name) => columns.indexOf(name));
  return names.length === 0 || positions.includes(-1) ? null : positions;
}

function namesIn(listed: string): readonly string[] {
  try {
    return listSchema.safeParse(JSON.parse(listed)).data ?? [];
  } catch {
    return [];
  }
}
