import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import { fieldCatalog } from '../../src/delivery/service/operations.ts';
import type { JsonObject, JsonValue } from '../../src/model/request.ts';
import { isSetByService } from '../../src/readers/mapping/request-field.ts';
import { startFlow } from '../support/flow.ts';

/** A field of the document, a cell for it, and the JSON that the service must receive: written by hand. */
type Wire = readonly [field: string, cell: string, json: JsonValue];

const ADDRESS =
  'buildingName buildingNumber countrySubdivision department district floor postBox ' +
  'postCode room streetName subDepartment town townLocation';

/** Fields of one kind, with a blank between their names. */
const text = (path: string, names: string): Wire[] =>
  names.split(' ').map((name) => [`${path}${name}`, ` 007 ${name}, "é" `, ` 007 ${name}, "é" `]);
const flag = (path: string, names: string): Wire[] =>
  names.split(' ').map((name, i) => [`${path}${name}`, i % 2 ? 'no' : 'TRUE', i % 2 === 0]);
const country = (path: string): Wire => [path, 'de', 'DEU'];
const DATE: readonly [string, string] = ['2021-03-04', '2021-03-04T00:00:00.000Z'];

/** 2.1, 2.2 */
const SUBCLIENT: readonly Wire[] = [
  ...text('additionalInformation.', 'crmId'),
  ...text('addresses.primary.', ADDRESS),
  country('addresses.primary.country'),
  ...flag('addresses.', 'billingSameAsPrimary'),
  ...text('addresses.billing.', ADDRESS),
  country('addresses.billing.country'),
  ...text('details.', 'name alias displayName taxId tradeRegistryId vatNumber'),
  ...text('internalInformation.', 'notes'),
  ...text(
    'kyc.details.',
    'detailedActivityDescription detailedRelationshipWithEntity euVatNumber industry ' +
      'tradingName website',
  ),
  ...flag('kyc.details.', 'hasWebsite'),
  ['kyc.details.incorporationDate', ...DATE],
  ['kyc.details.monthlyPaymentsCount', '120', 120],
  ['kyc.details.monthlyVolumeAmount', '1234567.89', 1234567.89],
  country('kyc.details.tradingCountry'),
  ...text('parent.', 'id alias name displayName vanityId'),
  ...text('regulators.', 'name licenseNumber'),
  country('regulators.country'),
  ...flag('regulators.', 'isRegulated'),
];

/** 2.4, 2.5 */
const DRAFT: readonly Wire[] = [
  ...text(
    'accounts.0.',
    'accountNumber additionalCountryAccountInfo alias bank bankAccountId bankCode ' +
      'bic_swift cnaps country intermediaryBank operatorInfo parentId recurringReference ' +
      'routingNumber sortCodeUK',
  ),
  ['accounts.0.iban', 'DE89370400440532013000', 'DE89370400440532013000'],
  ['accounts.0.actions', 'edit;remove', ['edit', 'remove']],
  ['accounts.0.currencies', 'EUR|USD', ['EUR', 'USD']],
  ...text('accounts.0.controls.', 'corpRelationship'),
  ...flag('accounts.0.controls.', 'immediateIntraCorp'),
  ...text('accounts.0.intermediaryBankAccounts.0.', 'bicSwift currency'),
  ...flag('accounts.0.', 'isBeneficiary isPayer'),
  ...['platform', 'sepa', 'swift'].flatMap((network) => [
    ...flag(`accounts.0.networks.${network}.`, 'enabled'),
    ...text(`accounts.0.networks.${network}.`, 'reason'),
  ]),
  ...text('accounts.0.verificationResponses.0.', 'purpose requestId responseState suggestedName'),
  ['accounts.0.verificationResponses.0.expireTime', ...DATE],
  ['accounts.0.verificationResponses.0.timestamp', ...DATE],
  ['actions', 'edit', ['edit']],
  ...text('address.', ADDRESS),
  country('address.country'),
  ...text('', 'address1 address2 alias city country county postCode'),
  ['currencies', 'EUR;GBP', ['EUR', 'GBP']],
  ['email', 'a@example.com', 'a@example.com'],
  ...text('', 'firstName lastName name id'),
  ...flag('', 'isBeneficiary isPayer isSelf'),
  ['linkedDocuments.count', '3', 3],
  ...text('linkedDocuments.', 'uri'),
  ...text('parent.', 'alias displayName id name vanityId state'),
  ...flag('parent.', 'isSelf'),
  ...flag('payable.', 'enabled'),
  ...text('payable.', 'reason'),
  ['paymentReason', 'invoice;salary', ['invoice', 'salary']],
  ...text('', 'primaryType subType subsidiary thirdPartyType thirdPartyTypeOther vanityId'),
  ['shortfall', '-0.5', -0.5],
  ...text('', 'shortfallCurrencyCode state status'),
];

