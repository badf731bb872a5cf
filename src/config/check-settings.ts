/**
 * The settings of the checks for what looks damaged in a file (`checks` of a job definition), with
 * the defaults that hold where a definition says nothing, and which of them a finding belongs to.
 */
import { z } from 'zod';
import { type CheckCode, severitySchema } from '../model/issue.ts';

export const checksSchema = z
  .strictObject({
    accounts: severitySchema
      .optional()
      .describe(
        'An IBAN, BIC, UK sort code or US routing number that is not built as such a number is, or whose check digits do not fit. Left out, it is error in accounts.* and warn elsewhere.',
      ),
    damage: severitySchema
      .optional()
      .describe(
        'An identifier or key in scientific notation, what a spreadsheet shows in place of a value (#REF!, ####), text read in a wrong encoding, codes short of their leading zeros. Left out, it is error in accounts.*, and warn elsewhere and for lost zeros.',
      ),
    // A number can have lost zeros or digits: as a key it would be another record's.
    number_cell: severitySchema
      .default('error')
      .describe('A cell of a workbook that holds a number where an identifier or a key is meant.'),
  })
  .describe('What looks damaged counts as: off, warn (sent all the same) or error (not sent).');
export type CheckSettings = z.infer<typeof checksSchema>;

export const SETTING_OF: Readonly<Record<CheckCode, keyof CheckSettings>> = {
  iban_invalid: 'accounts',
  bic_invalid: 'accounts',
  sort_code_invalid: 'accounts',
  routing_number_invalid: 'accounts',
  scientific_notation: 'damage',
  spreadsheet_error: 'damage',
  lost_leading_zero: 'damage',
  mojibake: 'damage',
  number_cell: 'number_cell',
};
