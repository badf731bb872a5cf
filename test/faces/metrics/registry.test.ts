import { expect, test } from 'vitest';
import { createMeter } from '../../../src/faces/metrics/meter.ts';
import { createCounters } from '../../../src/faces/metrics/registry.ts';
import type { Reply } from '../../../src/model/request.ts';
import { metricsText } from './sources.ts';

const answered = (status: number, ms = 3): Reply => ({
  kind: 'response',
  status,
  retryAfterMs: null,
  body: '',
  ms,
});
const none = (sent: boolean, code: string): Reply => ({ kind: 'no-response', sent, code, ms: 3 });

test.each([
  [answered(200), '200'],
  [answered(418), '418'],
  [answered(404), '4xx'],
  [answered(503), '5xx'],
  [answered(303), 'other'],
  [none(false, 'ECONNREFUSED'), 'refused'],
  [none(false, 'ONBOARD_TIMEOUT_BEFORE_SENDING'), 'refused'],
  [none(true, 'ONBOARD_TIMEOUT'), 'timeout'],
  [none(true, 'UND_ERR_SOCKET'), 'lost'],
  [{ kind: 'unreadable', status: 200, code: 'UND_ERR_SOCKET', ms: 3 } satisfies Reply, 'lost'],
])('an attempt that ended as %j counts as %s', async (reply, status) => {
  const meter = createCounters();
  meter.attempted('subclient.create', reply, 1);
  expect(await meter.registry.metrics()).toContain(
    `_count{operation="subclient.create",status="${status}"} 1`,
  );
});

const reply = (ms: number): Reply => answered(200, ms);

test('attempts are a histogram: each bucket holds those before it, and what took longest is in +Inf', async () => {
  const meter = createCounters();
  for (const ms of [4, 40, 60_000]) meter.attempted('subclient.create', reply(ms), 1);
  const text = await metricsText({ registry: meter.registry });
  const labels = 'operation="subclient.create",status="200"';
  expect(text).toContain('# TYPE onboard_request_duration_seconds histogram');
  expect(text).toContain(`onboard_request_duration_seconds_bucket{le="0.005",${labels}} 1\n`);
  expect(text).toContain(`onboard_request_duration_seconds_bucket{le="0.05",${labels}} 2\n`);
  expect(text).toContain(`onboard_request_duration_seconds_bucket{le="30",${labels}} 2\n`);
  expect(text).toContain(`onboard_request_duration_seconds_bucket{le="+Inf",${labels}} 3\n`);
  expect(text).toContain(`onboard_request_duration_seconds_sum{${labels}} 60.044\n`);
  expect(text).not.toContain('status="401"');
});

test('a retry is an attempt after the first one; outcomes are counted by job', async () => {
  const meter = createCounters();
  for (const made of [1, 2, 3, 1]) meter.attempted('subclient.update', answered(503), made);
  const row = (outcome: 'created' | 'rejected') => ({ outcome });
  meter.recorded('a', [row('created'), row('created'), row('rejected')]);
  const text = await metricsText({ registry: meter.registry });
  expect(text).toContain('onboard_retries_total{operation="subclient.update"} 2\n');
  expect(text).toContain('onboard_rows_total{job="a",outcome="created"} 2\n');
  expect(text).toContain('onboard_rows_total{job="a",outcome="rejected"} 1\n');
});

test('what stands in the ledger and the inbox is shown by job and state', async () => {
  const text = await metricsText();
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
  const down = await metricsText({ isPageUp: () => false });
  expect(down).toContain('onboard_page_up 0\n');
  expect(await metricsText({ isPageUp: null })).not.toMatch(/^onboard_page_up/m);
});

test('what can not be told just now is left out, and the rest is told', async () => {
  const away = async () => {
    throw new Error('Redis is away');
  };
  const text = await metricsText({ ledger: away, inbox: null });
  expect(text).not.toMatch(/^onboard_(?:runs|workers|rows_in_doubt|inbox_files|chunk)/m);
  expect(text).toContain('onboard_requests_in_flight 4\n');
});

test('the journal counts as written until a group was not', () => {
  const meter = createMeter();
  expect(meter.isJournalWritten()).toBe(true);
  meter.synced(null);
  expect(meter.isJournalWritten()).toBe(false);
  meter.synced(0.4);
  expect(meter.isJournalWritten()).toBe(true);
});
