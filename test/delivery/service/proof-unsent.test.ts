import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { atTestEnd } from '../../support/at-test-end.ts';
import { freePort } from '../../support/free-port.ts';
import {
  CERT_FILE,
  type ClientOptions,
  clientFor,
  countAnnouncements,
  get,
  portUntilEnd,
  post,
  routeWith,
  serve,
} from './attempt-setup.ts';
import { answerText } from './raw-server.ts';

const PATH = '/proof';
const TRUSTING = routeWith(CERT_FILE);
const CERT = readFileSync(CERT_FILE, 'utf8');
const KEY = readFileSync(new URL('fixtures/localhost-key.pem', import.meta.url), 'utf8');

/** One create against the address; also says how often undici announced the request. */
async function attemptAt(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const announced = countAnnouncements(PATH);
  const reply = await clientFor(baseUrl, options).attempt(post(PATH), 'token');
  return { reply, announced: announced() };
}

function unsent(code: unknown) {
  return { reply: { kind: 'no-response', sent: false, code, ms: expect.any(Number) }, announced: 0 };
}

const matching = (code: RegExp) => expect.stringMatching(code);
const silentPort = async () => (await serve(() => undefined)).port;

async function tlsServer(): Promise<{ port: number; requests: () => number }> {
  let requests = 0;
  const server = createTlsServer({ cert: CERT, key: KEY }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests += 1;
      socket.end(answerText(200, '{"id":"1"}'));
    });
  });
  server.on('tlsClientError', () => undefined);
  const port = await portUntilEnd(server);
  return { port, requests: () => requests };
}

/** A server that answers a TLS handshake in plain HTTP. */
const plainServer = () =>
  portUntilEnd(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'));
    }),
  );

/** A server that ends or resets a connection once the TLS handshake has begun. */
const leavesHandshake = (how: 'end' | 'resetAndDestroy') => () =>
  portUntilEnd(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket[how]());
    }),
  );

const SOON = { connectTimeoutMs: 300 };

test.each<[string, scheme: string, port: () => Promise<number>, unknown, Partial<ClientOptions>?]>([
  ['a refused connection', 'http://127.0.0.1', freePort, 'ECONNREFUSED'],
  ['a connection refused on every address of a name', 'http://localhost', freePort, 'ECONNREFUSED'],
  // Some resolvers say "try again" for a name that can't exist.
  ['a name of no host', 'https://service.invalid', async () => 443, matching(/^(ENOTFOUND|EAI_AGAIN)$/)],
  ['a handshake that does not end in time', 'https://127.0.0.1', silentPort, 'UND_ERR_CONNECT_TIMEOUT', SOON],
  ['a connection never accepted', 'http://127.0.0.1', neverAccepting, 'UND_ERR_CONNECT_TIMEOUT', SOON],
  [
    'a first connection that is never accepted, where later ones are waited for for longer',
    'http://127.0.0.1',
    neverAccepting,
    'UND_ERR_CONNECT_TIMEOUT',
    { connectTimeoutMs: 600_000, firstConnectTimeoutMs: 300 },
  ],
  ['a handshake that is reset', 'https://127.0.0.1', leavesHandshake('resetAndDestroy'), 'ECONNRESET'],
  ['a handshake that is broken off', 'https://127.0.0.1', leavesHandshake('end'), 'ECONNRESET'],
  ['a server that does not speak TLS', 'https://127.0.0.1', plainServer, matching(/^ERR_SSL_/)],
])('%s proves that nothing was sent', async (_, host, port, code, options) => {
  expect(await attemptAt(`${host}:${await port()}`, options)).toEqual(unsent(code));
});

test('a connection reset while it was being made proves that nothing was sent', async () => {
  // The reset has to be there before this thread looks: it sleeps until the other thread has sent it.
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer((socket) => {
       socket.on('close', () => { Atomics.store(workerData, 0, 1); Atomics.notify(workerData, 0); });
       socket.resetAndDestroy();
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: signal },
  );
  atTestEnd(() => void worker.terminate());
  const [port] = await once(worker, 'message');
  const attempt = attemptAt(`http://127.0.0.1:${port}`);
  // The connection is asked for in the next ticks; only then may this thread sleep.
  await new Promise((resolve) => process.nextTick(resolve));
  Atomics.wait(signal, 0, 0, 5_000);
  expect(await attempt).toEqual(unsent('ECONNRESET'));
});

