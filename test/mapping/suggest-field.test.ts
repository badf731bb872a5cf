import { expect, test } from 'vitest';
import { suggestField } from '../../src/mapping/proposal/meaning.ts';
import type { Operation } from '../../src/model/operation.ts';
import { fieldCatalog } from '../../src/service/operations.ts';
import { definitionOf } from './catalog.ts';

function suggested(operation: Operation, written: string): string {
  const options = {
    definition: definitionOf({ operation }),
    catalog: fieldCatalog(operation),
    pathField: null,
  };
  return suggestField(written, options);
}

test.each<[Operation, string, string]>([
  ['counterparty.draft', 'Sort code', 'accounts.0.sortCodeUK'],
  ['counterparty.draft', 'Account no', 'accounts.0.accountNumber'],
  ['counterparty.draft', 'SWIFT 2', 'accounts.1.bic_swift'],
  ['counterparty.draft', 'accounts[2].ibna', 'accounts.2.iban'],
  ['subclient.create', 'Legal name', 'details.name'],
  ['subclient.create', 'tradeRegistrId', 'details.tradeRegistryId'],
  ['subclient.create', 'detials.name', 'details.name'],
])('for %s, %j is taken for %s', (operation, written, field) => {
  expect(suggested(operation, written)).toBe(` Did you mean "${field}"?`);
});

test.each<[Operation, string]>([
  ['subclient.create', 'Sort code'],
  ['counterparty.draft', 'Parent ref'],
  ['counterparty.draft', 'Cost centre'],
  ['subclient.create', 'Account Manager'],
])('for %s, %j is taken for nothing rather than for another field', (operation, written) => {
  expect(suggested(operation, written)).toBe('');
});
