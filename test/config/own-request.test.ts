import { expect, test } from 'vitest';
import { jobDefinitionSchema, operationOf } from '../../src/config/job-definition.ts';
import { operationSchema } from '../../src/model/operation.ts';
import { mayRepeat, spaceOf } from '../../src/operations/operations.ts';
import { isOwn } from '../../src/operations/own.ts';

const REQUEST = { name: 'counterparty.addAccount', method: 'POST', path: '/v3/things/{Id}/accounts' };

function parse(request: object, more: object = {}) {
  return jobDefinitionSchema.safeParse({
    operation: 'custom',
    key: 'Ref',
    request: { ...REQUEST, ...request },
    ...more,
  });
}

test.each<[object, string, string | null]>([
  [{}, 'custom.once:counterparty.addAccount', 'counterparty.addAccount'],
  [{ method: 'PATCH' }, 'custom.once:counterparty.addAccount', 'counterparty.addAccount'],
  [{ method: 'PUT' }, 'custom.again:counterparty.addAccount', null],
  [{ method: 'DELETE' }, 'custom.again:counterparty.addAccount', null],
  [{ method: 'GET' }, 'custom.again:counterparty.addAccount', null],
])('%j is %s, with its keys in %s', (request, operation, space) => {
  const definition = parse(request).data;
  if (definition === undefined) throw new Error('refused');
  const own = operationOf(definition);
  expect([own, spaceOf(own)]).toEqual([operation, space]);
  expect(operationSchema.parse(own)).toBe(own);
  expect(isOwn(own) && mayRepeat(own)).toBe(space === null);
});

test.each<[object, object, string]>([
  [{ name: 'subclient' }, {}, 'with a dot in it'],
  [{ name: 'counterparty.draft' }, {}, 'that no built-in operation has'],
  [{ name: 'a.b:c' }, {}, 'with a dot in it'],
  [{ path: '/v3/../x' }, {}, 'no empty part'],
  [{ id: 'id' }, {}, 'a JSON pointer'],
  [{ method: 'GET' }, { fields: { a: 'A' } }, 'a GET has no body'],
  [{}, { onKnownKey: 'update' }, 'expected skip or fail'],
  [{}, { operation: 'subclient.create' }, 'expected with operation: custom'],
])('%j with %j is refused', (request, more, expected) => {
  expect(JSON.stringify(parse(request, more).error?.issues.map(({ message }) => message))).toContain(
    expected,
  );
});

const HEADER = { idempotencyHeader: 'Idempotency-Key', idempotencyHours: 24 };

test('an idempotency header is one of a POST or PATCH, with the hours beside it', () => {
  expect(parse(HEADER).data?.request).toMatchObject(HEADER);
  expect(parse({ ...HEADER, method: 'PATCH', idempotencyHours: 0.5 }).success).toBe(true);
});

test.each<[object, string]>([
  [{ idempotencyHours: undefined }, 'expected beside idempotencyHeader, and only there'],
  [{ idempotencyHeader: undefined }, 'expected beside idempotencyHeader, and only there'],
  [{ idempotencyHours: 0 }, 'expected number to be >0'],
  [{ idempotencyHours: 721 }, 'expected number to be <=720'],
  [{ method: 'PUT' }, 'a GET, PUT or DELETE is sent again without it'],
  ...[
    'Key: a',
    '',
    'Schlüssel',
    'Authorization',
    'content-length',
    'HOST',
    'user-agent',
    'Transfer-Encoding',
  ].map((idempotencyHeader): [object, string] => [{ idempotencyHeader }, 'that is sent for nothing else']),
])('an idempotency header with %j is refused', (over, expected) => {
  const messages = parse({ ...HEADER, ...over }).error?.issues.map(({ message }) => message);
  expect(JSON.stringify(messages)).toContain(expected);
});

test('without a request a custom operation is refused, and nothing else is said of it', () => {
  const { error } = jobDefinitionSchema.safeParse({ operation: 'custom' });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [['request'], 'expected with operation: custom, which it describes, and with no other'],
  ]);
});
