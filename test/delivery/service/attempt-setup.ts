import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ProxyServer } from '../../../src/config/service-route.ts';
import { createClient, type ServiceClient } from '../../../src/delivery/service/attempt.ts';
import { openRoute, type Route } from '../../../src/delivery/service/route.ts';
import { tlsFilesOf } from '../../../src/lib/tls-files.ts';
import type { ServiceRequest } from '../../../src/model/request.ts';
import { atTestEnd } from '../../support/at-test-end.ts';
import { listen } from '../../support/server.ts';
import { type RawServer, rawServer } from './raw-server.ts';

export type ClientOptions = Parameters<typeof createClient>[0];

/** The part, which is closed after the test. */
export function closing<T extends { close(): Promise<void> }>(part: T): T {
  atTestEnd(() => part.close());
  return part;
}

/** A server that answers each request so, with its address; closed after the test. */
export async function serve(answer: Parameters<typeof rawServer>[0]): Promise<RawServer & { url: string }> {
  const server = closing(await rawServer(answer));
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

/** Trusts that authority alone; `own`: the client's certificate and its key. */
export function routeWith(ca: string, own: readonly string[] = [], proxy: ProxyServer | null = null): Route {
  const settings = { tls: tlsFilesOf(ca, ...own), proxy: null, direct: '' };
  return { ...openRoute('https://localhost', settings), proxy };
}

/** Of `localhost`, signed by itself. */
export const CERT_FILE = fileURLToPath(new URL('fixtures/localhost-cert.pem', import.meta.url));

/** The port that the server listens on until the test is over. */
export async function portUntilEnd(server: Server): Promise<number> {
  const port = await listen(server);
  atTestEnd(() => void server.close());
  return port;
}

/** A client that is destroyed after the test. */
export function clientFor(baseUrl: string, options: Partial<ClientOptions> = {}): ServiceClient {
  const client = createClient({ baseUrl, concurrency: 1, timeoutMs: 20_000, version: '0.0.0', ...options });
  atTestEnd(() => client.destroy());
  return client;
}

/** A create. */
export function post(path = '/v1/subclients', body = '{"details":{"name":"Zürich"}}'): ServiceRequest {
  return { call: 'subclient.create', method: 'POST', path, body };
}

/** A look-up. */
export function get(path = '/v1/documents/payments/attachments/p1'): ServiceRequest {
  return { call: 'payment.documents', method: 'GET', path, body: null };
}

const announcementSchema = z.looseObject({ request: z.looseObject({ path: z.string() }) });

/** Counts how often undici announced that it writes a request with this path: the measured half of the proof. */
export function countAnnouncements(path: string): () => number {
  let count = 0;
  const onMessage = (message: unknown) => {
    if (announcementSchema.parse(message).request.path === path) count += 1;
  };
  subscribe('undici:client:sendHeaders', onMessage);
  atTestEnd(() => void unsubscribe('undici:client:sendHeaders', onMessage));
  return () => count;
}
