import { change } from './mistakes.mjs';
import { inventAccountRow, key } from './records.mjs';

const ACCOUNTS_CSV = {
  file: 'custom-accounts.csv',
  job: 'example-custom',
  format: { type: 'csv', delimiter: ',', eol: '\n', bom: false },
  rows: 20,
  success: 'created',
  record: (random, row) => {
    const account = inventAccountRow(random, { payee: '', owner: '', isFirst: true });
    return {
      'Account Ref': key('ACC', row),
      'Counterparty Id': `cpty-${String(Math.ceil(row / 2)).padStart(4, '0')}`,
      IBAN: account['accounts.0.iban'],
      BIC: account['accounts.0.bic_swift'],
      Currencies: account['accounts.0.currencies'],
      Beneficiary: 'yes',
    };
  },
  mistakes: [
    change(4, 'invalid', 'no counterparty for the path', 'Counterparty Id', ''),
    change(9, 'created', 'an id with a slash and a space', 'Counterparty Id', 'cpty 5/b'),
    change(12, 'invalid', 'no IBAN', 'IBAN', ''),
    change(15, 'invalid', 'dots for an id', 'Counterparty Id', '..'),
    change(18, 'invalid', 'the key of row 17 again', 'Account Ref', key('ACC', 17)),
  ],
};

/** Every sample of an operation that a job definition describes itself. */
export const CUSTOM_SAMPLES = [ACCOUNTS_CSV];
