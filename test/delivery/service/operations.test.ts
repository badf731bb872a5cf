import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRequest, fieldCatalog, publicColumns } from '../../../src/delivery/service/operations.ts';
import { counterpartyBody, isPublicField, subclientBody } from '../../../src/operations/bodies.ts';

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

test.each([null, '', '.', '..'])('an id that would lead elsewhere, %j, is a bug of the caller', (pathId) => {
  const build = () => buildRequest('subclient.update', { pathId, body: {}, query: {} });
  expect(build).toThrow(/without a usable id/);
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

test('the schemas require nothing, and take no field that the document does not name', () => {
  for (const schema of [subclientBody(), counterpartyBody()]) {
    expect(schema.safeParse({}).success).toBe(true);
    expect(schema.safeParse({ parent: {} }).success).toBe(true);
    expect(schema.safeParse({ nonsense: 1 }).success).toBe(false);
    expect(schema.safeParse({ parent: { id: 7 } }).success).toBe(false);
  }
  expect(counterpartyBody().safeParse({ draft: { anything: [1] } }).success).toBe(true);
});

test('public are codes, and what is true or false, of every operation; all other fields are personal', () => {
  for (const operation of ['subclient.upsert', 'counterparty.draft', 'payment.documents'] as const)
    for (const [field, type] of fieldCatalog(operation)) {
      const isCode = /country$|currenc[^.]*$/i.test(field);
      expect(isPublicField(field.replaceAll('#', '0')), field).toBe(isCode || type === 'boolean');
    }
});

test('a column is public that fills public fields alone; no key is, nor what nobody mapped', () => {
  const fields = {
    'addresses.primary.country': 'Country',
    'kyc.details.tradingCountry': { column: 'Both' },
    'details.name': 'Both',
    'regulators.country': 'Ref',
  };
  const columns = ['Ref', 'Country', 'Both', 'accounts[0].currencies', 'details.taxId', 'Note'];
  expect([...publicColumns({ key: 'Ref', fields }, columns)]).toEqual(['Country', 'accounts[0].currencies']);
  expect([...publicColumns(null, columns)]).toEqual([]);
});
