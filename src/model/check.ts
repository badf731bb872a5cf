import { z } from 'zod';

/** How a finding about damaged data counts: not at all, as a warning on a row that is sent, or as an issue that keeps it from being sent. */
export const SEVERITIES = ['off', 'warn', 'error'] as const;
export const severitySchema = z.enum(SEVERITIES);
export type Severity = z.infer<typeof severitySchema>;

/** What a cell that was damaged on its way looks like, and how it counts unless the definition's `checks` say otherwise. */
export const CHECKS = {
  scientific_notation: 'warn',
  spreadsheet_error: 'warn',
  lost_leading_zero: 'warn',
  iban_invalid: 'warn',
  bic_invalid: 'warn',
  sort_code_invalid: 'warn',
  routing_number_invalid: 'warn',
  mojibake: 'warn',
  ambiguous_date: 'warn',
  // A number can have lost leading zeros or its last digits: as a key it would be another record's.
  number_cell: 'error',
} as const satisfies Readonly<Record<string, Severity>>;

export const CHECK_CODES = [
  'scientific_notation',
  'spreadsheet_error',
  'lost_leading_zero',
  'iban_invalid',
  'bic_invalid',
  'sort_code_invalid',
  'routing_number_invalid',
  'mojibake',
  'ambiguous_date',
  'number_cell',
] as const satisfies readonly (keyof typeof CHECKS)[];
export const checkCodeSchema = z.enum(CHECK_CODES);
export type CheckCode = z.infer<typeof checkCodeSchema>;
