/**
 * The three paths that a monitor asks for: `/metrics`, `/healthz` (the event loop turns; a process
 * that waits for Redis is not to be ended for it) and `/readyz` (whether it can send now, and if
 * not, why).
 */
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Sources } from './registry.ts';

export type MetricsSources = Sources & {
  /** Why nothing can be sent now, each in words; empty: it can. */
  notReady(): Promise<readonly string[]>;
};

const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function listenerFor({ notReady, registry }: MetricsSources) {
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
