import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serveHttp } from '../../support/server.ts';

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

type Answer = { readonly status: number; readonly headers?: Record<string, string> };

/** A receiver of webhooks that answers the n-th request (from 1) with a status and headers of the test's own. */
export async function startReceiver(answer: (n: number) => Answer | null = () => ({ status: 204 })) {
  const received: Received[] = [];
  const url = await serveHttp(async (request, response) => {
    received.push({ headers: request.headers, body: (await buffer(request)).toString() });
    const given = answer(received.length);
    if (given !== null) response.writeHead(given.status, given.headers ?? {}).end();
  });
  return { url: `${url}/hook`, received };
}
