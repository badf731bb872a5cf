import { spoilIban } from './invent.mjs';
import { alter, change, damage } from './mistakes.mjs';
import { inventAccountRow, inventDraft, key } from './records.mjs';

const CSV = { type: 'csv', delimiter: ',', eol: '\n', bom: false };
const IBAN = 'accounts.0.iban';

const DRAFTS_CSV = {
  file: 'counterparty-drafts.csv',
  job: 'counterparty-drafts',
  format: CSV,
  rows: 150,
  success: 'drafted',
  record: (random, row) => inventDraft(random, key('PAYEE', row)),
  mistakes: [
    ...[7, 29, 63, 98, 121].map((row) =>
      alter(row, 'invalid', 'an IBAN with a wrong digit', IBAN, spoilIban),
    ),
    ...[15, 72].map(nameless),
    change(22, 'invalid', '"ja" for a boolean', 'isBeneficiary', 'ja'),
    change(
      36,
      'invalid',
      'an account number that a spreadsheet made a power',
      'accounts.1.accountNumber',
      '1.23457E+11',
    ),
    change(44, 'rejected', 'a mail address without @', 'email', 'accounts at example.com'),
    change(51, 'rejected', 'a currency of four letters', 'currencies', ['EURO']),
    change(58, 'drafted', 'currencies in one cell, spaces between', 'currencies', ['EUR', ' GBP', ' USD']),
    damage(80, 'invalid', 'a comma in a street without quotes', (line) => line.replace(' Row', ' Row, rear')),
    change(91, 'invalid', 'the key of row 90 again', 'externalId', key('PAYEE', 90)),
    change(104, 'invalid', 'no key', 'externalId', ''),
    onlySecondAccount(110),
    change(
      133,
      'drafted',
      'a line break in an address',
      'address.streetName',
      'c/o The Porter\nMillrace Row',
    ),
    change(140, 'rejected', 'a currency sign', 'accounts.0.currencies', ['€']),
  ],
};

const DRAFTS_TSV = {
  file: 'counterparty-drafts.tsv',
  job: 'counterparty-drafts',
  format: { ...CSV, delimiter: '\t', eol: '\r\n', bom: true },
  rows: 50,
  success: 'drafted',
  record: (random, row) => inventDraft(random, key('TABBY', row)),
  mistakes: [
    damage(13, 'invalid', 'letters in windows-1252 in a file marked as UTF-8', (line) =>
      Buffer.from(line.replace(' Row', ' Allée'), 'latin1'),
    ),
    alter(20, 'invalid', 'an IBAN with a wrong digit', IBAN, spoilIban),
    nameless(31),
    // Below an empty line, so that the record before it stays whole.
    damage(42, 'invalid', 'one cell too few', (line) => `\n${line.slice(0, line.lastIndexOf('\t'))}`),
  ],
};

const DRAFTS_JSON = {
  file: 'counterparty-drafts.json',
  job: 'counterparty-drafts',
  format: { type: 'json' },
  rows: 60,
  success: 'drafted',
  record: (random, row) => inventDraft(random, key('JUNIPER', row)),
  mistakes: [
    alter(5, 'invalid', 'an IBAN with a wrong digit', IBAN, spoilIban),
    change(
      17,
      'invalid',
      'a number for an account number, which loses its zeros',
      'accounts.1.accountNumber',
      12345678,
    ),
    nameless(26),
    change(34, 'drafted', '"yes" for a boolean', 'isPayer', 'yes'),
    change(48, 'rejected', 'a mail address without @', 'email', 'nobody'),
    change(55, 'invalid', 'the key of row 54 again', 'externalId', key('JUNIPER', 54)),
  ],
};

/** Nothing is wrong with this one. */
const DRAFTS_NDJSON = {
  file: 'counterparty-drafts.ndjson',
  job: 'counterparty-drafts',
  format: { type: 'ndjson' },
  rows: 40,
  success: 'drafted',
  record: (random, row) => inventDraft(random, key('LINDEN', row)),
  mistakes: [],
};

const ACCOUNTS_CSV = {
  file: 'counterparty-accounts.csv',
  job: 'counterparty-accounts',
  before: ['subclients-create.csv'],
  format: CSV,
  rows: 40,
  success: 'drafted',
  record: (random, row) => inventAccountRow(random, placeOf(row)),
  mistakes: [
    ...pair(5, 'another name in the second row of a payee', (second) => ({
      ...second,
      name: 'Somebody Else',
    })),
    ...pair(13, 'an account of a payee with a damaged IBAN', (second) => ({
      ...second,
      [IBAN]: spoilIban(second[IBAN]),
    })),
    change(21, 'invalid', 'an owner that was never created', 'owner', 'NOBODY-00001'),
    change(22, 'invalid', 'the second account of that payee', 'owner', ''),
    change(29, 'rejected', 'a currency sign in one of two accounts', 'accounts.0.currencies', ['€']),
    change(30, 'rejected', 'the other account of that payee', 'owner', ''),
  ],
};

/** Two rows for each payee; the owners are the first rows of subclients-create.csv. */
function placeOf(row) {
  const number = Math.ceil(row / 2);
  return {
    payee: key('ACCOUNT', number),
    owner: key('ACME', 1 + (number % 8)),
    isFirst: row % 2 === 1,
  };
}

/** Both rows of a payee are invalid, since the second one is. */
function pair(row, note, edit) {
  return [
    { row, outcome: 'invalid', note, edit: (record) => record },
    { row: row + 1, outcome: 'invalid', note, edit },
  ];
}

function nameless(row) {
  return {
    row,
    outcome: 'rejected',
    note: 'no name at all',
    edit: (record) => ({ ...record, name: '', firstName: '', lastName: '' }),
  };
}

function onlySecondAccount(row) {
  return {
    row,
    outcome: 'drafted',
    note: 'the first account left empty, the second filled',
    edit: (record) => ({
      ...Object.fromEntries(
        Object.entries(record).map(([name, value]) => [name, name.startsWith('accounts.0.') ? '' : value]),
      ),
      'accounts.1.accountNumber': '0012345678',
      'accounts.1.currencies': ['USD'],
    }),
  };
}

/** Every sample of the counterparty operation. */
export const DRAFT_SAMPLES = [DRAFTS_CSV, DRAFTS_TSV, DRAFTS_JSON, DRAFTS_NDJSON, ACCOUNTS_CSV];
