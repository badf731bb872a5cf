import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveHttp } from './server.ts';

/** What was really made: ids by key. */
export function truthOf(sandbox: Sandbox): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, key } of sandbox.entities('subclient'))
    ids.set(key ?? '', [...(ids.get(key ?? '') ?? []), id]);
  return ids;
}

/** The service with a look-up: creates go to the sandbox, and what it knows by key is told. */
export async function startFront(sandbox: Sandbox, extraId: (key: string) => string | null) {
  const seen = { lookUps: 0, firstLookUpAt: 0, lastCreateAt: 0, trouble: 0 };
  const lookUp = (url: URL, response: ServerResponse) => {
    seen.lookUps += 1;
    seen.firstLookUpAt ||= performance.now();
    if (seen.trouble > 0) {
      seen.trouble -= 1;
      return void response.writeHead(503).end();
    }
    const key = url.searchParams.get('ref') ?? '';
    const extra = extraId(key);
    const ids = [...(truthOf(sandbox).get(key) ?? []), ...(extra === null ? [] : [extra])];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: { items: ids.map((id) => ({ record: { id } })) } }));
  };
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const url = new URL(incoming.url ?? '/', sandbox.url);
    if (incoming.method === 'GET') return lookUp(url, response);
    seen.lastCreateAt = performance.now();
    const { method, headers } = incoming;
    const onward = request(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('error', () => response.destroy()).pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  return { seen, env: { MSB_BASE_URL: await serveHttp(handle) } };
}
