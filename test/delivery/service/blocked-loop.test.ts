import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { atTestEnd } from '../../support/at-test-end.ts';
import { CERT_FILE, clientFor, post, routeWith } from './attempt-setup.ts';
import { answerText } from './raw-server.ts';

const CERT = readFileSync(CERT_FILE, 'utf8');
const KEY = readFileSync(new URL('fixtures/localhost-key.pem', import.meta.url), 'utf8');
const TIMEOUT_MS = 950;
/** undici counts its own time-outs in such steps, however long a step took. */
const UNDICI_TICK_MS = 499;

/** In a thread of its own, which answers while this one stands still: says when it has a request, answers when it is told to. */
async function serverThread(protocol: 'http' | 'https') {
  const worker = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     const { protocol, cert, key, answer } = workerData;
     const onSocket = (socket) => {
       socket.on('error', () => undefined);
       socket.on('data', (data) => data.includes('}') && parentPort.postMessage('received'));
       parentPort.on('message', () => socket.write(answer));
     };
     const server = protocol === 'http'
       ? require('node:net').createServer(onSocket)
       : require('node:tls').createServer({ cert, key }, onSocket);
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    {
      eval: true,
      workerData: { protocol, cert: CERT, key: KEY, answer: answerText(200, '{"id":"in-time"}') },
    },
  );
  atTestEnd(() => void worker.terminate());
  const [port] = await once(worker, 'message');
  return {
    url: `${protocol}://localhost:${port}`,
    received: once(worker, 'message'),
    answer: () => worker.postMessage('answer'),
  };
}

/** The event loop stands still. */
function block(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('an answer that came while the event loop stood still is read, however late the time-outs fire', async () => {
  const servers = [await serverThread('http'), await serverThread('https')];
  const route = routeWith(CERT_FILE);
  const began = performance.now();
  const replies = servers.map(({ url }) =>
    clientFor(url, { timeoutMs: TIMEOUT_MS, route }).attempt(post(), 'token'),
  );
  await Promise.all(servers.map(({ received }) => received));
  block(began + UNDICI_TICK_MS + 20 - performance.now());
  await turn();
  await turn();
  for (const { answer } of servers) answer();
  block(Math.max(UNDICI_TICK_MS + 20, began + TIMEOUT_MS + 50 - performance.now()));
  for (const reply of await Promise.all(replies)) {
    expect(reply).toMatchObject({ kind: 'response', status: 200, body: '{"id":"in-time"}' });
    expect(reply.ms).toBeGreaterThan(TIMEOUT_MS);
  }
});
