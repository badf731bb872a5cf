import { describe, expect, test } from 'vitest';
import { lookupSchema } from '../../src/config/job-definition.ts';
import type { Reply } from '../../src/model/reply.ts';
import { createLookUp, lookUpPath } from '../../src/service/look-up.ts';

const NEVER = new AbortController().signal;

function reply(status: number, body = '[]'): Reply {
  return { kind: 'response', status, body, retryAfterMs: null, ms: 1 };
}

/** A look-up against a service that gives these replies in order, the last one on and on. */
function scripted(replies: readonly Reply[], fresh: string | null = null) {
  const asked: Array<{ path: string; method: string; token: string }> = [];
  const lookUp = createLookUp({
    settings: lookupSchema.parse({ path: '/things/{key}?again={key}', match: '', id: '/id' }),
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
  ])('%s with the key %j', (template, key, path) => expect(lookUpPath(template, key)).toBe(path));

  test.each(['.', '..', '', '\ud800'])('the key %j can not stand in one', (key) => {
    expect(lookUpPath('/a/{key}', key)).toBeNull();
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
    const well = scripted([reply(401), reply(404)], 'new');
    expect(await well.lookUp('K', NEVER)).toEqual({ kind: 'not-found' });
    expect(well.asked.map(({ token }) => token)).toEqual(['old', 'new']);
    const refused = scripted([reply(401)], 'new');
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
