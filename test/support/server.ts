import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Server } from 'node:net';
import { atTestEnd } from './at-test-end.ts';

/** Listens on a free port of the loopback address. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** A server of one test's own; answers its address. */
export async function serveHttp(handle: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 65_000 }, handle);
  const port = await listen(server);
  atTestEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${port}`;
}
