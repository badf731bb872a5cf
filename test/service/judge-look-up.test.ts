import { describe, expect, test } from 'vitest';
import { judgeLookUp } from '../../src/service/look-up.ts';

const SETTINGS = { match: '/items', id: '/id' };

function answer(status: number, body: unknown, retryAfterMs: number | null = null) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'response', status, body: text, retryAfterMs, ms: 1 } as const;
}

describe('a 200', () => {
  test.each([
    ['one match', { items: [{ id: 'a' }] }, { kind: 'found', id: 'a' }],
    ['one object instead of a list', { items: { id: 'a' } }, { kind: 'found', id: 'a' }],
    ['a whole number for an id', { items: [{ id: 17 }] }, { kind: 'found', id: '17' }],
    ['no match', { items: [] }, { kind: 'not-found' }],
    [
      'two matches',
      { items: [{ id: 'a' }, { id: 'b' }] },
      { kind: 'found-twice', ids: ['a', 'b'], count: 2 },
    ],
    [
      'five matches',
      { items: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })) },
      { kind: 'found-twice', ids: ['a', 'b', 'c'], count: 5 },
    ],
  ])('with %s', (_, body, sighting) => {
    expect(judgeLookUp(answer(200, body), SETTINGS)).toEqual(sighting);
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing in it', ''],
    ['another shape', { things: [] }],
    ['null where the list should be', { items: null }],
    ['text where the list should be', { items: 'none' }],
    ['a match without an id', { items: [{ id: 'a' }, {}] }],
    ['an empty id', { items: [{ id: '' }] }],
    ['an id that leads elsewhere in a path', { items: [{ id: '..' }] }],
    ['a number that JSON.parse has rounded', '{"items":[{"id":12345678901234567890}]}'],
  ])('with %s proves nothing', (_, body) => {
    expect(judgeLookUp(answer(200, body), SETTINGS).kind).toBe('unclear');
  });

  test('the whole answer can be the list', () => {
    expect(judgeLookUp(answer(200, [{ ref: { id: 'a' } }]), { match: '', id: '/ref/id' })).toEqual({
      kind: 'found',
      id: 'a',
    });
  });
});

test.each([
  [404, 'not-found'],
  [401, 'credentials'],
  [403, 'unclear'],
  [400, 'unclear'],
  [301, 'unclear'],
  [204, 'unclear'],
  [429, 'retry'],
  [500, 'retry'],
  [503, 'retry'],
])('a %i is %s, whatever its body says', (status, kind) => {
  expect(judgeLookUp(answer(status, { items: [{ id: 'a' }] }), SETTINGS).kind).toBe(kind);
});

test('the service’s own wish to wait is kept', () => {
  expect(judgeLookUp(answer(429, '', 2000), SETTINGS)).toMatchObject({ kind: 'retry', afterMs: 2000 });
});

test.each([
  { kind: 'unreadable', status: 200, code: 'UND_ERR_BODY_TIMEOUT', ms: 1 },
  { kind: 'no-response', sent: true, code: 'UND_ERR_SOCKET', ms: 1 },
] as const)('without a whole answer it is asked again: $kind', (reply) => {
  expect(judgeLookUp(reply, SETTINGS).kind).toBe('retry');
});
