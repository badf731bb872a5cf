/**
 * Files as public bug reports of this kind of program describe them (all data made up), and what is
 * told of each: how many rows can be sent, what keeps rows back, and after ~ what is warned of.
 * Whom the same payee or account concerns under another key, the ledger has to say.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Checked } from '../../src/runs/check/findings.ts';
import { onboard } from '../faces/cli/memory-io.ts';
import { filesBelow, ROOT } from '../house/source-files.ts';
import { ownFolder } from '../support/folder.ts';

const SUBCLIENTS = 'subclients-create';
const PAYEES = 'counterparty-drafts';
/** A job that `map` proposes. */
const MAPPED = 'subclient.create';

const DATE = 'kyc.details.incorporationDate';
const ACCOUNT = 'accounts.0.accountNumber';

const FILES: readonly (readonly [string, string, ...string[]])[] = [
  ['01-header-again.csv', SUBCLIENTS, '3 sent', '1 unreadable_row null'],
  ['02b-type-and-example-rows.csv', SUBCLIENTS, '1 sent', '3 describes_columns null'],
  [
    '03-pandas-floats.csv',
    SUBCLIENTS,
    '3 sent',
    '~3 rendering externalId',
    '~3 rendering addresses.primary.buildingNumber',
    '~3 word_for_nothing addresses.primary.streetName',
  ],
  ['04-countries.csv', SUBCLIENTS, '25 sent', '8 cell_not_convertible addresses.primary.country'],
  ['05-dates-half-swapped.xlsx', SUBCLIENTS, '0 sent', `7 cell_not_convertible ${DATE}`],
  ['05-dates-half-swapped.xlsx', MAPPED, '7 sent'],
  ['05d-mixed-but-right.xlsx', MAPPED, '4 sent'],
  ['05f-all-ambiguous.csv', MAPPED, '3 sent'],
  ['05h-two-digit-years.csv', MAPPED, '2 sent'],
  ['06-furigana.xlsx', SUBCLIENTS, '2 sent'],
  ['09-cover-sheet.xlsx', SUBCLIENTS, 'sheet "Customers UK", "Customers DE" has them'],
  ['12-dates.csv', SUBCLIENTS, '6 sent', `22 cell_not_convertible ${DATE}`, `~4 value_implausible ${DATE}`],
  [
    '13-lists.csv',
    PAYEES,
    '4 sent',
    '7 cell_not_convertible currencies',
    '4 cell_not_convertible accounts.0.currencies',
    '1 account_implausible currencies',
    '1 rendering accounts.0.currencies',
    '~4 account_shared',
  ],
  ['14-state-status.csv', PAYEES, '2 sent', 'Not sent: "state", "status", "id"'],
  [
    '15-blank-key-continuation.csv',
    'counterparty-accounts',
    '0 sent',
    '2 group_member null',
    '1 empty_key externalId',
  ],
  ['23-row-number-key-monday.csv', MAPPED, '3 sent'],
  ['23-row-number-key-tuesday.csv', MAPPED, '4 sent'],
  ['24a-trailing-comma-rows.csv', SUBCLIENTS, '0 sent', '2 unreadable_row null', 'The delimiter was taken'],
  ['24c-excel-16-row-blocks.csv', SUBCLIENTS, 'set format.short: pad'],
  ['24d-smart-quotes.csv', SUBCLIENTS, '1 sent', '1 unreadable_row null'],
  [
    '24e-text-apostrophes.csv',
    SUBCLIENTS,
    '3 sent',
    '~3 rendering externalId',
    '~2 rendering addresses.primary.streetName',
    '~1 rendering details.name',
  ],
  ['24j-lines-in-quotes.csv', SUBCLIENTS, 'the whole line is one cell, since quotes stand around it'],
  ['25j-pgp.csv.pgp', PAYEES, 'is encrypted or signed (PGP'],
  ['26b-nfd-keys.csv', SUBCLIENTS, '3 sent', '3 key_alike externalId', '~1 unseen_sign externalId'],
  [
    '26d-payee-invisible.csv',
    PAYEES,
    '1 sent',
    `3 account_implausible ${ACCOUNT}`,
    '3 bic_invalid accounts.0.bic_swift',
    '2 iban_invalid accounts.0.iban',
    '1 sort_code_invalid accounts.0.sortCodeUK',
    '~1 account_shared',
  ],
  [
    '28-account-invisible.csv',
    PAYEES,
    '0 sent',
    `20 account_implausible ${ACCOUNT}`,
    '2 sort_code_invalid accounts.0.sortCodeUK',
  ],
  ['29a-group-header.csv', MAPPED, 'set format.header: 2'],
  ['29b-unit-line.csv', MAPPED, '2 sent', '1 describes_columns null'],
  ['29d-label-line.csv', SUBCLIENTS, '1 sent', '1 describes_columns null'],
  ['30-own-template-counterparties.csv', PAYEES, '1 sent', '1 describes_columns null'],
  ['31-bank-names-as-bic.csv', PAYEES, '5 sent', '13 bic_invalid accounts.0.bic_swift'],
  ['33a-same-payee-two-keys.csv', PAYEES, '4 sent', '~2 payee_repeated'],
  ['34-changed-monday.csv', PAYEES, '1 sent'],
  ['34-changed-tuesday.csv', PAYEES, '1 sent'],
  ['36a-blank-lines-first.csv', SUBCLIENTS, '1 sent'],
  [
    '38-placeholders.csv',
    SUBCLIENTS,
    '33 sent',
    ...['~28 word_for_nothing', '~2 spreadsheet_error', '~2 rendering'].flatMap((found) =>
      ['details.vatNumber', 'addresses.primary.streetName', 'internalInformation.notes'].map(
        (column) => `${found} ${column}`,
      ),
    ),
  ],
  [
    '39-object-object.csv',
    PAYEES,
    '6 sent',
    `1 rendering ${ACCOUNT}`,
    '~4 rendering address1',
    '~3 rendering name',
    '~3 payee_repeated',
    '~2 account_shared',
    '~1 rendering email',
    '~1 word_for_nothing email',
  ],
  [
    '41-padded-cells.csv',
    MAPPED,
    '2 sent',
    ...['name', 'address.address1', 'address.city', 'address.state', 'address.zip'].map(
      (column) => `~2 unseen_sign ${column}`,
    ),
  ],
  ['42-keys-monday.csv', SUBCLIENTS, '3 sent'],
  ['42-keys-tuesday-through-pandas.csv', SUBCLIENTS, '3 sent', '~3 rendering externalId'],
];

