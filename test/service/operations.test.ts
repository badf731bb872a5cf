import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildRequest, fieldCatalog, pathFieldOf } from '../../src/service/operations.ts';
import { counterpartyRequestSchema, subclientRequestSchema } from '../../src/service/request-schemas.ts';

const BODY = { details: { name: 'Zürich "AG"' }, n: 1, none: null };
const TEXT = JSON.stringify(BODY);

test.each([
  ['subclient.create', 'POST', '/v1/subclients', TEXT],
  ['subclient.update', 'PATCH', '/v1/subclients/a%2Fb', TEXT],
  ['counterparty.draft', 'POST', '/v3/counterparties/draft', TEXT],
  ['payment.documents', 'GET', '/v1/documents/payments/attachments/a%2Fb', null],
] as const)('%s becomes %s %s', (call, method, path, body) => {
  expect(buildRequest(call, { pathId: 'a/b', body: BODY, query: {} })).toEqual({ call, method, path, body });
});

test('the query is passed through as it stands, encoded', () => {
  const query = { validate: 'true', 'a b': 'c&d=é' };
  const { path } = buildRequest('counterparty.draft', { pathId: null, body: {}, query });
  expect(path).toBe('/v3/counterparties/draft?validate=true&a%20b=c%26d%3D%C3%A9');
  expect(buildRequest('subclient.update', { pathId: 'x', body: {}, query: { x: '' } }).path).toBe(
    '/v1/subclients/x?x=',
  );
});

describe('an id that would lead elsewhere', () => {
  test.each([null, '', '.', '..'])('%j is a bug of the caller', (pathId) => {
    const build = () => buildRequest('subclient.update', { pathId, body: {}, query: {} });
    expect(build).toThrow(/without a usable id/);
  });
});

test('any other id comes back whole as the last segment of the path', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..');
  fc.assert(
    fc.property(id, (pathId) => {
      const { path } = buildRequest('subclient.update', { pathId, body: {}, query: {} });
      const { pathname, search, hash } = new URL(path, 'https://x.example');
      expect(decodeURIComponent(pathname.slice('/v1/subclients/'.length))).toBe(pathId);
      expect(search + hash).toBe('');
    }),
  );
});

/** The document written down a second time: the catalog must match it, not the schema. */
const ADDRESS =
  'buildingName buildingNumber country:country countrySubdivision department district floor postBox postCode room streetName subDepartment town townLocation';

const SUBCLIENT = [
  'additionalInformation.crmId',
  ...prefixed('addresses.primary.', ADDRESS),
  'addresses.billingSameAsPrimary:boolean',
  ...prefixed('addresses.billing.', ADDRESS),
  ...prefixed('details.', 'name alias displayName taxId tradeRegistryId vatNumber'),
  'internalInformation.notes',
  ...prefixed(
    'kyc.details.',
    'detailedActivityDescription detailedRelationshipWithEntity euVatNumber hasWebsite:boolean incorporationDate:date-time industry monthlyPaymentsCount:integer monthlyVolumeAmount:number tradingCountry:country tradingName website',
  ),
  ...prefixed('parent.', 'id alias name displayName vanityId'),
  ...prefixed('regulators.', 'name country:country isRegulated:boolean licenseNumber'),
];

const ACCOUNT = [
  ...prefixed(
    '',
    'accountNumber additionalCountryAccountInfo alias bank bankAccountId bankCode bic_swift cnaps country iban intermediaryBank operatorInfo parentId recurringReference routingNumber sortCodeUK',
  ),
  'actions:string-list',
  'currencies:string-list',
  'controls.corpRelationship',
  'controls.immediateIntraCorp:boolean',
  ...prefixed('intermediaryBankAccounts.#.', 'bicSwift currency'),
  'isBeneficiary:boolean',
  'isPayer:boolean',
  ...['platform', 'sepa', 'swift'].flatMap((name) => prefixed(`networks.${name}.`, 'enabled:boolean reason')),
  ...prefixed(
    'verificationResponses.#.',
    'expireTime:date-time purpose requestId responseState suggestedName timestamp:date-time',
  ),
];

const COUNTERPARTY = [
  ...ACCOUNT.map((field) => `accounts.#.${field}`),
  'actions:string-list',
  ...prefixed('address.', ADDRESS),
  ...prefixed('', 'address1 address2 alias city country county postCode'),
  'currencies:string-list',
  'draft:object',
  ...prefixed('', 'email firstName lastName name id'),
  ...prefixed('', 'isBeneficiary:boolean isPayer:boolean isSelf:boolean'),
  'linkedDocuments.count:integer',
  'linkedDocuments.uri',
  ...prefixed('parent.', 'alias displayName id name vanityId isSelf:boolean state'),
  ...prefixed('payable.', 'enabled:boolean reason'),
  'paymentReason:string-list',
  ...prefixed('', 'primaryType subType subsidiary thirdPartyType thirdPartyTypeOther vanityId'),
  'shortfall:number',
  ...prefixed('', 'shortfallCurrencyCode state status'),
];

function prefixed(prefix: string, names: string): string[] {
  return names.split(' ').map((name) => prefix + name);
}

function listed(fields: readonly string[]): string[] {
  return fields.map((field) => (field.includes(':') ? field : `${field}:string`)).sort();
}

function catalogLines(operation: Parameters<typeof fieldCatalog>[0]): string[] {
  return [...fieldCatalog(operation)].map(([path, type]) => `${path}:${type}`).sort();
}

test.each(['subclient.create', 'subclient.update', 'subclient.upsert'] as const)(
  'the catalog of %s is section 2.2 of the document, field by field',
  (operation) => expect(catalogLines(operation)).toEqual(listed(SUBCLIENT)),
);

test('the catalog of a counterparty draft is sections 2.4, 2.5 and 2.1, field by field', () => {
  expect(catalogLines('counterparty.draft')).toEqual(listed(COUNTERPARTY));
});

test.each([
  ['subclient.create', null],
  ['subclient.update', 'id'],
  ['subclient.upsert', 'id'],
  ['counterparty.draft', null],
  ['payment.documents', 'paymentId'],
] as const)('the path field of %s is %s', (operation, field) => {
  expect(pathFieldOf(operation)).toBe(field);
});

test('the schemas require nothing, and take no field that the document does not name', () => {
  for (const schema of [subclientRequestSchema, counterpartyRequestSchema]) {
    expect(schema.safeParse({}).success).toBe(true);
    expect(schema.safeParse({ parent: {} }).success).toBe(true);
    expect(schema.safeParse({ nonsense: 1 }).success).toBe(false);
    expect(schema.safeParse({ parent: { id: 7 } }).success).toBe(false);
  }
  expect(counterpartyRequestSchema.safeParse({ draft: { anything: [1] } }).success).toBe(true);
});
