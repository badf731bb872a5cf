/**
 * The settings of the checks for what looks damaged or wrong in a file (`checks` of a job definition): one for each check,
 * with the default that holds where a definition says nothing.
 */
import { z } from 'zod';
import { type CheckCode, type FileCheckCode, type Severity, severitySchema } from '../model/issue.ts';

export const checksSchema = z
  .strictObject({
    scientific_notation: accountSeverity(
      'An identifier or key in scientific notation, such as 1.23457E+11: digits are lost.',
    ),
    spreadsheet_error: accountSeverity(
      'What a spreadsheet shows in place of a value, such as #REF!, #N/A or ####.',
    ),
    lost_leading_zero: severity(
      'A sort code, account number, routing number, bank code, CNAPS code or post code that is short of the zeros it begins with.',
    ),
    iban_invalid: accountSeverity(
      "An IBAN whose length, characters or check digits its country doesn't allow.",
    ),
    bic_invalid: accountSeverity('A BIC that is not built as ISO 9362 says.'),
    sort_code_invalid: accountSeverity('A UK sort code that is not six digits.'),
    routing_number_invalid: accountSeverity(
      "A routing number of the United States that is not nine digits, or whose check digit doesn't fit.",
    ),
    mojibake: accountSeverity(
      'Text that was read in a wrong encoding before it came here, such as Ã© for é.',
    ),
    // Only a column with a pattern has such dates, and the pattern says which day is meant.
    ambiguous_date: severity('A date that is another day with day and month the other way round.', 'off'),
    // A number can have lost zeros or digits: as a key it would be another record's.
    number_cell: severity(
      'A cell of a workbook that holds a number where an identifier or a key is meant.',
      'error',
    ),
    totals_row: severity(
      'A line at the end of a table that adds up or counts the rows above it, such as Total or Summe.',
      'error',
    ),
    key_lookalike: severity(
      'A key that differs from another one in white space, invisible signs or forms of the same character only.',
      'error',
    ),
    key_case: severity('A key that differs from another one in capital and small letters only.'),
  } satisfies Record<CheckCode | FileCheckCode, z.ZodType>)
  .describe('What looks damaged or wrong counts as: off, warn (sent all the same) or error (not sent).');

function severity(description: string, unlessSet: Severity = 'warn'): z.ZodDefault<typeof severitySchema> {
  return severitySchema.default(unlessSet).describe(description);
}

/** Money goes where an account says: damage there keeps the row back unless the definition says otherwise. */
function accountSeverity(description: string): z.ZodOptional<typeof severitySchema> {
  return severitySchema
    .optional()
    .describe(`${description} Left out, it is error in accounts.* and warn elsewhere.`);
}
