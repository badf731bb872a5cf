import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { createLookUp, judgeLookUp } from '../../../src/delivery/service/look-up.ts';
import type { Reply } from '../../../src/model/request.ts';
import { response } from './verdicts.ts';

const NEVER = new AbortController().signal;

const reply = (status: number, body = '[]') => response(status, body);

/** A look-up against a service that gives these replies in order, the last one on and on. */
function scripted(
  replies: readonly Reply[],
  { fresh = null, path = '/things/{key}?again={key}' }: { fresh?: string | null; path?: string } = {},
) {
  const asked: Array<{ path: string; method: string; token: string }> = [];
  const lookUp = createLookUp({
    settings: jobDefinitionSchema.shape.lookup.unwrap().parse({ path, match: '', id: '/id' }),
    client: {
      attempt: async ({ path, method }, token) => {
        asked.push({ path, method, token });
        return replies[Math.min(asked.length, replies.length) - 1] ?? reply(500);
      },
    },
    credentials: { current: async () => 'old', refresh: async () => fresh },
    waitForRate: async () => undefined,
    backoffMs: () => 0,
  });
  return { asked, lookUp };
}

describe('the path', () => {
  test.each([
    ['/a/{key}', 'K 1/2?#&', '/a/K%201%2F2%3F%23%26'],
    ['/a?x={key}&y={key}', 'ä', '/a?x=%C3%A4&y=%C3%A4'],
    ['/a/{key}', '$&', '/a/%24%26'],
  ])('%s with the key %j', async (template, key, path) => {
    const { asked, lookUp } = scripted([reply(200)], { path: template });
    await lookUp(key, NEVER);
    expect(asked).toMatchObject([{ path }]);
  });

  test.each(['.', '..', '', '\ud800'])('the key %j can not stand in one', async (key) => {
    const { asked, lookUp } = scripted([reply(200)]);
    expect([await lookUp(key, NEVER), asked]).toMatchObject([{ kind: 'unclear' }, []]);
  });
});

describe('asking', () => {
  test('is a GET with the key in the path', async () => {
    const { asked, lookUp } = scripted([reply(200, '[{"id":"x"}]')]);
    expect(await lookUp('K 1', NEVER)).toEqual({ kind: 'found', id: 'x' });
    expect(asked).toEqual([{ path: '/things/K%201?again=K%201', method: 'GET', token: 'old' }]);
  });

  test('is tried again after what may pass, four times in all', async () => {
    const once = scripted([reply(503), reply(200)]);
    expect(await once.lookUp('K', NEVER)).toEqual({ kind: 'not-found' });
    const always = scripted([reply(503)]);
    expect(await always.lookUp('K', NEVER)).toEqual({ kind: 'unclear', why: 'The service answered 503.' });
    expect(always.asked).toHaveLength(4);
  });

  test('takes a fresh token once; where that is refused too, nobody is asked any more', async () => {
    const well = scripted([reply(401), reply(404)], { fresh: 'new' });
    expect(await well.lookUp('K', NEVER)).toEqual({ kind: 'not-found' });
    expect(well.asked.map(({ token }) => token)).toEqual(['old', 'new']);
    const refused = scripted([reply(401)], { fresh: 'new' });
    expect(await refused.lookUp('K', NEVER)).toBeNull();
    expect(await refused.lookUp('L', NEVER)).toBeNull();
    expect(refused.asked).toHaveLength(2);
  });

  test('ends when it is broken off, and nothing is known', async () => {
    const stop = new AbortController();
    const { asked, lookUp } = scripted([reply(503)]);
    stop.abort();
    expect(await lookUp('K', stop.signal)).toBeNull();
    expect(asked).toHaveLength(0);
  });
});

const SETTINGS = { match: '/items', id: '/id' };

const answer = (status: number, body: unknown, retryAfterMs: number | null = null) =>
  response(status, typeof body === 'string' ? body : JSON.stringify(body), retryAfterMs);

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
  { kind: 'unreadable', status: 200, code: 'ONBOARD_TIMEOUT', ms: 1 },
  { kind: 'no-response', sent: true, code: 'UND_ERR_SOCKET', ms: 1 },
] as const)('without a whole answer it is asked again: $kind', (reply) => {
  expect(judgeLookUp(reply, SETTINGS).kind).toBe('retry');
});
