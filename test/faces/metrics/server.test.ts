import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { serveMetrics } from '../../../src/faces/metrics/registry.ts';
import { parseListenAddress } from '../../../src/lib/listening.ts';
import { atTestEnd } from '../../support/at-test-end.ts';
import { sampleSources } from './sources.ts';

const HERE = { host: '127.0.0.1', port: 0 };

async function served(over: Partial<Parameters<typeof serveMetrics>[1]> = {}): Promise<string> {
  const server = await serveMetrics(HERE, { ...sampleSources(), notReady: async () => [], ...over });
  atTestEnd(async () => server.close());
  return server.url.replace('/metrics', '');
}

test.each([
  ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
  ['metrics.internal:0', { host: 'metrics.internal', port: 0 }],
  [':9464', { host: '', port: 9464 }],
  ['9464', null],
  ['127.0.0.1', null],
  ['127.0.0.1:70000', null],
  ['http://127.0.0.1:9464', null],
  ['', null],
])('the address %s is read as %j', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});

test('the metrics are text, whatever query comes with them', async () => {
  const response = await fetch(`${await served()}/metrics?name=x`);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(await response.text()).toContain('onboard_build_info{version="0.0.0"');
});

test('a process that is alive says so although nothing of the rest can be told', async () => {
  const stuck = () => new Promise<never>(() => undefined);
  const url = await served({ ledger: stuck, notReady: stuck });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('a process that can not send says why', async () => {
  const url = await served({ notReady: async () => ['Redis does not answer'] });
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ ready: false, reasons: ['Redis does not answer'] });
  expect((await fetch(`${await served()}/readyz`)).status).toBe(200);
});

test.each([
  ['GET', '/', 404],
  ['GET', '/__proto__', 404],
  ['POST', '/metrics', 405],
  ['HEAD', '/metrics', 200],
])('%s %s is answered with %i', async (method, path, status) => {
  expect((await fetch(`${await served()}${path}`, { method })).status).toBe(status);
});

test('an address that is taken is refused with what to do', async () => {
  const url = new URL(await served());
  const taken = serveMetrics(
    { host: url.hostname, port: Number(url.port) },
    { ...sampleSources(), notReady: async () => [] },
  );
  await expect(taken).rejects.toThrow(/--metrics 127.0.0.1:\d+: can't listen there \(EADDRINUSE\)/);
});

test('who connects and says nothing does not keep the server from closing', async () => {
  const server = await serveMetrics(HERE, { ...sampleSources(), notReady: async () => [] });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  server.close();
  await closed;
});
