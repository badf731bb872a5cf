import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parseFaults } from '../../src/sandbox/fault-rules.ts';
import { createFaultPlan, type FaultPlan } from '../../src/sandbox/faults.ts';
import { call, DOCUMENTS, DRAFTS, openSandbox, SUBCLIENTS } from './call-sandbox.ts';

const ADA = { additionalInformation: { crmId: 'ADA-1' }, details: { name: 'Ada Ltd' } } as const;

describe('a fault before anything is done', () => {
  test.each([
    ['503=always', 503, undefined, ''],
    ['503-retry-after=always', 503, '1', ''],
    ['503-retry-after=always;retry-after=7', 503, '7', ''],
    ['429=always', 429, '1', ''],
    ['429=always;retry-after=none', 429, undefined, ''],
    ['500=always', 500, undefined, expect.any(String)],
    ['401=always', 401, undefined, expect.any(String)],
    ['403=always', 403, undefined, expect.any(String)],
    ['404=always', 404, undefined, expect.any(String)],
  ])('%s is answered so, and nothing is made', async (fault, status, retryAfter, text) => {
    const sandbox = await openSandbox({ faults: [fault] });
    const answer = await call(sandbox, SUBCLIENTS, ADA);
    expect(answer).toMatchObject({ status, text });
    expect(answer.headers['retry-after']).toBe(retryAfter);
    expect(sandbox.stats()).toMatchObject({
      made: { subclients: 0 },
      requests: { 'subclient.create': { [status]: 1 } },
      faults: { [fault.split('=')[0] ?? '']: 1 },
    });
  });

  test.each([
    ['reset-before', 'UND_ERR_SOCKET', 'close'],
    ['hang-before', 'UND_ERR_HEADERS_TIMEOUT', 'hang'],
  ])('%s gives no answer, and nothing is made', async (name, code, label) => {
    const sandbox = await openSandbox({ faults: [`${name}=always`] });
    await expect(call(sandbox, SUBCLIENTS, ADA, { timeoutMs: 200 })).rejects.toMatchObject({ code });
    expect(sandbox.stats()).toMatchObject({
      made: { subclients: 0 },
      requests: { 'subclient.create': { [label]: 1 } },
    });
  });
});

describe('a fault after the work', () => {
  test.each([
    ['503-after-create', 503, ''],
    ['500-after-create', 500, expect.any(String)],
    ['not-json', 200, '<html><body>OK</body></html>'],
  ])('%s is answered so, and the entity was made', async (name, status, text) => {
    const sandbox = await openSandbox({ faults: [`${name}=always`] });
    const answer = await call(sandbox, SUBCLIENTS, ADA);
    expect(answer).toMatchObject({ status, text });
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(sandbox.stats()).toMatchObject({ made: { subclients: 1 }, faults: { [name]: 1 } });
  });

  test.each([
    ['reset-after-create', 'ECONNRESET'],
    ['hang', 'UND_ERR_HEADERS_TIMEOUT'],
    ['cut-answer', 'UND_ERR_SOCKET'],
  ])('%s gives no whole answer, and the entity was made', async (name, code) => {
    const sandbox = await openSandbox({ faults: [`${name}=always`] });
    await expect(call(sandbox, SUBCLIENTS, ADA, { timeoutMs: 200 })).rejects.toMatchObject({ code });
    expect(sandbox.stats()).toMatchObject({ made: { subclients: 1 }, faults: { [name]: 1 } });
  });

  test('no-id leaves the id out, of each document too', async () => {
    const sandbox = await openSandbox({ faults: ['no-id=always'] });
    expect((await call(sandbox, SUBCLIENTS, ADA)).json()).toEqual(
      expect.not.objectContaining({ id: expect.anything() }),
    );
    expect((await call(sandbox, `${DOCUMENTS}pay-0001`)).json()).toEqual([
      expect.not.objectContaining({ id: expect.anything() }),
    ]);
    expect(sandbox.stats().made.subclients).toBe(1);
  });

  test('is not spent on a request that was refused', async () => {
    const sandbox = await openSandbox({ faults: ['500-after-create=first:1'] });
    expect((await call(sandbox, DRAFTS, {})).status).toBe(418);
    expect((await call(sandbox, DRAFTS, { name: 'x' }, { token: 'unknown' })).status).toBe(401);
    expect((await call(sandbox, DRAFTS, { name: 'x' })).status).toBe(500);
    expect((await call(sandbox, DRAFTS, { name: 'x' })).status).toBe(200);
  });
});

