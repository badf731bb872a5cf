import { expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import { createChunkQueue } from '../../../src/engine/queue/chunk-queue.ts';
import { runProgram } from '../../../src/faces/cli/program.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { atTestEnd } from '../../support/at-test-end.ts';
import { ownFolder } from '../../support/folder.ts';
import { keyedRows } from '../../support/keyed-rows.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { serveHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { memoryIo } from './memory-io.ts';

const own = useOwnRedis();

/** A running run of two rows at a service, in one chunk that waits for a worker. */
async function registerRun(url: string): Promise<void> {
  const { redis } = own();
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
  const queue = createChunkQueue(
    redis,
    keys.queuePrefix,
    () => undefined,
    async () => CLEAR,
  );
  atTestEnd(() => queue.close());
  const rows = keyedRows(['K1', 'K2']).map((row) => ({ row, claim: { kind: 'claimed' as const } }));
  await queue.add([{ run: id, chunk: 1, rows }]);
}

test('a worker is asked for its metrics while it sends: what is in flight, and what came of the rows before', async () => {
  const interruption = new AbortController();
  const scrapes: string[] = [];
  let made = 0;
  const url = await serveHttp(async (request, response) => {
    request.resume();
    made += 1;
    const metricsUrl = () => /Metrics at (\S+)\/metrics,/.exec(io.stderr.text)?.[1];
    // The worker may be faster than what it says of itself.
    await until(() => metricsUrl() !== undefined);
    scrapes.push(await (await fetch(`${metricsUrl()}/metrics`)).text());
    scrapes.push(await (await fetch(`${metricsUrl()}/readyz`)).text());
    if (made === 2) interruption.abort();
    response.end(`{"id":"made-${made}"}`);
  });
  await registerRun(url);
  const env = { MSB_BASE_URL: url, MSB_TOKEN: 't', REDIS_URL: own().url, ONBOARD_HOME: await ownFolder() };
  const io = memoryIo({ env, interrupted: interruption.signal });
  expect(await runProgram(['work', '--metrics', '127.0.0.1:0'], io)).toBe(4);

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

test.each(['--web=127.0.0.1:0', '--rest=2'])('start %s: refused for a proxy without secret', async (flag) => {
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
});
