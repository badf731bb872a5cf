import { expect, test } from 'vitest';
import { tellVitals } from '../../src/runs/vitals.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { openTestSession, type TestSession } from '../support/session.ts';

const own = useOwnRedis();
const ADDRESS = { host: '127.0.0.1', port: 0 };
const NO_FILES = { files: 0, oldestSeconds: 0 };
const inbox = async () => ({ waiting: { files: 3, oldestSeconds: 61 }, processing: NO_FILES });

/** Where the process is asked, as it says itself. */
function urlOf({ io }: TestSession): string {
  return /Metrics at (\S+)\/metrics,/.exec(io.stderr.text)?.[1] ?? '';
}

const textAt = async (url: string) => (await fetch(url)).text();

test('a process that watches tells of the ledger and the inboxes, one that only sends does not', async () => {
  const watching = await openTestSession(own(), atTestEnd, {}, { metrics: ADDRESS });
  const { store, service, queue } = watching;
  const run = newRun({ job: 'partner-x', target: service.target, rows: 3 });
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await queue.add([{ run: run.id, chunk: 1, rows: [] }]);
  await tellVitals(watching, { inbox });
  const text = await textAt(`${urlOf(watching)}/metrics`);
  for (const line of [
    'onboard_runs{state="running"} 1',
    'onboard_rows_pending{job="partner-x"} 3',
    'onboard_chunks{state="waiting"} 1',
    'onboard_service_state{state="well"} 1',
    'onboard_workers 1',
    'onboard_inbox_files{state="waiting"} 3',
  ])
    expect(text).toContain(`${line}\n`);

  const sending = await openTestSession(own(), atTestEnd, {}, { metrics: ADDRESS });
  await tellVitals(sending);
  expect(await textAt(`${urlOf(sending)}/metrics`)).not.toMatch(/^onboard_(?:runs|chunks|inbox)/m);
});

test('a process is ready until it is to end, and while Redis is there; it is alive all the same', async () => {
  const session = await openTestSession(own(), atTestEnd, {}, { metrics: ADDRESS });
  await tellVitals(session, { inbox });
  const url = urlOf(session);
  expect(await textAt(`${url}/readyz`)).toBe('{"ready":true,"reasons":[]}');
  session.meter.synced(null);
  session.interruption.abort();
  session.ledger.redis.disconnect();
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    ready: false,
    reasons: ['it is ending', 'Redis is away', 'the journal could not be written: is the disk full?'],
  });
  expect(await textAt(`${url}/healthz`)).toBe('ok\n');
  expect(await textAt(`${url}/metrics`)).toContain('onboard_gate_open 0\n');
  // What closes the session takes its leave from the ledger.
  await session.ledger.redis.connect();
});
