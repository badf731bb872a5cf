import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { call, DRAFTS, openSandbox, SUBCLIENTS } from './call-sandbox.ts';

test('the statistics over HTTP are those of the process, without a token and without telling tokens', async () => {
  const sandbox = await openSandbox({ tokens: ['secret-1', 'secret-2'] });
  await call(sandbox, SUBCLIENTS, { details: { name: 'Ada' } });
  await call(sandbox, DRAFTS, {});
  const answer = await call(sandbox, 'GET /sandbox/stats', undefined, { token: null });
  expect(answer.json()).toEqual(sandbox.stats());
  expect(sandbox.stats()).toEqual({
    made: { subclients: 1, drafts: 0 },
    updated: 0,
    listed: 0,
    requests: { 'subclient.create': { '200': 1 }, 'counterparty.draft': { '418': 1 } },
    duplicates: [],
    duplicateKeys: 0,
    faults: {},
    tokens: [
      { valid: true, requests: 2 },
      { valid: true, requests: 0 },
    ],
  });
  expect(answer.text).not.toContain('secret');
});

test('entities are listed in order', async () => {
  const sandbox = await openSandbox();
  for (const name of ['a', 'b', 'c']) await call(sandbox, SUBCLIENTS, { details: { name } });
  const made = [...sandbox.entities('subclient')];
  expect(made.map((entity) => entity.key)).toEqual(['a', 'b', 'c']);
  expect([...sandbox.entities('subclient', 1)]).toEqual(made.slice(1));
  expect((await call(sandbox, 'GET /sandbox/entities?kind=subclient')).json()).toEqual(made);
  expect((await call(sandbox, 'GET /sandbox/entities?kind=draft')).json()).toEqual([]);
});

test('faults that can not be read leave the old ones in place', async () => {
  const sandbox = await openSandbox({ faults: ['500=always'] });
  expect(() => sandbox.setFaults(['503=often'])).toThrow('every:7');
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(500);
  sandbox.setFaults(['503=first:1']);
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(503);
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(200);
});

test('a token that is revoked is no longer taken', async () => {
  const sandbox = await openSandbox({ tokens: ['old', 'new'] });
  sandbox.revoke('old');
  expect((await call(sandbox, SUBCLIENTS, {}, { token: 'old' })).status).toBe(401);
  expect((await call(sandbox, SUBCLIENTS, '{', { token: 'new' })).status).toBe(400);
});

test.each([
  ['GET /sandbox/entities?kind=payment', 400],
  ['GET /sandbox/nothing', 404],
])('%s gives %i', async (line, status) => {
  const sandbox = await openSandbox();
  expect((await call(sandbox, line)).status).toBe(status);
});

test('a port that is taken is refused with what to do', async () => {
  const sandbox = await openSandbox();
  await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(/expected a free port\. Choose another/);
});
