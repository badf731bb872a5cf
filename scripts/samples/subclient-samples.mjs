import { alter, change, damage, emptyRow } from './mistakes.mjs';
import {
  inventGermanRow,
  inventPartnerRow,
  inventSubclient,
  inventSubclientUpdate,
  key,
} from './records.mjs';

const CSV = { type: 'csv', delimiter: ',', eol: '\n', bom: false };
const EXCEL = { type: 'csv', delimiter: ';', eol: '\r\n', bom: true };
const DATE = 'kyc.details.incorporationDate';
const COUNTRY = 'addresses.primary.country';
const NOTES = 'internalInformation.notes';

const CREATE_CSV = {
  file: 'subclients-create.csv',
  job: 'subclients-create',
  format: CSV,
  rows: 120,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('ACME', row)),
  mistakes: [
    change(9, 'invalid', 'no legal name', 'details.name', ''),
    change(17, 'invalid', '31 February', DATE, '2019-02-31'),
    change(18, 'invalid', 'a date that is not ISO 8601', DATE, '31/12/2019'),
    change(23, 'invalid', 'the key of row 5 again', 'externalId', key('ACME', 5)),
    // Between empty lines, so that the records beside it stay whole.
    damage(31, 'invalid', 'two cells too few', (line) => `\n${line.split(',').slice(0, -2).join(',')}\n`),
    damage(32, 'invalid', 'a comma in a name without quotes', (line) => line.replace(' ', ', ')),
    change(40, 'invalid', 'a decimal comma', 'kyc.details.monthlyVolumeAmount', '12500,50'),
    change(44, 'invalid', '"maybe" for a boolean', 'regulators.isRegulated', 'maybe'),
    change(51, 'created', 'line breaks in a cell', NOTES, 'Call first.\nThen write.\n\nThen wait.'),
    change(52, 'created', 'quotes and a comma in a name', 'details.name', 'Pinesward "The Kiln", Ltd'),
    change(60, 'invalid', 'no key', 'externalId', ''),
    damage(71, 'invalid', 'a quote inside a cell without quotes', (line) => line.replace(' ', ' "Old" ')),
    change(75, 'created', 'a country by its name', COUNTRY, 'Germany'),
    change(76, 'invalid', 'a country by a name that two share', COUNTRY, 'Congo'),
    change(80, 'created', '"Yes" for a boolean', 'regulators.isRegulated', 'Yes'),
    change(81, 'created', '"0" for a boolean', 'addresses.billingSameAsPrimary', '0'),
    change(88, 'invalid', 'half a payment', 'kyc.details.monthlyPaymentsCount', '12.5'),
    change(90, 'invalid', 'words for a number', 'kyc.details.monthlyPaymentsCount', 'about 200'),
    change(97, 'created', 'a name that a spreadsheet would run', 'details.name', '=Sum Total Ltd'),
    change(99, 'created', 'three letters that are no country: the service is the judge', COUNTRY, 'QQQ'),
    change(101, 'created', 'spaces around a name, which stay', 'details.name', '  Vexbury Optics Ltd '),
  ],
};

const CREATE_EXCEL = {
  file: 'subclients-create-excel.csv',
  job: 'subclients-create',
  format: EXCEL,
  rows: 60,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('BRAVO', row)),
  mistakes: [
    change(4, 'created', 'a line break in a cell', NOTES, 'Two signatures;\nboth needed'),
    change(12, 'invalid', 'a decimal comma', 'kyc.details.monthlyVolumeAmount', '8400,75'),
    change(13, 'invalid', 'a date with dots', DATE, '31.12.2019'),
    change(20, 'invalid', '"WAHR" for a boolean', 'regulators.isRegulated', 'WAHR'),
    change(21, 'created', '"TRUE" for a boolean', 'regulators.isRegulated', 'TRUE'),
    alter(35, 'created', 'one more leading zero in a tax number', 'details.taxId', (id) => `0${id}`),
    emptyRow(58, 'left out', 'a row of empty cells below the last record'),
    emptyRow(59, 'left out', 'a row of empty cells below the last record'),
    emptyRow(60, 'left out', 'a row of empty cells below the last record'),
  ],
};

