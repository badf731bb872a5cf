import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { ledgerKeys } from '../../src/ledger/keys.ts';
import { createRunStore } from '../../src/ledger/run-store.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { createChunkQueue } from '../../src/queue/chunk-queue.ts';
import { ownFolder } from '../support/folder.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { until } from '../support/until.ts';
import { memoryIo } from './memory-io.ts';

const own = useOwnRedis();
/** How long the service takes: the worker is interrupted at the beginning of it. */
const ANSWER_MS = 200;

/** A service that calls `onRequest` when it has read one, and creates when that is over. */
async function startService(onRequest: () => Promise<void> | void) {
  let made = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      made += 1;
      void (async () => {
        await onRequest();
        setTimeout(() => response.end(`{"id":"made-${made}"}`), ANSWER_MS);
      })();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the service has no port');
  return { url: `http://127.0.0.1:${address.port}`, made: () => made };
}

/** A running run of two rows at a service, in one chunk that waits for a worker; `work` is such a worker. */
async function waitingRun(url: string, interruption: AbortController) {
  const { redis, address } = own();
  if (address.kind !== 'socket') throw new Error('expected a socket');
  const home = await ownFolder();
  const keys = ledgerKeys(url);
  const store = createRunStore(redis, keys, () => new Date());
  const definition = jobDefinitionSchema.parse({
    operation: 'subclient.create',
    key: 'externalId',
    fields: { 'additionalInformation.crmId': 'externalId' },
    send: { concurrency: 1 },
  });
  const { id } = await store.register(newRun({ rows: 2, definition, target: url }));
  await store.transition(id, 'running', null);
  const queue = createChunkQueue(redis, keys.queuePrefix, () => undefined);
  onTestFinished(() => queue.close());
  const rows = [1, 2].map((row) => ({
    row: { kind: 'cells' as const, row, line: row + 1, cells: [`K${row}`] },
    claim: { kind: 'claimed' as const },
  }));
  await queue.add([{ run: id, chunk: 1, rows }]);
  const env = {
    MSB_BASE_URL: url,
    MSB_TOKEN: 't',
    REDIS_URL: `unix://${address.path}`,
    ONBOARD_HOME: home,
  };
  const io = memoryIo({ env, interrupted: interruption.signal });
  return { id, store, queue, io, work: (...args: readonly string[]) => runProgram(['work', ...args], io) };
}

test('a worker that is interrupted waits for the answer to its row in flight, records it, and sends no other', async () => {
  const interruption = new AbortController();
  const service = await startService(() => interruption.abort());
  const { id, store, queue, io, work } = await waitingRun(service.url, interruption);
  expect(await work()).toBe(4);

  expect(await store.get(id)).toMatchObject({ state: 'running', outcomes: { ...noOutcomes(), created: 1 } });
  expect([service.made(), await queue.has(id, 1)]).toEqual([1, true]);
  expect(io.stderr.text).toContain(`Working for ${service.url}`);
});

test('a worker is asked for its metrics while it sends: what is in flight, and what came of the rows before', async () => {
  const interruption = new AbortController();
  const scrapes: string[] = [];
  const service = await startService(async () => {
    const metricsUrl = () => /Metrics at (\S+)\/metrics,/.exec(run.io.stderr.text)?.[1];
    // The worker may be faster than what it says of itself.
    await until(() => metricsUrl() !== undefined);
    scrapes.push(await (await fetch(`${metricsUrl()}/metrics`)).text());
    scrapes.push(await (await fetch(`${metricsUrl()}/readyz`)).text());
    if (service.made() === 2) interruption.abort();
  });
  const run = await waitingRun(service.url, interruption);
  expect(await run.work('--metrics', '127.0.0.1:0')).toBe(4);

  const [first = '', ready, second = ''] = scrapes;
  expect(first).toContain('onboard_requests_in_flight 1\n');
  expect(first).not.toContain('onboard_request_duration_seconds_count{');
  expect(first).toContain('onboard_gate_open 1\n');
  expect(first).not.toContain('onboard_runs{');
  expect(ready).toBe('{"ready":true,"reasons":[]}');
  const attempts = 'operation="subclient.create",status="200"';
  expect(second).toContain(`onboard_request_duration_seconds_count{${attempts}} 1\n`);
  expect(second).toContain('onboard_rows_total{job="subclients-create",outcome="created"} 1\n');
});

test.each(['--web=127.0.0.1:0', '--rest=2'])(
  'start %s is refused where a proxy names people without a secret',
  async (flag) => {
    const env = {
      ONBOARD_HOME: await ownFolder(),
      ONBOARD_JOBS: 'jobs',
      MSB_BASE_URL: 'http://127.0.0.1:9',
      MSB_TOKEN: 'token',
      ONBOARD_WEB_USER_HEADER: 'X-Forwarded-User',
      ONBOARD_WEB_PROXY: '127.0.0.1',
    };
    const io = memoryIo({ env });
    expect(await runProgram(['start', flag], io)).toBe(3);
    expect(io.stderr.text).toContain('ONBOARD_WEB_PROXY_SECRET_FILE: expected all three');
  },
);
