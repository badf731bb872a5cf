import { describe, expect, test } from 'vitest';
import { endOf, gaveUp, ownKey, type Retry, settledRow } from '../../src/delivery/row-task.ts';
import type { Operation } from '../../src/model/operation.ts';
import { OUTCOMES, type Outcome } from '../../src/model/outcome.ts';
import { OPERATIONS, spaceOf } from '../../src/operations/operations.ts';
import { CLAIMS, placeOf, sampleRow, sampleTask } from './sample-task.ts';

/** Rows that go into a report file again, and cancelled ones, which may be sent after all. */
const KEEPS_SOURCE: readonly Outcome[] = ['invalid', 'rejected', 'denied', 'failed', 'in-doubt', 'cancelled'];

describe('a row’s own key', () => {
  const keyOf = (operation: Operation, over: Parameters<typeof sampleTask>[1] = {}) =>
    ownKey(sampleTask(operation, over), placeOf);

  test.each(OPERATIONS)(
    '%s: is in its space where it claimed it, and in none where nothing is made',
    (operation) => {
      const space = spaceOf(operation);
      const own = space === null ? null : { space, key: 'K7', place: placeOf('K7') };
      expect(keyOf(operation)).toEqual(own);
    },
  );

  test.each(['duplicate', 'known', 'held', 'doubted'] as const)(
    'is another row’s where the claim was %s',
    (claim) => expect(keyOf('subclient.create', { claim: CLAIMS[claim] })).toBeNull(),
  );

  test('is the row’s place without a key column, and none at all for a row without a key', () => {
    expect(keyOf('subclient.create', { key: '', identityKey: 'abc:7' })).toMatchObject({ key: 'abc:7' });
    expect(keyOf('subclient.create', { identityKey: null })).toBeNull();
  });
});

describe('the intent that the row is settled over', () => {
  test.each([
    ['the one found on the row, where nothing was sent', undefined, 'i dead.1 1'],
    ['the last attempt’s', 'i me.1 2.1', 'i me.1 2.1'],
    ['none, where the last attempt was taken back', '', ''],
  ])('%s', (_, mark, expected) => {
    const task = sampleTask('subclient.create', { foundMark: 'i dead.1 1' });
    const beside = mark === undefined ? {} : { mark };
    expect(settledRow(task, { outcome: 'failed' }, beside).mark).toBe(expected);
  });
});

describe('what is kept of the row', () => {
  test.each(OUTCOMES.map((outcome) => [outcome, KEEPS_SOURCE.includes(outcome)] as const))(
    '%s: its record is kept: %s',
    (outcome, kept) => {
      const { source } = settledRow(sampleTask('subclient.create'), { outcome });
      expect(source).toBe(kept ? JSON.stringify(sampleRow()) : '');
    },
  );

  test('nothing of a row that had to be made up, since its file was gone', () => {
    const task = sampleTask('subclient.create', { row: { ...sampleRow(), line: 0 } });
    expect(settledRow(task, { outcome: 'cancelled' }).source).toBe('');
  });
});

const ACCEPTED = {
  kind: 'accepted',
  outcome: 'created',
  status: 200,
  id: 'sub-1',
  documents: null,
  warning: null,
} as const;
const BODY = '{"a":1}';
const UNKNOWN = { kind: 'unknown', status: 500, code: 'http_500', message: 'not known' } as const;
const REFUSED = {
  kind: 'refused',
  outcome: 'rejected',
  status: 418,
  code: 'http_418',
  message: 'invalid',
  body: BODY,
} as const;

const DOCUMENTS = '[{"id":"d1"}, {"n":12345678901234567890}]';

describe('a final verdict', () => {
  test.each([
    ['accepted', ACCEPTED, { outcome: 'created', status: 200, id: 'sub-1' }],
    [
      'accepted without an id: with a warning',
      { ...ACCEPTED, outcome: 'updated', id: null, warning: 'no id came back' } as const,
      { outcome: 'updated', status: 200, id: '', code: 'warning', message: 'no id came back' },
    ],
    [
      'accepted with documents: their text is kept byte for byte',
      { ...ACCEPTED, outcome: 'listed', id: 'pay-1', documents: DOCUMENTS } as const,
      { outcome: 'listed', status: 200, id: 'pay-1', documents: DOCUMENTS },
    ],
    [
      'refused',
      REFUSED,
      { outcome: 'rejected', status: 418, code: 'http_418', message: 'invalid', body: BODY },
    ],
    ['unknown', UNKNOWN, { outcome: 'in-doubt', status: 500, code: 'http_500', message: 'not known' }],
    [
      'unknown, nothing received',
      { ...UNKNOWN, status: null, code: 'timeout' } as const,
      { outcome: 'in-doubt', status: 0, code: 'timeout', message: 'not known' },
    ],
  ])('%s', (_, verdict, end) => {
    expect(endOf(verdict, 2, 5)).toMatchObject({ ...end, attempts: 2, ms: 5 });
  });
});

test('an id that can not be used stands in the message of the row in doubt', () => {
  const message = 'The service answered 200, but the id that it gave can not be used.';
  const code = 'accepted_id_unusable';
  const end = endOf({ kind: 'unknown', status: 200, code, message, givenId: '../"x' }, 1, 5);
  expect(end.message).toBe(`${message} It gave "../\\"x".`);
});

describe('attempts used up', () => {
  const verdict: Retry = {
    kind: 'retry',
    status: 429,
    code: 'http_429',
    message: 'The service asked to wait (429).',
    afterMs: 1000,
  };

  test('the row failed, with how often it was tried and why', () => {
    expect(gaveUp(verdict, 6)).toEqual({
      outcome: 'failed',
      status: 429,
      attempts: 6,
      code: 'http_429',
      message: 'gave up after 6 attempts: The service asked to wait (429).',
    });
  });

  test('with no answer at all the status is 0', () => {
    expect(gaveUp({ ...verdict, status: null }, 1).status).toBe(0);
  });
});

test.each([
  ['subclient.create', 'claimed', false],
  ['counterparty.draft', 'claimed', false],
  ['subclient.upsert', 'claimed', false],
  ['subclient.upsert', 'known', true],
  ['subclient.update', 'claimed', true],
  ['custom.once:thing.addPart', 'claimed', false],
  ['custom.again:thing.addPart', 'claimed', true],
] as const)('a row of %s whose key is %s is recorded as repeatable: %s', (operation, claim, repeatable) => {
  const task = sampleTask(operation, { claim: CLAIMS[claim] });
  expect(settledRow(task, { outcome: 'failed' }).repeatable).toBe(repeatable);
});
