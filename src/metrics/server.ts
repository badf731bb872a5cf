/**
 * What a monitor asks for, without a log-in: metrics, whether the event loop turns (a process that
 * waits for Redis must not be ended for it), and whether rows can be sent.
 */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type ListenAddress, listenAt, shownListenAddress } from '../lib/listening.ts';
import type { Sources } from './registry.ts';

type MetricsSources = Sources & {
  /** Why nothing can be sent now, each in words; empty: it can. */
  notReady(): Promise<readonly string[]>;
};

const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
const CONNECTIONS = 50;

export async function serveMetrics(address: ListenAddress, sources: MetricsSources) {
  const { registerGauges } = await import('./registry.ts');
  registerGauges(sources);
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    listenerFor(sources),
  );
  server.maxConnections = CONNECTIONS;
  const bound = await listenAt(server, address, { name: '--metrics', usual: '127.0.0.1:9464' });
  server.unref();
  return {
    url: `http://${shownListenAddress(bound)}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function listenerFor({ notReady, registry }: MetricsSources) {
  const app = new Hono();
  app.use(async ({ header }, next) => {
    header('cache-control', 'no-store');
    header('x-content-type-options', 'nosniff');
    await next();
  });
  app.on(OTHERS, '*', ({ text }) => text('expected GET\n', 405));
  app.get('/metrics', async ({ body }) => {
    return body(await registry.metrics(), 200, { 'content-type': registry.contentType });
  });
  app.get('/healthz', ({ text }) => text('ok\n'));
  app.get('/readyz', async ({ json }) => {
    const reasons = await notReady();
    return json({ ready: reasons.length === 0, reasons }, reasons.length === 0 ? 200 : 503);
  });
  app.notFound(({ text }) => text('expected /metrics, /healthz or /readyz\n', 404));
  app.onError((error, { text }) => text(`${error.message}\n`, 500));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
