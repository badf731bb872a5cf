/** What holds for every operation, one that is added, too. */
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/delivery/service/judge.ts';
import { buildRequest, fieldCatalog } from '../../src/delivery/service/operations.ts';
import {
  CALLS,
  callOfKnown,
  callOfNew,
  callSpecOf,
  identitySpace,
  isBuiltIn,
  isUpsert,
  mayCreate,
  mayHaveChanged,
  mayRepeat,
  mayUpdate,
  needsPathId,
  OPERATIONS,
  outcomeOfCreated,
  pathFieldOf,
  permissionsOf,
  spaceOf,
  specOf,
} from '../../src/operations/operations.ts';
import { ownOperation } from '../../src/operations/own.ts';
import { noResponse, response } from '../delivery/service/verdicts.ts';

const POLICY = { notExecuted: [] };

describe.each(CALLS)('the call %s', (call) => {
  const { effect, method, path, outcome, body } = callSpecOf(call);

  test('is never sent again where it may have created something', () => {
    expect(mayRepeat(call)).toBe(effect !== 'creates');
    expect(judge(call, noResponse(true, 'timeout'), POLICY).kind).toBe(
      effect === 'creates' ? 'unknown' : 'retry',
    );
  });

  test('keeps its intent after a lost answer where it changes something', () => {
    expect(mayHaveChanged(call)).toBe(effect === 'changes');
  });

  test('becomes one request, with the id of its row in its place', () => {
    const request = buildRequest(call, { pathId: 'a/b', body: { a: 1 }, query: {} });
    const text = body === null ? null : '{"a":1}';
    expect(request).toEqual({ call, method, path: path.replace(/\{\w+\}/, 'a%2Fb'), body: text });
  });

  test('ends its row with its outcome', () => {
    const answer = response(200, effect === 'reads' ? '[]' : '{"id":"i"}');
    expect(judge(call, answer, POLICY)).toMatchObject({ kind: 'accepted', outcome });
  });
});

describe.each(OPERATIONS)('the operation %s', (operation) => {
  const { call, update, purpose, record } = specOf(operation);

  test('has keys of its own over all runs where it creates', () => {
    expect(spaceOf(operation) !== null).toBe(mayCreate(operation));
    const space = spaceOf(operation);
    const name = space ?? 'run-r1';
    expect(identitySpace({ id: 'r1', operation })).toEqual({ name, ofRun: space === null });
  });

  test('may be asked for again where it changes what is known', () => {
    expect(mayUpdate(operation)).toBe(update !== null);
    if (update === null) expect(() => callOfKnown(operation)).toThrow('no call that changes');
    else expect(mayRepeat(callOfKnown(operation))).toBe(true);
  });

  test('has a call, fields, and words for people', () => {
    expect(callOfNew(operation)).toBe(call.name);
    expect(isBuiltIn(operation)).toBe(true);
    expect(fieldCatalog(operation).size > 0).toBe(call.body !== null);
    expect(purpose.length * record.length).toBeGreaterThan(0);
  });

  test('asks a row for an id where its path needs one', () => {
    expect(needsPathId(operation)).toBe(call.path.endsWith('}'));
    expect(pathFieldOf(operation) !== null).toBe(needsPathId(operation) || isUpsert(operation));
  });
});

test('of what a definition describes, what can not be repeated is taken for a create', () => {
  const [once, again] = [ownOperation('a.b', false), ownOperation('a.b', true)];
  expect([once, again].map(mayRepeat)).toEqual([false, true]);
  expect([once, again].map(mayHaveChanged)).toEqual([true, true]);
  expect([once, again].map(spaceOf)).toEqual(['a.b', null]);
  expect([once, again].map(outcomeOfCreated)).toEqual(['created', 'updated']);
});

test('an upsert needs the permissions of both its calls, and a name that nobody has, none', () => {
  expect(permissionsOf('subclient.upsert')).toEqual(['Subclient / Create', 'Subclient / Modify']);
  expect(permissionsOf('subclient.create')).toEqual(['Subclient / Create']);
  expect(permissionsOf('counterparty.addAccount')).toEqual([]);
  expect(() => callSpecOf('counterparty.addAccount')).toThrow('no operation counterparty.addAccount');
});
