import { expect, test } from 'vitest';
import { sandboxStatsSchema } from '../../src/sandbox/control.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { call, DRAFTS, openSandbox, SUBCLIENTS } from './call-sandbox.ts';

test('the statistics over HTTP are those of the process, without a token and without telling tokens', async () => {
  const sandbox = await openSandbox({ tokens: ['secret-1', 'secret-2'] });
  await call(sandbox, SUBCLIENTS, { details: { name: 'Ada' } });
  await call(sandbox, DRAFTS, {});
  const answer = await call(sandbox, 'GET /sandbox/stats', undefined, { token: null });
  expect(sandboxStatsSchema.parse(answer.json())).toEqual(sandbox.stats());
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
    droppedLines: 0,
  });
  expect(answer.text).not.toContain('secret');
});

test('entities are listed in order, from a number on', async () => {
  const sandbox = await openSandbox();
  for (const name of ['a', 'b', 'c']) await call(sandbox, SUBCLIENTS, { details: { name } });
  const all = await call(sandbox, 'GET /sandbox/entities?kind=subclient');
  const made = [...sandbox.entities('subclient')];
  expect(linesOf(all.text)).toEqual(made);
  expect(made.map((entity) => entity.key)).toEqual(['a', 'b', 'c']);
  const rest = await call(sandbox, 'GET /sandbox/entities?kind=subclient&after=0');
  expect(linesOf(rest.text)).toEqual(made.slice(1));
  expect((await call(sandbox, 'GET /sandbox/entities?kind=draft')).text).toBe('');
});

test('the last requests are kept verbatim, bounded, without their tokens', async () => {
  const sandbox = await openSandbox({ recordRequests: 2 });
  const contentType = 'application/json';
  const body = '{ "details": {"name": "Zoë"},\n "x": 1.50 }';
  await call(sandbox, SUBCLIENTS, { details: { name: 'gone' } });
  await call(sandbox, 'PATCH /v1/subclients/sub-0001', body);
  await call(sandbox, `${DRAFTS}?validate=true`, '{');
  expect(sandbox.requests()).toEqual([
    { method: 'PATCH', target: '/v1/subclients/sub-0001', contentType, body },
    { method: 'POST', target: '/v3/counterparties/draft?validate=true', contentType, body: '{' },
  ]);
  expect(sandbox.requests(1).map((request) => request.body)).toEqual(['{']);
});

test('without being asked no request is kept', async () => {
  const sandbox = await openSandbox();
  await call(sandbox, SUBCLIENTS, { details: { name: 'x' } });
  expect(sandbox.requests()).toEqual([]);
});

test('faults are replaced while it runs', async () => {
  const sandbox = await openSandbox({ faults: ['500=always'] });
  expect((await call(sandbox, 'POST /sandbox/faults', { faults: ['503=first:1'] })).status).toBe(204);
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(503);
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(200);
});

test('faults that can not be read leave the old ones in place', async () => {
  const sandbox = await openSandbox({ faults: ['500=always'] });
  const answer = await call(sandbox, 'POST /sandbox/faults', { faults: ['503=often'] });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('every:7');
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(500);
});

test('tokens come and go while it runs', async () => {
  const sandbox = await openSandbox({ tokens: ['old'] });
  await call(sandbox, 'POST /sandbox/tokens', { token: 'old', valid: false });
  await call(sandbox, 'POST /sandbox/tokens', { token: 'new', valid: true });
  expect((await call(sandbox, SUBCLIENTS, {}, { token: 'old' })).status).toBe(401);
  expect((await call(sandbox, SUBCLIENTS, {}, { token: 'new' })).status).toBe(200);
});

test('while it is down every operation is reset and nothing is done', async () => {
  const sandbox = await openSandbox();
  await call(sandbox, 'POST /sandbox/down', { down: true });
  await expect(call(sandbox, SUBCLIENTS, {})).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(sandbox.stats()).toMatchObject({
    made: { subclients: 0 },
    requests: { 'subclient.create': { reset: 1 } },
  });
  await call(sandbox, 'POST /sandbox/down', { down: false });
  expect((await call(sandbox, SUBCLIENTS, {})).status).toBe(200);
});

test.each([
  ['POST /sandbox/faults', { faults: 'x' }, 400],
  ['POST /sandbox/tokens', { token: '' }, 400],
  ['POST /sandbox/down', 'no json', 400],
  ['GET /sandbox/entities?kind=payment', undefined, 400],
  ['GET /sandbox/nothing', undefined, 404],
])('%s with %j gives %i', async (line, body, status) => {
  const sandbox = await openSandbox();
  expect((await call(sandbox, line, body)).status).toBe(status);
});

test('a port that is taken is refused with what to do', async () => {
  const sandbox = await openSandbox();
  await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(/expected a free port\. Choose another/);
});

test('a fault that can not be read keeps it from starting', async () => {
  await expect(startSandbox({ faults: ['5O3=5%'] })).rejects.toThrow('Did you mean "503"?');
});

function linesOf(ndjson: string): unknown[] {
  return ndjson.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}
