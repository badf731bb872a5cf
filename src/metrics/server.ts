/**
 * The three paths that a monitor asks for: `/metrics`, `/healthz` (the event loop turns; a process
 * that waits for Redis is not to be ended for it) and `/readyz` (whether it can send now, and if
 * not, why). Nobody logs in, so the address belongs inside. The server keeps no process alive.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { errorCode } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Sources } from './registry.ts';

export type MetricsAddress = {
  /** `null`: every address of this machine. */
  readonly host: string | null;
  /** 0: any free one. */
  readonly port: number;
};

type MetricsSources = Sources & {
  /** Why nothing can be sent now, each in words; empty: it can. */
  notReady(): Promise<readonly string[]>;
};

type MetricsServer = {
  /** Where it is asked, such as http://127.0.0.1:9464/metrics. */
  readonly url: string;
  close(): void;
};

const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
const CONNECTIONS = 50;

/** Listens; throws a UsageError where it can't. */
export async function serveMetrics(address: MetricsAddress, sources: MetricsSources): Promise<MetricsServer> {
  const { getRequestListener } = await import('@hono/node-server');
  const { fetch } = await createApp(sources);
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    getRequestListener(fetch, { overrideGlobalObjects: false }),
  );
  server.maxConnections = CONNECTIONS;
  await listen(server, address);
  server.unref();
  return {
    url: `http://${shownAddress(server)}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Loads the libraries only for a process that is asked for metrics. */
async function createApp({ notReady, ...sources }: MetricsSources) {
  const [{ Hono }, { registerGauges }] = await Promise.all([import('hono'), import('./registry.ts')]);
  const { registry } = sources;
  registerGauges(sources);
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
  return app;
}

async function listen(server: Server, { host, port }: MetricsAddress): Promise<void> {
  server.listen({ port, ...(host !== null && { host }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    const shown = `${host ?? ''}:${port}`;
    throw new UsageError(
      `--metrics ${shown}: can't listen there (${errorCode(error)}): ` +
        'expected an address of this machine and a free port, such as 127.0.0.1:9464.',
      { cause: error },
    );
  }
}

function shownAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return '';
  const host = address.address.includes(':') ? `[${address.address}]` : address.address;
  return `${host}:${address.port}`;
}

const HIGHEST_PORT = 65_535;

/** Such as `127.0.0.1:9464` or `[::1]:9464`; `:9464` is every address of this machine. */
export function parseMetricsAddress(text: string): MetricsAddress | null {
  const found = /^(?:\[([\da-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(text);
  if (found === null) return null;
  const host = found[1] ?? found[2] ?? '';
  const port = Number(found[3]);
  return port > HIGHEST_PORT ? null : { host: host === '' ? null : host, port };
}
