import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { counterpartyBody, subclientBody } from '../../src/operations/bodies.ts';
import { call, DOCUMENTS, DRAFTS, openSandbox, SUBCLIENTS } from './call-sandbox.ts';

const SUBCLIENT = {
  additionalInformation: { crmId: 'CRM-1' },
  addresses: { primary: { country: 'GBR', town: 'London' }, billingSameAsPrimary: true },
  details: { name: 'Ada Ltd', taxId: '007' },
  internalInformation: { notes: 'line 1\nline 2' },
  kyc: { details: { monthlyPaymentsCount: 12, monthlyVolumeAmount: 1.5 } },
  parent: { id: 'p-1' },
  regulators: { name: 'FCA', country: 'GBR', isRegulated: true, licenseNumber: '1' },
} as const;

const madeSchema = z.looseObject({ id: z.uuid(), vanityId: z.string(), actions: z.array(z.string()) });

describe('creating a subclient', () => {
  test('answers with the parts as sent, regulators nested, and a state of its own', async () => {
    const sandbox = await openSandbox();
    const answer = await call(sandbox, SUBCLIENTS, SUBCLIENT);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    const { regulators, ...echoed } = SUBCLIENT;
    expect(madeSchema.parse(answer.json())).toMatchObject({
      ...echoed,
      regulators: { payment: regulators },
      state: 'incomplete',
      vanityId: 'S-000001',
      corp: { id: expect.any(String), vanityId: expect.any(String) },
    });
  });

  test('twice under one key makes two, and the statistics say so', async () => {
    const sandbox = await openSandbox();
    const first = madeSchema.parse((await call(sandbox, SUBCLIENTS, SUBCLIENT)).json());
    const second = madeSchema.parse((await call(sandbox, SUBCLIENTS, SUBCLIENT)).json());
    expect(first.id).not.toBe(second.id);
    expect(sandbox.stats()).toMatchObject({
      made: { subclients: 2, drafts: 0 },
      duplicates: [{ kind: 'subclient', key: 'CRM-1', count: 2, ids: [first.id, second.id] }],
      duplicateKeys: 1,
      requests: { 'subclient.create': { '200': 2 } },
    });
  });
});

describe('updating a subclient', () => {
  test('merges what is sent into what was made', async () => {
    const sandbox = await openSandbox();
    const { id } = madeSchema.parse((await call(sandbox, SUBCLIENTS, SUBCLIENT)).json());
    const answer = await call(sandbox, `PATCH /v1/subclients/${id}`, {
      details: { alias: 'ada' },
      regulators: { isRegulated: false },
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      id,
      details: { name: 'Ada Ltd', taxId: '007', alias: 'ada' },
      regulators: { payment: { name: 'FCA', isRegulated: false } },
    });
    expect(sandbox.stats()).toMatchObject({ updated: 1, made: { subclients: 1 } });
  });

  test('finds the seeded subclients, and keeps what was changed', async () => {
    const sandbox = await openSandbox();
    await call(sandbox, 'PATCH /v1/subclients/sub-0300', { details: { alias: 'changed' } });
    const answer = await call(sandbox, 'PATCH /v1/subclients/sub-0300', { kyc: {} });
    expect(answer.json()).toMatchObject({
      id: 'sub-0300',
      details: { alias: 'changed' },
    });
  });

  test.each(['sub-0301', 'sub-0000', 'sub-1', 'unknown', '..'])('of the unknown %s gives 404', async (id) => {
    const sandbox = await openSandbox();
    const escaped = id.replaceAll('.', '%2E');
    expect((await call(sandbox, `PATCH /v1/subclients/${escaped}`, {})).status).toBe(404);
    expect(sandbox.stats().updated).toBe(0);
  });
});

