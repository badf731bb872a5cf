import { expect, test } from 'vitest';
import { createMeter } from '../../src/metrics/meter.ts';
import type { Reply } from '../../src/model/request.ts';

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
])('an attempt that ended as %j counts as %s', (reply, status) => {
  const meter = createMeter();
  meter.attempted('subclient.create', reply, 1);
  expect([...(meter.read().calls.get('subclient.create')?.byStatus.keys() ?? [])]).toEqual([status]);
});

test('an attempt is counted under the first bound that it keeps, with what it took', () => {
  const meter = createMeter();
  for (const ms of [5, 6, 31_000]) meter.attempted('subclient.create', answered(200, ms), 1);
  const times = meter.read().calls.get('subclient.create')?.byStatus.get('200');
  expect(times?.counts[0]).toBe(1);
  expect(times?.counts[1]).toBe(1);
  expect(times?.counts.at(-1)).toBe(1);
  expect(times?.seconds).toBeCloseTo(31.011);
});

test('a retry is an attempt after the first one', () => {
  const meter = createMeter();
  for (const made of [1, 2, 3, 1]) meter.attempted('subclient.update', answered(503), made);
  expect(meter.read().calls.get('subclient.update')?.retries).toBe(2);
});

test('outcomes are counted by job', () => {
  const meter = createMeter();
  const row = (outcome: 'created' | 'rejected') => ({ settlement: { outcome } });
  meter.recorded('a', [row('created'), row('created'), row('rejected')]);
  meter.recorded('b', [row('created')]);
  expect(meter.read().rows.get('a')).toMatchObject({ created: 2, rejected: 1, failed: 0 });
  expect(meter.read().rows.get('b')).toMatchObject({ created: 1 });
});

test('the journal counts as written until a group was not', () => {
  const meter = createMeter();
  const isWritten = () => meter.read().isJournalWritten;
  expect(isWritten()).toBe(true);
  meter.synced(null);
  expect(isWritten()).toBe(false);
  meter.synced(0.4);
  expect(isWritten()).toBe(true);
  expect(meter.read().journalSync.counts[0]).toBe(1);
});
