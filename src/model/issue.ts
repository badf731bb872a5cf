import { z } from 'zod';
import { CHECK_CODES } from './check.ts';

/**
 * Something about one row that keeps it from being sent, or, as a warning, is worth a look.
 * `value` is the cell as it stands: personal data, so it goes into previews and `check`, never into logs or results.csv.
 */
export const issueSchema = z.object({
  row: z.number().int().positive(),
  line: z.number().int().positive(),
  column: z.string().nullable(),
  value: z.string().nullable(),
  expected: z.string(),
  code: z.enum([
    'unreadable_row',
    'cell_not_convertible',
    'missing_required',
    'empty_key',
    'empty_row',
    'duplicate_key',
    'key_known',
    'key_held',
    'key_in_doubt',
    'bad_path_id',
    'conflicting_columns',
    'row_in_doubt',
    'group_conflict',
    'group_member',
    'group_too_large',
    'reference_unknown',
    'reference_in_doubt',
    ...CHECK_CODES,
  ]),
});
export type Issue = z.infer<typeof issueSchema>;

/** The issue in words, without the cell's value, so that it may stand in any report file or log. */
export function describeIssue(issue: Issue): string {
  return `${issue.column === null ? '' : `column "${issue.column}": `}expected ${issue.expected}`;
}