describe('submitting a draft', () => {
  test('answers with the record as sent, an id, and state and status draft', async () => {
    const sandbox = await openSandbox();
    const draft = {
      name: 'Payee',
      alias: 'A-1',
      currencies: ['EUR'],
      accounts: [{ iban: 'NO9386011117947' }],
    };
    const answer = await call(sandbox, `${DRAFTS}?validate=true`, draft);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      ...draft,
      id: expect.any(String),
      vanityId: 'C-000001',
      state: 'draft',
      status: 'draft',
    });
    expect([...sandbox.entities('draft')].map((entity) => entity.key)).toEqual(['A-1']);
  });

  test.each(['', '?validate=false'])('breaking the rules gives 418 and makes nothing: %j', async (query) => {
    const sandbox = await openSandbox();
    const answer = await call(sandbox, DRAFTS + query, { email: 'none', accounts: [{ iban: 'GB00' }] });
    expect(answer.status).toBe(418);
    expect(answer.json()).toEqual({
      error: 'validation failed',
      errors: [
        { field: 'name', problem: expect.any(String) },
        { field: 'email', problem: expect.any(String) },
        { field: 'accounts.0.iban', problem: expect.any(String) },
      ],
    });
    expect(sandbox.stats().made.drafts).toBe(0);
  });
});

const text = z.string();
const time = z.iso.datetime();
const documentSchema = z.strictObject({
  ...{ acceptedBy: text, addedBy: text, category: text, clientCorpId: text, description: text },
  ...{ documentSubType: text, documentType: text, documentUri: text, id: text, mediaType: text },
  ...{ name: text, originalFileName: text, status: text, version: text },
  ...{ acceptedDate: time, addedDate: time, expiryDate: time, validFrom: time },
  actions: z.array(text),
  fileSize: z.int(),
  isLatestVersion: z.boolean(),
  requiresAcceptance: z.boolean(),
  linkedRecords: z.array(z.strictObject({ id: text, name: text, vanityId: text, type: text })),
  tags: z.array(text),
  visibility: z.strictObject({
    editable: z.strictObject({ client: z.boolean() }),
    values: z.strictObject({ client: z.boolean(), operators: z.boolean() }),
  }),
});

const bodySchemas = {
  'subclient.create': subclientBody(),
  'counterparty.draft': counterpartyBody(),
};

test.each([
  [SUBCLIENTS, 'addresses.primary.country', (country: string) => ({ addresses: { primary: { country } } })],
  [SUBCLIENTS, 'regulators.country', (country: string) => ({ regulators: { country } })],
  [
    DRAFTS,
    'address.country',
    (country: string) => ({ name: 'Payee', country: 'España', address: { country } }),
  ],
])('%s refuses a name in %s, which the document calls a country code', async (path, field, bodyOf) => {
  const sandbox = await openSandbox({ bodySchemas });
  const answer = await call(sandbox, path, bodyOf('España'));
  expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field }] }]);
  for (const code of ['ESP', 'es', '724']) expect((await call(sandbox, path, bodyOf(code))).status).toBe(200);
});

describe('listing documents', () => {
  test('gives none to three records with every documented field in its type, the same each time', async () => {
    const sandbox = await openSandbox();
    const counts = [];
    for (const id of ['pay-0001', 'pay-0002', 'pay-0003', 'pay-0300']) {
      const answer = await call(sandbox, DOCUMENTS + id);
      expect(answer.status).toBe(200);
      expect((await call(sandbox, DOCUMENTS + id)).text).toBe(answer.text);
      counts.push(z.array(documentSchema).parse(answer.json()).length);
    }
    expect(counts).toEqual([1, 2, 3, 0]);
    expect(sandbox.stats().listed).toBe(8);
  });

  test('of an unknown payment gives 404', async () => {
    const sandbox = await openSandbox();
    expect((await call(sandbox, `${DOCUMENTS}pay-0301`)).status).toBe(404);
  });
});

