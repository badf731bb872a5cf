import { describe, expect, test } from 'vitest';
import { formatSchema } from '../../../src/config/job-definition.ts';
import { loadJob } from '../../../src/config/load-job.ts';
import { catalogOf } from '../../../src/delivery/service/operations.ts';
import { compileMapping } from '../../../src/readers/mapping/mapping.ts';
import { templateDocument, templateOf, templateRecord } from '../../../src/readers/mapping/template.ts';
import { CATALOG, cells, definitionOf, sourceOf } from './catalog.ts';

function roundTrip(definition: ReturnType<typeof definitionOf>) {
  const template = templateOf(CATALOG, definition, null);
  const columns = template.map(({ header }) => header);
  const path = { pathField: null, needsPathId: false };
  const mapping = compileMapping({ definition, source: sourceOf('csv', columns), catalog: CATALOG, ...path });
  return { columns, mapped: mapping.map({ ...cells(...template.map(({ cell }) => cell)), row: 9 }) };
}

test('when the definition has columns and conversions of its own, the template uses them and its row passes', () => {
  const definition = definitionOf({
    key: 'Ref',
    fields: {
      name: 'Legal Name',
      'details.taxId': 'Ref',
      country: { value: 'GBR' },
      'kyc.since': { column: 'Since', pattern: 'd.M.yyyy' },
      'kyc.volume': { column: 'Volume', decimal: ',' },
      isPayer: { column: 'Payer?', true: ['J'], false: ['N'] },
      'currencies.0': 'Currency',
      'accounts.1.iban': 'Second IBAN',
      'kyc.payments': { columns: ['First', 'Last'], join: ' ' },
    },
    ignore: ['email'],
    required: ['name', 'accounts.1.country', 'accounts[0].iban'],
  });
  const { columns, mapped } = roundTrip(definition);
  const own = ['Ref', 'Legal Name', 'Since', 'Volume', 'Payer?', 'Currency', 'Second IBAN', 'First', 'Last'];
  const required = ['accounts.1.country', 'accounts.0.iban'];
  const usual = ['country', 'currencies'].map((field) => `accounts.0.${field}`);
  expect(columns).toEqual([...own, ...required, ...usual]);
  expect(mapped).toMatchObject({
    kind: 'mapped',
    body: {
      details: { taxId: 'PARTNER-0001' },
      country: 'GBR',
      isPayer: true,
      kyc: { since: '2020-03-31T00:00:00.000Z', volume: 2500.5, payments: 12 },
      accounts: [{}, { country: 'GBR' }],
    },
  });
});

test('when one column feeds fields of several types, its example suits all of them', () => {
  const definition = definitionOf({ key: 'No', fields: { name: 'No', 'kyc.payments': 'No' } });
  expect(roundTrip(definition).mapped).toMatchObject({
    kind: 'mapped',
    body: { name: '12', kyc: { payments: 12 } },
  });
});

test('when one column feeds several fields, a file with types of its own writes it as text', () => {
  const inJson = (fields: Record<string, string>) =>
    templateOf(CATALOG, definitionOf({ fields }), null).find(({ header }) => header === 'No')?.value;
  expect(inJson({ 'kyc.payments': 'No' })).toBe(12);
  expect(inJson({ name: 'No', 'kyc.payments': 'No' })).toBe('12');
  expect(inJson({ 'kyc.payments': 'No', name: 'No' })).toBe('12');
});

describe('when a field is a reference to another record', () => {
  const fields = { 'parent.id': { column: 'Parent', ref: 'subclient' as const } };
  const parent = (required: string[]) =>
    templateOf(CATALOG, definitionOf({ fields, required }), null).find(({ header }) => header === 'Parent');

  test('its cell is empty, since nobody knows which records there are', () => {
    expect(parent([])?.cell).toBe('');
  });

  test('its cell has a key where a row without one is invalid', () => {
    expect(parent(['parent.id'])?.cell).toBe('PARTNER-0002');
  });
});

const FORMAT = formatSchema.parse({});

test('paths become nested members with values of their types, and names of the definition stay names', () => {
  const definition = definitionOf({
    key: 'Partner.Ref',
    fields: {
      country: 'Land',
      'kyc.since': { column: 'Since', pattern: 'd.M.yyyy' },
      'kyc.volume': { column: 'Volume', decimal: ',' },
      'details.name': 'details.taxId',
    },
    ignore: ['details.taxId', 'email', 'accounts.0.currencies'],
    required: ['accounts.1.iban', 'kyc.payments'],
  });
  expect(templateRecord(templateOf(CATALOG, definition, null), definition)).toEqual({
    'Partner.Ref': 'PARTNER-0001',
    Land: 'GBR',
    Since: '31.3.2020',
    Volume: '2500,5',
    'details.taxId': 'Example Trading Ltd',
    name: 'Example Trading Ltd',
    kyc: { payments: 12 },
    isPayer: true,
    currencies: ['EUR', 'GBP'],
    accounts: [{ iban: 'GB33BUKB20201555555555', country: 'GBR' }, { iban: 'GB33BUKB20201555555555' }],
  });
});

test('the records lie where format.records points', () => {
  const at = (records: string) =>
    templateDocument({ a: 1 }, definitionOf({ format: { ...FORMAT, records } }));
  expect(at('/data/items')).toEqual({ data: { items: [{ a: 1 }] } });
  expect(at('/a~1b')).toEqual({ 'a/b': [{ a: 1 }] });
  expect(templateDocument({ a: 1 }, definitionOf({}))).toEqual([{ a: 1 }]);
});

test.each([
  ['subclients-create', null, ['externalId', 'details.name'], 22],
  ['subclients-update', 'id', ['id', 'details.name'], 21],
  ['subclients-upsert', 'id', ['externalId', 'details.name'], 22],
  ['counterparty-drafts', null, ['externalId', 'name'], 22],
  ['counterparty-accounts', null, ['externalId', 'owner', 'name'], 22],
  ['payment-documents', 'paymentId', ['paymentId'], 1],
])('the template of the shipped job %s has the usual columns', async (name, pathField, first, most) => {
  const { definition } = await loadJob(name, 'jobs');
  const headers = templateOf(catalogOf(definition), definition, pathField).map(({ header }) => header);
  expect(headers.slice(0, first.length)).toEqual(first);
  expect(headers.length).toBeLessThanOrEqual(most);
  for (const header of headers) expect(header).not.toMatch(/actions|networks|verification|payable|status/);
});
