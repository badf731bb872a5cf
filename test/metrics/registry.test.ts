import { expect, test } from 'vitest';
import { createMeter } from '../../src/metrics/meter.ts';
import { createRegistry } from '../../src/metrics/registry.ts';
import type { Reply } from '../../src/model/request.ts';
import { sampleSources } from './sources.ts';

const reply = (ms: number): Reply => ({ kind: 'response', status: 200, retryAfterMs: null, body: '', ms });

test('attempts are a histogram: each bucket holds those before it, and what took longest is in +Inf', async () => {
  const meter = createMeter();
  for (const ms of [4, 40, 60_000]) meter.attempted('subclient.create', reply(ms), 1);
  const text = await createRegistry(sampleSources({ meter })).metrics();
  const labels = 'operation="subclient.create",status="200"';
  expect(text).toContain('# TYPE onboard_request_duration_seconds histogram');
  expect(text).toContain(`onboard_request_duration_seconds_bucket{${labels},le="0.005"} 1\n`);
  expect(text).toContain(`onboard_request_duration_seconds_bucket{${labels},le="0.05"} 2\n`);
  expect(text).toContain(`onboard_request_duration_seconds_bucket{${labels},le="30"} 2\n`);
  expect(text).toContain(`onboard_request_duration_seconds_bucket{${labels},le="+Inf"} 3\n`);
  expect(text).toContain(`onboard_request_duration_seconds_sum{${labels}} 60.044\n`);
  expect(text).toContain(`onboard_request_duration_seconds_count{${labels}} 3\n`);
  expect(text).not.toContain('status="401"');
});

test('a counter stays what it was from one scrape to the next', async () => {
  const meter = createMeter();
  meter.recorded('partner-x', [{ settlement: { outcome: 'created' } }]);
  const registry = createRegistry(sampleSources({ meter }));
  await registry.metrics();
  expect(await registry.metrics()).toContain('onboard_rows_total{job="partner-x",outcome="created"} 1\n');
});

test('what stands in the ledger and the inbox is shown by job and state', async () => {
  const text = await createRegistry(sampleSources()).metrics();
  expect(text).toContain('onboard_rows_in_doubt{job="partner-x"} 7\n');
  expect(text).toContain('onboard_runs{state="running"} 2\n');
  expect(text).toContain('onboard_runs{state="paused"} 0\n');
  expect(text).toContain('onboard_service_state{state="away"} 1\n');
  expect(text).toContain('onboard_service_state{state="well"} 0\n');
  expect(text).toContain('onboard_run_last_exit_code{job="partner-x"} 5\n');
  expect(text).toContain('onboard_inbox_files{state="waiting"} 2\n');
  expect(text).toContain('onboard_concurrency_limit 20\n');
});

test('a page that is down is told, and of a process without one nothing is', async () => {
  const down = await createRegistry(sampleSources({ isPageUp: () => false })).metrics();
  expect(down).toContain('onboard_page_up 0\n');
  expect(await createRegistry(sampleSources({ isPageUp: null })).metrics()).not.toMatch(/^onboard_page_up/m);
});

test('what can not be told just now is left out, and the rest is told', async () => {
  const away = async () => {
    throw new Error('Redis is away');
  };
  const text = await createRegistry(sampleSources({ ledger: away, inbox: null })).metrics();
  expect(text).not.toMatch(/^onboard_(?:runs|workers|rows_in_doubt|inbox_files|chunk)/m);
  expect(text).toContain('onboard_requests_in_flight 4\n');
});