const CREATE_JSON = {
  file: 'subclients-create.json',
  job: 'subclients-create',
  format: { type: 'json' },
  rows: 60,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('CEDAR', row)),
  mistakes: [
    change(6, 'invalid', 'null for the legal name', 'details.name', null),
    change(11, 'created', '"yes" for a boolean', 'regulators.isRegulated', 'yes'),
    change(12, 'created', 'an integer in quotes', 'kyc.details.monthlyPaymentsCount', '120'),
    change(14, 'created', 'a date-time with an offset', DATE, '2019-06-30T01:30:00+02:00'),
    change(19, 'invalid', 'a number for a tax number, which loses its zeros', 'details.taxId', 12345678),
    change(25, 'invalid', '30 February', DATE, '2020-02-30'),
    damage(30, 'invalid', 'a member twice', (text) => text.replace('{', '{ "externalId": "CEDAR-99999",')),
    damage(36, 'invalid', 'a number of twenty digits', (text) =>
      text.replace(/"monthlyVolumeAmount": [\d.]+/, '"monthlyVolumeAmount": 12345678901234567891'),
    ),
    damage(42, 'invalid', 'a string where a record belongs', () => '  "see next delivery"'),
    change(47, 'invalid', 'the key of row 3 again', 'externalId', key('CEDAR', 3)),
    change(53, 'invalid', 'no key', 'externalId', ''),
  ],
};

const CREATE_NDJSON = {
  file: 'subclients-create.ndjson',
  job: 'subclients-create',
  format: { type: 'ndjson' },
  rows: 40,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('DELTA', row)),
  mistakes: [
    damage(8, 'invalid', 'a record cut off', (text) => text.slice(0, 90)),
    damage(15, 'created', 'a blank line before the record', (text) => `\n${text}`),
    change(22, 'invalid', 'the key of row 21 again', 'externalId', key('DELTA', 21)),
    change(30, 'invalid', '"n/a" for a boolean', 'kyc.details.hasWebsite', 'n/a'),
  ],
};

/** The first sixty of subclients-create.csv as they should have been, and twelve new ones. */
const SECOND_DELIVERY = {
  file: 'subclients-create-second-delivery.csv',
  job: 'subclients-create',
  before: [CREATE_CSV.file],
  format: CSV,
  rows: 72,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('ACME', row <= 60 ? row : row + 1000)),
  mistakes: [...Array(60).keys()]
    .map((index) => index + 1)
    .filter(
      (row) => !CREATE_CSV.mistakes.some((mistake) => mistake.row === row && mistake.outcome === 'invalid'),
    )
    .map((row) => ({ row, outcome: 'skipped', note: 'created by the first delivery' })),
};

const UPDATE_CSV = {
  file: 'subclients-update.csv',
  job: 'subclients-update',
  format: CSV,
  rows: 100,
  success: 'updated',
  record: (random, row) => inventSubclientUpdate(random, subclientId(row)),
  mistakes: [
    change(10, 'failed', 'an id that the service does not know', 'id', 'sub-9010'),
    change(25, 'failed', 'a space before the id', 'id', ' sub-0025'),
    change(33, 'invalid', 'a decimal comma', 'kyc.details.monthlyVolumeAmount', '990,10'),
    change(34, 'updated', 'quotes in a name', 'details.displayName', 'Wrenfold "North" Ltd'),
    change(50, 'invalid', 'no id', 'id', ''),
    change(64, 'invalid', 'the id of row 63 again', 'id', subclientId(63)),
    change(71, 'failed', 'a vanity id where the id belongs', 'id', 'S/000071'),
    damage(80, 'invalid', 'one cell too many', (line) => `${line},`),
  ],
};