test.each(FILES)('%s by %s', async (file, job, ...expected) => {
  const told = await toldOf(join(ROOT, 'test', 'samples', 'field', file), job);
  expect(told).toEqual(expected.map((line) => expect.stringContaining(line)));
});

test('every file has its line', () => {
  expect([...new Set(FILES.map(([file]) => file))].toSorted()).toEqual(filesBelow('test/samples/field'));
});

async function toldOf(path: string, job: string): Promise<readonly string[]> {
  const home = await ownFolder();
  const env = { ONBOARD_HOME: home, ONBOARD_JOBS: join(ROOT, 'jobs') };
  const own = join(home, 'job.yaml');
  const mapped = job === MAPPED ? await onboard(['map', path, '--operation', job, '--out', own], env) : null;
  if (mapped !== null && mapped.exitCode !== 0) return [mapped.stderr];
  const of = mapped === null ? [job] : ['--job-file', own];
  const { exitCode, stdout, stderr } = await onboard(['check', ...of, path, '--json', '--sandbox'], env);
  if (exitCode === 3) return [stderr];
  const { sendable, causes, warnings, notes }: Checked = JSON.parse(stdout);
  return [
    `${sendable} sent`,
    ...causes.map(({ count, code, column }) => `${count} ${code} ${column}`),
    ...warnings.map(({ count, code, column }) => `~${count} ${code} ${column}`),
    ...notes,
  ];
}