describe('what is refused', () => {
  test.each([
    ['no token', null],
    ['an unknown token', 'unknown'],
  ])('%s gives 401 for every operation', async (_, token) => {
    const sandbox = await openSandbox();
    const lines = [SUBCLIENTS, 'PATCH /v1/subclients/sub-0001', DRAFTS];
    for (const line of lines) expect((await call(sandbox, line, SUBCLIENT, { token })).status).toBe(401);
    expect((await call(sandbox, `${DOCUMENTS}pay-0001`, undefined, { token })).status).toBe(401);
    expect(sandbox.stats()).toMatchObject({ made: { subclients: 0, drafts: 0 }, updated: 0, listed: 0 });
  });

  test.each([
    ['text that is not JSON', '{"a":', {}, 400],
    ['bytes that are not UTF-8', Buffer.from('{"details":{"name":"Zo\xeb"}}', 'latin1'), {}, 400],
    ['none', undefined, {}, 400],
    ['a list', '[]', {}, 400],
    ['null', 'null', {}, 400],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a charset beside the type', '{}', { 'content-type': 'Application/JSON; charset=utf-8' }, 200],
    ['1 MiB and more', JSON.stringify({ details: { name: 'x'.repeat(1024 * 1024) } }), {}, 413],
  ])('%s as body', async (_, body, headers, status) => {
    const sandbox = await openSandbox();
    expect((await call(sandbox, SUBCLIENTS, body, { headers })).status).toBe(status);
    expect(sandbox.stats().made.subclients).toBe(status === 200 ? 1 : 0);
  });

  test('a body that its schema does not take gives 400, naming the path', async () => {
    const accounts = z.array(z.object({ isPayer: z.boolean() }));
    const sandbox = await openSandbox({ bodySchemas: { 'counterparty.draft': z.looseObject({ accounts }) } });
    const answer = await call(sandbox, DRAFTS, { name: 'x', accounts: [{ isPayer: 'yes' }] });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ field: 'accounts.0.isPayer' }] });
    expect((await call(sandbox, DRAFTS, { name: 'x', accounts: [] })).status).toBe(200);
  });

  test.each(['GET /v1/subclients', 'POST /other'])('%s gives 404', async (line) => {
    const sandbox = await openSandbox();
    expect((await call(sandbox, line, line.startsWith('GET') ? undefined : {})).status).toBe(404);
    expect(sandbox.stats().requests).toEqual({ unknown: { '404': 1 } });
  });

  test.each(['POST /v1/other', 'PUT /v1/subclients/sub-0001'])(
    '%s is played: something is made of it, with an id',
    async (line) => {
      const sandbox = await openSandbox();
      expect((await call(sandbox, line, {})).json()).toEqual({ id: 'made-000001' });
      expect(sandbox.stats().requests).toEqual({ custom: { '200': 1 } });
    },
  );
});

test.each([
  ['a name', { name: 'Ana' }],
  ['first and last name', { firstName: 'Ana', lastName: 'Silva' }],
  ['an address with an @', { name: 'Ana', email: 'ana@example.com' }],
  ['currencies of three letters', { name: 'Ana', currencies: ['EUR', 'usd'] }],
  ['an account without an IBAN', { name: 'Ana', accounts: [{ accountNumber: '1', currencies: ['EUR'] }] }],
  ['an IBAN in groups', { name: 'Ana', accounts: [{ iban: 'GB29 NWBK 6016 1331 9268 19' }] }],
])('a draft with %s is taken', async (_, body) => {
  expect((await call(await openSandbox(), DRAFTS, body)).status).toBe(200);
});

test.each([
  ['no name', {}, ['name']],
  ['a blank name', { name: ' ' }, ['name']],
  ['a first name only', { firstName: 'Ana' }, ['name']],
  ['an e-mail without an @', { name: 'Ana', email: 'ana.example.com' }, ['email']],
  ['a currency of four letters', { name: 'Ana', currencies: ['EUR', 'EURO'] }, ['currencies.1']],
  ['a wrong IBAN', { name: 'Ana', accounts: [{}, { iban: 'GB00NWBK60161331926819' }] }, ['accounts.1.iban']],
  ['a wrong currency', { name: 'Ana', accounts: [{ currencies: ['€'] }] }, ['accounts.0.currencies.0']],
])('a draft with %s is refused for those fields', async (_, body, fields) => {
  const answer = await call(await openSandbox(), DRAFTS, body);
  const errors = fields.map((field) => expect.objectContaining({ field }));
  expect([answer.status, answer.json()]).toEqual([418, expect.objectContaining({ errors })]);
});
