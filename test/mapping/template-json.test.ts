import { expect, test } from 'vitest';
import { formatSchema } from '../../src/config/job-definition.ts';
import { templateDocument, templateOf, templateRecords } from '../../src/mapping/template.ts';
import { CATALOG, definitionOf } from './catalog.ts';

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
    ignore: ['details.taxId', 'email', 'parent.id', 'accounts.0.currencies', 'accounts.0.banks.0.bic'],
    required: ['accounts.1.iban'],
  });
  expect(templateRecords(templateOf(CATALOG, definition, null), definition)).toEqual([
    {
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
    },
  ]);
});

test('the records lie where format.records points', () => {
  const at = (records: string) =>
    templateDocument([{ a: 1 }], definitionOf({ format: { ...FORMAT, records } }));
  expect(at('/data/items')).toEqual({ data: { items: [{ a: 1 }] } });
  expect(at('/a~1b')).toEqual({ 'a/b': [{ a: 1 }] });
  expect(templateDocument([{ a: 1 }], definitionOf({}))).toEqual([{ a: 1 }]);
});