const UPDATE_JSON = {
  file: 'subclients-update.json',
  job: 'subclients-update',
  format: { type: 'json' },
  rows: 40,
  success: 'updated',
  record: (random, row) => inventSubclientUpdate(random, subclientId(100 + row)),
  mistakes: [
    change(7, 'failed', 'an id that the service does not know', 'id', 'sub-9107'),
    change(16, 'invalid', 'true for a number', 'kyc.details.monthlyPaymentsCount', true),
    change(29, 'invalid', 'the id of row 1 again', 'id', subclientId(101)),
  ],
};

/**
 * Every third row of subclients-create.csv that was created, with new data, among new subclients.
 */
const UPSERT_CSV = {
  file: 'subclients-upsert.csv',
  job: 'subclients-upsert',
  before: [CREATE_CSV.file],
  format: CSV,
  rows: 80,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('ACME', isKnown(row) ? row : row + 2000)),
  mistakes: [
    ...[...Array(80).keys()]
      .map((index) => index + 1)
      .filter(isKnown)
      .map((row) => ({ row, outcome: 'updated', note: 'created by an earlier file' })),
    change(41, 'invalid', 'no legal name', 'details.name', ''),
    change(62, 'invalid', 'the key of row 61 again', 'externalId', key('ACME', 61)),
  ],
};

const UPSERT_JSON = {
  file: 'subclients-upsert.json',
  job: 'subclients-upsert',
  format: { type: 'json' },
  rows: 40,
  success: 'created',
  record: (random, row) => inventSubclient(random, key('EMBER', row)),
  mistakes: [change(13, 'invalid', 'a word for a date', DATE, 'unknown')],
};

const PARTNER = {
  file: 'partner-x-subclients.csv',
  job: 'example-partner-x',
  format: { ...CSV, delimiter: ';' },
  rows: 90,
  success: 'created',
  record: (random, row) => inventPartnerRow(random, key('PX', row)),
  mistakes: [
    change(8, 'invalid', '31 February', 'Incorporated', '31/02/2019'),
    change(14, 'created', 'groups of thousands', 'Monthly Volume', '1.234.567,89'),
    change(15, 'invalid', 'a decimal point', 'Monthly Volume', '1234.5'),
    change(27, 'invalid', '"maybe" for a boolean', 'Regulated?', 'maybe'),
    change(38, 'invalid', 'no legal name', 'Legal Name', ''),
    change(39, 'created', 'a semicolon in a name', 'Legal Name', 'Tarnhollow; Daughters Ltd'),
    change(55, 'created', 'a country by its name', 'Country', 'France'),
    change(70, 'invalid', 'the key of row 2 again', 'Partner Ref', key('PX', 2)),
    change(77, 'invalid', 'month and day exchanged', 'Incorporated', '12/31/2020'),
  ],
};

const GERMAN_PARTNER = {
  file: 'partner-de-subclients.csv',
  job: 'example-partner-de',
  format: EXCEL,
  rows: 24,
  success: 'created',
  record: (random, row) => inventGermanRow(random, key('DE', row)),
  mistakes: [
    change(4, 'invalid', 'no legal name', 'Firma', ''),
    change(9, 'invalid', '31 February', 'Gründungsdatum', '31.02.2019'),
    change(15, 'created', 'a semicolon in a name', 'Firma', 'Tarnhollow; Töchter GmbH'),
    change(18, 'invalid', 'a country that two share', 'Land', 'Kongo'),
  ],
};

function subclientId(number) {
  return `sub-${String(number).padStart(4, '0')}`;
}

function isKnown(row) {
  return row % 3 === 1 && !CREATE_CSV.mistakes.some((mistake) => mistake.row === row);
}

/** Every sample of the subclient operations. */
export const SUBCLIENT_SAMPLES = [
  CREATE_CSV,
  CREATE_EXCEL,
  CREATE_JSON,
  CREATE_NDJSON,
  SECOND_DELIVERY,
  UPDATE_CSV,
  UPDATE_JSON,
  UPSERT_CSV,
  UPSERT_JSON,
  PARTNER,
  GERMAN_PARTNER,
];