/** What the path spells, built apart from the program's own code. */
function nested(wires: readonly Wire[]): JsonObject {
  const root: Record<string, unknown> = {};
  for (const [path, , json] of wires) {
    const steps = path.split('.');
    let at: Record<string, unknown> = root;
    steps.forEach((step, i) => {
      if (i === steps.length - 1) at[step] = json;
      else {
        at[step] ??= /^\d+$/.test(steps[i + 1] ?? '') ? [] : {};
        at = Object(at[step]);
      }
    });
  }
  return JSON.parse(JSON.stringify(root));
}

const CALLS = [
  { operation: 'subclient.create', target: '/v1/subclients', method: 'POST', table: SUBCLIENT },
  { operation: 'subclient.update', target: '/v1/subclients/sub-0001', method: 'PATCH', table: SUBCLIENT },
  { operation: 'counterparty.draft', target: '/v3/counterparties/draft', method: 'POST', table: DRAFT },
] as const;

describe.each(CALLS)('$operation', ({ operation, target, method, table }) => {
  test('the table has every field of the request schema', () => {
    const catalog = [...fieldCatalog(operation)].flatMap(([path, type]) => (type === 'object' ? [] : [path]));
    expect(table.map(([path]) => path.replaceAll(/\.\d+(?=\.)/g, '.#')).sort()).toEqual(catalog.sort());
  });

  test.each(['csv', 'json'] as const)('each field, and all at once, arrive as %s says', async (type) => {
    const flow = await startFlow({ recordRequests: 1000 });
    const path = operation === 'subclient.update' ? [['id', 'sub-0001']] : [];
    const sets: ReadonlyArray<readonly Wire[]> = [...table.map((wire) => [wire]), table];
    const job = await flow.file(
      'job.yaml',
      `operation: ${operation}\nformat: { type: ${type} }\n${LENIENT}${named(table)}`,
    );
    const file = await flow.file(`rows.${type}`, type === 'csv' ? csv(sets, path) : json(sets, path));
    await flow.run(['--job-file', job, file]);
    const received = flow.sandbox
      .requests()
      .map((r) => ({ line: `${r.method} ${r.target}`, type: r.contentType, body: r.body }));
    expect(new Set(received.map((r) => `${r.line} ${r.type}`))).toEqual(
      new Set([`${method} ${target} application/json`]),
    );
    const canonical = (bodies: readonly JsonValue[]) => bodies.map((b) => JSON.stringify(sorted(b))).sort();
    expect(canonical(received.map((r) => JSON.parse(r.body)))).toEqual(canonical(sets.map(nested)));
  });
});

/** What only the service sets needs a line, whatever the header. */
function named(table: readonly Wire[]): string {
  const lines = table.flatMap(([path]) => (isSetByService(path) ? [`  ${path}: ${path}\n`] : []));
  return `fields:\n${lines.join('')}`;
}

/** Any text fills the fields of accounts here. */
const LENIENT = 'checks: { accounts: off }\n';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([k, v]) => [k, sorted(v)]),
  );
}

function csv(sets: ReadonlyArray<readonly Wire[]>, path: string[][]): string {
  const fields = sets.at(-1)?.map(([field]) => field) ?? [];
  const rows = sets.map((set) => {
    const cells = new Map<string, string>(set.map(([field, cell]) => [field, cell]));
    return [...path.map(([, value]) => value), ...fields.map((field) => cells.get(field) ?? '')];
  });
  return stringify([[...path.map(([name]) => name), ...fields], ...rows]);
}

function json(sets: ReadonlyArray<readonly Wire[]>, path: string[][]): string {
  return JSON.stringify(sets.map((set) => ({ ...Object.fromEntries(path), ...nested(set) })));
}
