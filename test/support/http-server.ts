import { createServer, type RequestListener } from 'node:http';
import { listen } from '../../src/sandbox/sandbox.ts';
import { atTestEnd } from './at-test-end.ts';

/** A server of one test's own; answers its address. */
export async function serveHttp(handle: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 65_000 }, handle);
  const port = await listen(server, 0);
  atTestEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${port}`;
}