describe('where a fault looks', () => {
  test('the key of an update or a look-up is the id in its path', async () => {
    const sandbox = await openSandbox({ faults: ['500=always;key=sub-0007', '404=always;key=pay-0007'] });
    expect((await call(sandbox, 'PATCH /v1/subclients/sub-0007', {})).status).toBe(500);
    expect((await call(sandbox, 'PATCH /v1/subclients/sub-0008', {})).status).toBe(200);
    expect((await call(sandbox, `${DOCUMENTS}pay-0007`)).status).toBe(404);
  });

  test('control calls are never hit', async () => {
    const sandbox = await openSandbox({ faults: ['500=always'] });
    expect((await call(sandbox, 'GET /sandbox/stats')).status).toBe(200);
  });
});

test('latency holds the answer back, and the entity is made at once', async () => {
  const sandbox = await openSandbox({ faults: ['latency=10s'] });
  await expect(call(sandbox, SUBCLIENTS, ADA, { timeoutMs: 200 })).rejects.toMatchObject({
    code: 'UND_ERR_HEADERS_TIMEOUT',
  });
  expect(sandbox.stats().made.subclients).toBe(1);
});

test('closing ends hanging requests and may be done twice', async () => {
  const sandbox = await openSandbox({ faults: ['hang=always'] });
  const hanging = expect(call(sandbox, SUBCLIENTS, ADA)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  await expect.poll(() => sandbox.stats().made.subclients).toBe(1);
  await sandbox.close();
  await sandbox.close();
  await hanging;
  await expect(call(sandbox, SUBCLIENTS, ADA)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a caller that goes away in the middle of its body makes nothing, and the sandbox goes on', async () => {
  const sandbox = await openSandbox();
  const socket = connect(sandbox.port, '127.0.0.1');
  const begun = 'POST /v1/subclients HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"';
  await new Promise((resolve) => socket.write(begun, resolve));
  socket.destroy();
  expect((await call(sandbox, SUBCLIENTS, ADA)).status).toBe(200);
  expect(sandbox.stats().made.subclients).toBe(1);
});

const CREATE = { call: 'subclient.create', key: 'K-1' } as const;

function planOf(specs: readonly string[], seed = 1): FaultPlan {
  return createFaultPlan(parseFaults(specs), seed);
}

function namesOf(plan: FaultPlan, requests: number): (string | null)[] {
  return Array.from({ length: requests }, () => plan.before(CREATE)?.name ?? null);
}

test.each([
  [['500=every:3'], [null, null, '500', null, null, '500', null]],
  [['500=first:2'], ['500', '500', null, null]],
  [
    ['500=first:1', '503=first:2'],
    ['500', '503', '503', null],
  ],
])('%j, one rule after the other, hits %j', (specs, hits) => {
  expect(namesOf(planOf(specs), hits.length)).toEqual(hits);
});

test('a share hits about that share, the same requests for the same seed', () => {
  const hits = namesOf(planOf(['500=5%'], 7), 10_000);
  expect(hits).toEqual(namesOf(planOf(['500=5%'], 7), 10_000));
  expect(hits).not.toEqual(namesOf(planOf(['500=5%'], 8), 10_000));
  const count = hits.filter((hit) => hit !== null).length;
  expect(count).toBeGreaterThan(400);
  expect(count).toBeLessThan(600);
});

test('a rule that aims counts only the requests it aims at', () => {
  const plan = planOf(['500=first:1;key=K-7']);
  expect(plan.before(CREATE)).toBeNull();
  expect(plan.before({ ...CREATE, key: 'K-77' })?.name).toBe('500');
  expect(plan.before({ ...CREATE, key: 'K-77' })).toBeNull();
});

test('a rule for one call leaves the others alone', () => {
  const plan = planOf(['500=always;call=counterparty.draft']);
  expect(plan.before(CREATE)).toBeNull();
  expect(plan.before({ call: 'counterparty.draft', key: '' })?.name).toBe('500');
});

test('hits are counted by name, over both phases and latency', () => {
  const plan = planOf(['hang=always', '500=first:1', 'latency=5ms']);
  plan.after(CREATE);
  plan.after(CREATE);
  plan.before(CREATE);
  plan.before(CREATE);
  plan.delayMs(CREATE);
  expect(plan.hits()).toEqual({ hang: 2, '500': 1, latency: 1 });
});

test('latency stays within its spread', () => {
  const plan = planOf(['latency=50ms±20ms']);
  const delays = Array.from({ length: 1000 }, () => plan.delayMs(CREATE));
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(30);
  expect(Math.max(...delays)).toBeLessThanOrEqual(70);
  expect(new Set(delays).size).toBeGreaterThan(900);
});
