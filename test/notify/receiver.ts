import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AtTestEnd } from '../support/at-test-end.ts';

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

/** A receiver of webhooks that answers the n-th request (from 1) with a status and headers of the test's own. */
export async function startReceiver(
  atEnd: AtTestEnd,
  answer: (
    n: number,
  ) => { readonly status: number; readonly headers?: Record<string, string> } | null = () => ({
    status: 204,
  }),
) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      const given = answer(received.length);
      if (given !== null) response.writeHead(given.status, given.headers ?? {}).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return { url: `http://127.0.0.1:${address.port}/hook`, received };
}
