import type { OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';
import { serveHttp } from '../support/server.ts';

type Refusal = readonly [status: number, head?: OutgoingHttpHeaders];
/** `null`: the row is made. */
type Refuses = (key: string) => Refusal | null;

/** A service that makes rows and counts how often it was asked for each. */
async function startService(refuses: Refuses) {
  const asked = new Map<string, number>();
  const made: string[] = [];
  const url = await serveHttp(async (incoming, outgoing) => {
    const key = /"crmId":"(\w+)"/.exec(await text(incoming))?.[1] ?? '';
    asked.set(key, (asked.get(key) ?? 0) + 1);
    const refusal = refuses(key);
    if (refusal !== null) return void outgoing.writeHead(...refusal).end('{"detail":"no"}');
    made.push(key);
    outgoing.writeHead(200).end(`{"id":"sub-${key}"}`);
  });
  const requests = () => [...asked.values()].reduce((sum, count) => sum + count, 0);
  return { url, asked, made, requests };
}

/** Rows in a file of their own, loaded from the service. */
async function startLoad(refuses: Refuses, rows: number, send = '') {
  const service = await startService(refuses);
  const flow = await startFlow({ env: { MSB_BASE_URL: service.url } });
  const args = [
    '--job-file',
    await flow.file('job.yaml', createJob(send)),
    await flow.file('rows.csv', subclientsCsv(rows)),
  ];
  return { flow, service, args, run: () => flow.run(args) };
}

describe('a limit costs time and no row, whatever form it has (all of them: test/delivery/service/retry-wait)', () => {
  const WINDOW_MS = 1_000;
  const PER_WINDOW = 25;
  const ROWS = 45;
  const AT_ONCE = 20;
  type Form = (resetAt: number) => Refusal;

  /** Lets so many through in each window, and says in that form when the next one begins. */
  function windowed(form: Form): Refuses {
    let began = 0;
    let passed = 0;
    return () => {
      if (Date.now() >= began + WINDOW_MS) [began, passed] = [Date.now(), 0];
      passed += 1;
      return passed <= PER_WINDOW ? null : form(began + WINDOW_MS);
    };
  }

  const seconds = (at: number) => Math.ceil((at - Date.now()) / 1000);
  const epoch = (at: number) => Math.ceil(at / 1000);
  /** By the clock of a place one hour ahead. */
  const zoned = (at: number, zone: string) =>
    new Date((epoch(at) + 3_600) * 1000).toUTCString().replace('GMT', zone);

  const NAMED: ReadonlyArray<[string, Form]> = [
    ['X-RateLimit-Reset since 1970', (at) => [429, { 'x-ratelimit-reset': epoch(at) }]],
    ['retry-after-ms', (at) => [429, { 'retry-after-ms': at - Date.now() }]],
    ['a fraction', (at) => [429, { 'retry-after': `${(at - Date.now()) / 1000}` }]],
    [
      'an answer that can not be read',
      (at) => [429, { 'retry-after': `${seconds(at)}`, 'content-encoding': 'br' }],
    ],
    ['403 with nothing left', (at) => [403, { 'x-ratelimit-remaining': 0, 'x-ratelimit-reset': epoch(at) }]],
  ];
  const UNNAMED: ReadonlyArray<[string, Form]> = [
    ['429 without a time', () => [429]],
    ['503 with a date of another zone', (at) => [503, { 'retry-after': zoned(at, '+0100') }]],
  ];

  test.each([...NAMED, ...UNNAMED])('%s', async (name, form) => {
    const { run, service } = await startLoad(windowed(form), ROWS);
    const { exitCode, summary } = await run();
    expect([exitCode, summary.outcomes.created, service.made.length, new Set(service.made).size]).toEqual([
      0,
      ROWS,
      ROWS,
      ROWS,
    ]);
    const isNamed = NAMED.some(([named]) => named === name);
    // Those that are on their way when a window ends are refused, and no other.
    if (isNamed) expect(service.requests()).toBeLessThanOrEqual(ROWS + 3 * AT_ONCE);
  });
});

describe('a 403 that names a time', () => {
  test('and comes again with no success between is a missing permission: three pause the run', async () => {
    const mayPass = new Set(['K1', 'K2', 'K3']);
    const refuses: Refuses = (key) => (mayPass.has(key) ? null : [403, { 'retry-after': '0.2' }]);
    const { run, service } = await startLoad(refuses, 30, 'concurrency: 3');
    const { exitCode, summary } = await run();
    expect([exitCode, summary.reason]).toEqual([2, 'permission']);
    // With those on their way then.
    expect(summary.outcomes.denied).toBeLessThanOrEqual(5);
    expect(Math.max(...service.asked.values())).toBe(2);
  });

  test.each<[string, OutgoingHttpHeaders]>([
    ['in the past', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000' }],
    ['of a limit that has something left', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1' }],
    ['of a limit of which nothing is known', { 'x-ratelimit-reset': '1' }],
  ])('%s is a refusal', async (_, head) => {
    const { run, service } = await startLoad((key) => (key === 'K1' ? [403, head] : null), 5);
    expect((await run()).summary.outcomes).toMatchObject({ denied: 1, created: 4 });
    expect(service.requests()).toBe(5);
  });
});

describe('a row that never gets through while others do', () => {
  const refusing =
    (key: string, ...refusal: Refusal): Refuses =>
    (of) =>
      of === key ? refusal : null;

  test.each<[string, Refusal, object]>([
    ['429', [429, { 'retry-after-ms': 50 }], { failed: 1 }],
    ['503', [503, { 'retry-after': '0.05' }], { failed: 1 }],
    ['403', [403, { 'retry-after': '0.05' }], { denied: 1 }],
  ])('ends as its last answer says: %s', async (_, refusal, ends) => {
    const { run } = await startLoad(refusing('K1', ...refusal), 30);
    const { exitCode, summary } = await run();
    expect([exitCode, summary.outcomes]).toEqual([1, expect.objectContaining({ created: 29, ...ends })]);
  });

  test.each([[429], [503]])('ends so too where it came last (%i), and waits only once', async (status) => {
    const refuses = refusing('K25', status, { 'retry-after': '0.1' });
    const { run, flow } = await startLoad(refuses, 25, 'concurrency: 1, awayMinutes: 0.05');
    const { exitCode, summary } = await run();
    expect([exitCode, summary.outcomes]).toEqual([1, expect.objectContaining({ created: 24, failed: 1 })]);
    expect(await flow.report(summary, 'failed.csv')).toContain('gave up after');
  });

  test('pauses its run where too few others got through to tell it from an outage', async () => {
    const { run } = await startLoad(refusing('K2', 503, { 'retry-after': '1' }), 2, 'awayMinutes: 0.03');
    const { exitCode, summary } = await run();
    expect([exitCode, summary.reason, summary.outcomes.failed]).toEqual([2, 'service-away', 0]);
  });
});