/** A listener whose thread sleeps for ever and whose backlog has been filled. */
async function neverAccepting(): Promise<number> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  atTestEnd(() => void worker.terminate());
  const [port] = await once(worker, 'message');
  while (await connects(port)) {}
  return port;
}

/** Whether the backlog had a place left; the connection stays open and takes it. */
function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    atTestEnd(() => void socket.destroy());
    socket.setTimeout(400, () => resolve(false));
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
  });
}

test('a self-signed certificate proves that nothing was sent, whatever the environment says of such', async () => {
  const { port, requests } = await tlsServer();
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await attemptAt(`https://localhost:${port}`)).toEqual(unsent('DEPTH_ZERO_SELF_SIGNED_CERT'));
  expect(requests()).toBe(0);
});

test('a certificate of another name proves that nothing was sent', async () => {
  const { port, requests } = await tlsServer();
  const result = await attemptAt(`https://127.0.0.1:${port}`, { route: TRUSTING });
  expect(result).toEqual(unsent('ERR_TLS_CERT_ALTNAME_INVALID'));
  expect(requests()).toBe(0);
});

test('a certificate that is trusted and fits lets the request through', async () => {
  const { port } = await tlsServer();
  const { reply, announced } = await attemptAt(`https://localhost:${port}`, { route: TRUSTING });
  expect(reply).toMatchObject({ kind: 'response', status: 200, body: '{"id":"1"}' });
  expect(announced).toBe(1);
});

test.each([
  ['a token with a line break', post(PATH), 'to\r\nken'],
  ['an empty token', post(PATH), ''],
  ['a path with a space', post('/a b'), 'token'],
  ['a path that does not begin with a slash', { ...get('x'), path: '' }, 'token'],
])('%s never becomes a request, and the client goes on', async (_, request, token) => {
  const server = await serve((socket) => socket.write(answerText(200, '{}')));
  const client = clientFor(server.url);
  const announced = countAnnouncements(request.path);
  expect(await client.attempt(request, token)).toEqual(unsent('UND_ERR_INVALID_ARG').reply);
  expect(announced()).toBe(0);
  expect(await client.attempt(post(), 'token')).toMatchObject({ kind: 'response', status: 200 });
  expect(server.requests).toHaveLength(1);
});

test('an attempt that ran out of time before it had a connection is never sent, not even when the connection comes', async () => {
  const tls = await tlsServer();
  const gate = createServer((socket) => void socket.on('error', () => undefined).pause());
  const connected = once(gate, 'connection').then(([socket]: Socket[]) => socket);
  const port = await portUntilEnd(gate);
  const client = clientFor(`https://localhost:${port}`, { route: TRUSTING, timeoutMs: 200 });
  const announced = countAnnouncements(PATH);
  const reply = await client.attempt(post(PATH), 'token');
  expect(reply).toEqual(unsent('ONBOARD_TIMEOUT_BEFORE_SENDING').reply);

  const inbound = await connected;
  if (inbound === undefined) throw new Error('no connection came');
  const outbound = connect(tls.port, '127.0.0.1');
  const closed = once(inbound, 'close');
  inbound.pipe(outbound).pipe(inbound);
  await closed;
  expect(announced()).toBe(0);
  expect(tls.requests()).toBe(0);
});

test('attempts beyond the pool all get their own reply when the service refuses', async () => {
  const client = clientFor(`http://127.0.0.1:${await freePort()}`, { concurrency: 2 });
  const replies = await Promise.all(Array.from({ length: 7 }, () => client.attempt(post(), 'token')));
  expect(replies).toEqual(Array.from({ length: 7 }, () => unsent('ECONNREFUSED').reply));
});
