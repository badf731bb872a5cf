/**
 * Where a monitor asks (monitor.ts: what). Nobody logs in, so the address belongs inside. The
 * server keeps no process alive.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { errorCode } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { MetricsSources } from './monitor.ts';

export type MetricsAddress = {
  /** `null`: every address of this machine. */
  readonly host: string | null;
  /** 0: any free one. */
  readonly port: number;
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
  // Loaded only by a process that is asked for metrics.
  const [{ listenerFor }, { registerGauges }] = await Promise.all([
    import('./monitor.ts'),
    import('./registry.ts'),
  ]);
  registerGauges(sources);
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    listenerFor(sources),
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
