import { expect, test } from 'vitest';
import { jobDefinitionSchema, operationOf } from '../../src/config/job-definition.ts';
import { isOwn, mayRepeat, operationSchema, spaceOf } from '../../src/model/operation.ts';

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

test('without a request a custom operation is refused, and nothing else is said of it', () => {
  const { error } = jobDefinitionSchema.safeParse({ operation: 'custom' });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [['request'], 'expected with operation: custom, which it describes, and with no other'],
  ]);
});
