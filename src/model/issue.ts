/**
 * Issues: what is wrong with one row, so that it is not sent, or as a warning what looks wrong in a row that is sent.
 * Here stand the codes of all issues, those of the checks for damaged cells among them.
 */
import { z } from 'zod';

/** How a finding about damaged data counts: not at all, as a warning on a row that is sent, or as an issue that keeps it from being sent. */
export const severitySchema = z.enum(['off', 'warn', 'error']);
export type Severity = z.infer<typeof severitySchema>;

/** The checks for cells that were damaged on their way. */
export const CHECK_CODES = [
  'scientific_notation',
  'spreadsheet_error',
  'lost_leading_zero',
  'iban_invalid',
  'bic_invalid',
  'sort_code_invalid',
  'routing_number_invalid',
  'mojibake',
  'number_cell',
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** The checks that only a look at more than one row can make. */
export const FILE_CHECK_CODES = ['totals_row', 'key_lookalike', 'key_case'] as const;
export type FileCheckCode = (typeof FILE_CHECK_CODES)[number];

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
    'group_apart',
    'group_differs',
    'reference_unknown',
    'reference_in_doubt',
    ...CHECK_CODES,
    ...FILE_CHECK_CODES,
  ]),
});
export type Issue = z.infer<typeof issueSchema>;

/** What a look at more than one row found at one of them; it stays with the row, since the row alone doesn't tell it. */
export const rowFindingSchema = issueSchema
  .pick({ column: true, value: true, expected: true })
  .extend({ code: z.enum(FILE_CHECK_CODES) });
export type RowFinding = z.infer<typeof rowFindingSchema>;

/** What is expected of a row that can't be read because of that problem. */
export function expectedReadable(problem: string): string {
  return `${READABLE}${problem}`;
}

const READABLE = 'a readable row: ';

/** The problem of a row that can't be read, from the issue in words; `null` where that is about something else. */
export function problemIn(description: string): string | null {
  const start = `expected ${READABLE}`;
  return description.startsWith(start) ? description.slice(start.length) : null;
}

/** The issue in words, without the cell's value, so that it may stand in any report file or log. */
export function describeIssue(issue: Pick<Issue, 'column' | 'expected'>): string {
  return `${issue.column === null ? '' : `column "${issue.column}": `}expected ${issue.expected}`;
}

/** The column that a description names first; `null`: none. */
export function describedColumn(description: string): string | null {
  return /^column "(.*?)": expected /s.exec(description)?.[1] ?? null;
}
