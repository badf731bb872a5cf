/**
 * What is wrong with one row, so that it is not sent, or, as a warning, what looks wrong in a row
 * that is sent. All codes are here, those of the checks for damaged cells too.
 */
import { z } from 'zod';

export const severitySchema = z.enum(['off', 'warn', 'error']);
export type Severity = z.infer<typeof severitySchema>;

export const CHECK_CODES = [
  'scientific_notation',
  'spreadsheet_error',
  'rendering',
  'lost_leading_zero',
  'iban_invalid',
  'bic_invalid',
  'sort_code_invalid',
  'routing_number_invalid',
  'account_implausible',
  'value_implausible',
  'word_for_nothing',
  'unseen_sign',
  'mojibake',
  'number_cell',
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** What the names in braces of a sentence stand for: rows, runs, keys. Causes are told without. */
export const valuesSchema = z.record(z.string(), z.string());
export type Values = Readonly<z.infer<typeof valuesSchema>>;

/** Settings of a field that read a file's dates, numbers or lists. */
const writtenAsSchema = z.object({
  pattern: z.string().optional(),
  decimal: z.enum(['.', ',']).optional(),
  separator: z.string().optional(),
});

export type WrittenAs = z.infer<typeof writtenAsSchema>;

const SENT_CODES = ['account_shared', 'payee_repeated'];

/** Warnings of rows that were sent although another row has their account. */
export const OF_SENT: ReadonlySet<string> = new Set(SENT_CODES);

/** What a row says beside what is known of records. */
export const OF_CONTENT: ReadonlySet<string> = new Set<Issue['code']>([
  'changed_not_sent',
  'emptied_not_sent',
  'account_changed',
  'account_added',
  'account_not_known',
  'account_shared',
  'payee_repeated',
]);

/** Where more rows differ, they are no single mistakes: the file is written so. */
export function mostMistakes(rows: number): number {
  return Math.max(1, rows * 0.1);
}

/** `value` is the cell, personal data: never in a log or in results.csv. */
const issueSchema = z.object({
  row: z.number().int().positive(),
  line: z.number().int().positive(),
  column: z.string().nullable(),
  value: z.string().nullable(),
  /** What would have been right; names in braces are those of `values`. */
  expected: z.string(),
  values: valuesSchema.optional(),
  /** Any of these settings of its field would read the cell. */
  settings: z.array(writtenAsSchema).readonly().optional(),
  code: z.enum([
    'unreadable_row',
    'cell_not_convertible',
    'missing_required',
    'empty_key',
    'empty_row',
    'totals_row',
    'describes_columns',
    'duplicate_key',
    'same_row',
    'key_alike',
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
    'changed_not_sent',
    'emptied_not_sent',
    'account_changed',
    'account_added',
    'account_not_known',
    'account_shared',
    'payee_repeated',
    'plan_differs',
    'rule_broken',
    'reference_unknown',
    'reference_in_doubt',
    ...CHECK_CODES,
  ]),
});
export type Issue = z.infer<typeof issueSchema>;

/** What is kept once the row has ended: nothing of its cell. */
export const keptIssueSchema = issueSchema.omit({ row: true, line: true, value: true });
export type KeptIssue = z.infer<typeof keptIssueSchema>;

export function keptIssue({ row: _, line: _line, value: _value, ...kept }: Issue): KeptIssue {
  return kept;
}

/**
 * A cell that looks damaged and is right: somebody has said so of a run's row, for the check of
 * that code. The cell by its digest: whatever stands there otherwise is looked at as ever.
 */
export const rightCellSchema = z.tuple([z.number().int().positive(), z.enum(CHECK_CODES), z.string()]);
export type RightCell = z.infer<typeof rightCellSchema>;

/** Of a finding that would keep its row from being sent: whether it only warns. */
export type IsRight = (found: Pick<Issue, 'row' | 'code' | 'value'>) => boolean;

export const NOTHING_IS_RIGHT: IsRight = () => false;

type DigestOf = (text: string, length: number) => string;

/** 128 bits. */
const CELL_CHARACTERS = 22;

export function rightCell(row: number, code: CheckCode, cell: string, digest: DigestOf): RightCell {
  return [row, code, digest(`cell ${cell}`, CELL_CHARACTERS)];
}

export function isRightIn(cells: readonly RightCell[], digest: DigestOf): IsRight {
  if (cells.length === 0) return NOTHING_IS_RIGHT;
  const known = new Set(cells.map((cell) => cell.join(' ')));
  return ({ row, code, value }) => {
    const [check] = CHECK_CODES.filter((one) => one === code);
    return check !== undefined && known.has(rightCell(row, check, value ?? '', digest).join(' '));
  };
}
