import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { startFlow } from '../support/flow.ts';
import { serveHttp } from '../support/server.ts';
import { until } from '../support/until.ts';

/** What the service does with the n-th request of a value, from 1. */
type Way = 'answer' | 'drop' | 'hang' | 'in-use';

/** It carries a value's first request out, and answers each later one as it would have the first. */
async function startService(wayOf: (n: number) => Way) {
  const requests: { readonly value: string; readonly body: string }[] = [];
  const made = new Map<string, string>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    const value = String(request.headers['x-once']);
    requests.push({ value, body });
    const way = wayOf(requests.filter((one) => one.value === value).length);
    const id = made.get(value) ?? `made-${made.size + 1}`;
    made.set(value, id);
    if (way === 'drop') request.socket.destroy();
    if (way === 'in-use') response.writeHead(409).end();
    if (way === 'answer') response.writeHead(201).end(JSON.stringify({ id }));
  };
  const url = await serveHttp((request, response) => void serve(request, response));
  return { url, requests, made };
}

const job = (hours: number, send: string) => `
operation: custom
key: Ref
request: { name: thing.add, method: POST, path: /things, id: /id, idempotencyHeader: X-Once, idempotencyHours: ${hours} }
fields: { ref: Ref }
send: { canary: 0, ${send} }
`;
const rowsOf = (count: number) => ['Ref', ...Array.from({ length: count }, (_, i) => `P${i + 1}`)].join('\n');

test('of a service that carries requests out and drops the answers every row is there once, and none in doubt', async () => {
  const ways: readonly Way[] = ['drop', 'in-use'];
  const service = await startService((n) => ways[n - 1] ?? 'answer');
  const flow = await startFlow({ env: { MSB_BASE_URL: service.url } });
  const { exitCode, summary } = await flow.load(job(1, 'attempts: 20'), rowsOf(9));
  expect([exitCode, summary.outcomes.created, summary.outcomes['in-doubt']]).toEqual([0, 9, 0]);
  expect(service.made.size).toBe(9);
  const sent = new Set(service.requests.map(({ value, body }) => `${value} ${body}`));
  expect([sent.size, service.requests.length]).toEqual([9, 27]);
  const ids = (await flow.results(summary)).map(({ id }) => id);
  expect(ids.toSorted()).toEqual([...service.made.values()].toSorted());
});

test.each([
  ['within the hours is sent again under its value, and there once', 1, 30, { created: 12, 'in-doubt': 0 }],
  // 10.8 s, less a tenth and 8 s: a dead worker's chunk is taken over later.
  [
    'and that the service has forgotten since is in doubt, and not sent again',
    0.003,
    8,
    { created: 8, 'in-doubt': 4 },
  ],
] as const)('a row that a killed process left %s', async (_, hours, timeout, outcomes) => {
  let isDown = true;
  const service = await startService(() => (isDown ? 'hang' : 'answer'));
  const times = { ...SHIPPED_TIMES, lockMs: 4_000 };
  const flow = await startFlow({ env: { MSB_BASE_URL: service.url }, times });
  const definition = await flow.file('job.yaml', job(hours, `concurrency: 4, timeoutSeconds: ${timeout}`));
  const file = await flow.file('a.csv', rowsOf(12));
  const killed = flow.start(['run', '--job-file', definition, file]);
  await until(() => service.requests.length === 4);
  killed.child.kill('SIGKILL');
  await killed.ended;
  isDown = false;
  const { summary } = await flow.run(['--job-file', definition, file]);
  expect(summary.outcomes).toMatchObject(outcomes);
  expect(service.made.size).toBe(12);
  expect(service.requests).toHaveLength(12 + 4 - outcomes['in-doubt']);
});
