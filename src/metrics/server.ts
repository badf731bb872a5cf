/**
 * The three paths that a monitor asks for: `/metrics`, `/healthz` (the event loop turns; a process
 * that waits for Redis is not to be ended for it) and `/readyz` (whether it can send now, and if
 * not, why). Nobody logs in, so the address belongs inside. The server keeps no process alive.
 */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { errorCode, messageOf } from '../lib/errors.ts';
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
  const { registerGauges } = await import('./registry.ts');
  const { registry } = sources;
  registerGauges(sources);
  const type = registry.contentType;
  const metrics = async () => ({ status: 200, type, text: await registry.metrics() });
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    '/metrics': metrics,
    '/healthz': async () => ({ status: 200, type: PLAIN, text: 'ok\n' }),
    '/readyz': async () => readiness(await sources.notReady()),
  };
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    ({ method, url = '/' }, response) => void answer({ method, path: pathOf(url) }, response, pages),
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

type Page = { readonly status: number; readonly type: string; readonly text: string };

const PLAIN = 'text/plain; charset=utf-8';

function readiness(reasons: readonly string[]): Page {
  const isReady = reasons.length === 0;
  const text = `${JSON.stringify({ ready: isReady, reasons })}\n`;
  return { status: isReady ? 200 : 503, type: 'application/json', text };
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

async function answer(
  { method, path }: { readonly method: string | undefined; readonly path: string },
  response: ServerResponse,
  pages: Readonly<Record<string, () => Promise<Page>>>,
): Promise<void> {
  const page = await pageFor(method, Object.hasOwn(pages, path) ? pages[path] : undefined);
  const headers = {
    'content-type': page.type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  response.writeHead(page.status, headers).end(method === 'HEAD' ? undefined : page.text);
}

async function pageFor(method: string | undefined, make: (() => Promise<Page>) | undefined): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: PLAIN, text: 'expected GET\n' };
  if (make === undefined)
    return { status: 404, type: PLAIN, text: 'expected /metrics, /healthz or /readyz\n' };
  try {
    return await make();
  } catch (error) {
    return { status: 500, type: PLAIN, text: `${messageOf(error)}\n` };
  }
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
