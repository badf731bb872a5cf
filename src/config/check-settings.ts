import { z } from 'zod';
import { CHECKS, type CheckCode, severitySchema } from '../model/issue.ts';

/** What cells that look damaged count as (the setting `checks`). */
export const checksSchema = z
  .strictObject({
    scientific_notation: severity(
      'scientific_notation',
      'An identifier or key in scientific notation, such as 1.23457E+11: digits are lost.',
    ),
    spreadsheet_error: severity(
      'spreadsheet_error',
      'What a spreadsheet shows in place of a value, such as #REF!, #N/A or ####.',
    ),
    lost_leading_zero: severity(
      'lost_leading_zero',
      'A sort code, account number, routing number, bank code, CNAPS code or post code that is short of the zeros it begins with.',
    ),
    iban_invalid: severity(
      'iban_invalid',
      "An IBAN whose length, characters or check digits its country doesn't allow.",
    ),
    bic_invalid: severity('bic_invalid', 'A BIC that is not built as ISO 9362 says.'),
    sort_code_invalid: severity('sort_code_invalid', 'A UK sort code that is not six digits.'),
    routing_number_invalid: severity(
      'routing_number_invalid',
      "A routing number of the United States that is not nine digits, or whose check digit doesn't fit.",
    ),
    mojibake: severity(
      'mojibake',
      'Text that was read in a wrong encoding before it came here, such as Ã© for é.',
    ),
    ambiguous_date: severity(
      'ambiguous_date',
      'A date that is another day with day and month the other way round.',
    ),
    number_cell: severity(
      'number_cell',
      'A cell of a workbook that holds a number where an identifier or a key is meant.',
    ),
  } satisfies Record<CheckCode, z.ZodType>)
  .describe('What cells that look damaged count as: off, warn (sent all the same) or error (not sent).');

function severity(code: CheckCode, description: string): z.ZodDefault<typeof severitySchema> {
  return severitySchema.default(CHECKS[code]).describe(description);
}
