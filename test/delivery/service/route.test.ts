import { constants } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/delivery/service/judge.ts';
import { isHandshakeError } from '../../../src/delivery/service/network-error.ts';
import { createConnector } from '../../../src/delivery/service/route.ts';
import type { Reply } from '../../../src/model/request.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { answers, opens, type ProxyAnswer, startConnectProxy } from '../../support/connect-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { CERT_FILE, clientFor, countAnnouncements, portUntilEnd, post, routeWith } from './attempt-setup.ts';
import { answerText } from './raw-server.ts';
import { summary } from './verdicts.ts';

const PATH = '/way';
const KEY_FILE = CERT_FILE.replace('-cert.', '-key.');
const OWN = { cert: readFileSync(CERT_FILE), key: readFileSync(KEY_FILE) };

/** A service over TLS that counts requests; each connection has one, so that the next begins with a handshake. */
async function tlsService(
  options: TlsOptions = OWN,
  onData: (socket: TLSSocket) => unknown = (socket) => socket.end(OK),
) {
  const seen = { requests: 0, certificates: [] as unknown[] };
  const server = createServer(options, (socket) => {
    seen.certificates.push(socket.getPeerCertificate().serialNumber);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      seen.requests += 1;
      onData(socket);
    });
  });
  server.on('tlsClientError', () => undefined);
  return { port: await portUntilEnd(server), seen };
}

const OK = answerText(200, '{"id":"1"}', ['connection: close']);
const verdictOn = (reply: Reply) => judge('subclient.create', reply, { notExecuted: [] });

/** What became of one create, and whether undici handed it to a connection. */
async function create(port: number, route = routeWith(CERT_FILE), host = 'localhost') {
  const announced = countAnnouncements(PATH);
  const client = clientFor(`https://${host}:${port}`, { route, connectTimeoutMs: 500 });
  const reply = await client.attempt(post(PATH), 'secret-token');
  return { reply, announced: announced(), verdict: summary(verdictOn(reply)) };
}

const unsent = (code: RegExp) => ({ kind: 'no-response', sent: false, code: expect.stringMatching(code) });

describe('client certificates', () => {
  const asking = (ca: string, version: 'TLSv1.2' | 'TLSv1.3'): TlsOptions => {
    const which = { minVersion: version, maxVersion: version };
    return { ...OWN, ...which, ca: readFileSync(ca), requestCert: true, rejectUnauthorized: true };
  };

  test.each([
    // Whose alert comes when the request has been handed over.
    ['TLSv1.3', 'stop credentials', 1],
    // Whose alert for "none" is the one for "no common cipher".
    ['TLSv1.2', 'retry handshake_refused', 0],
  ] as const)('a %s service that gets none has read nothing', async (version, verdict, announced) => {
    const { ca } = await makeCertificates();
    const { port, seen } = await tlsService(asking(ca, version));
    expect(await create(port)).toMatchObject({ reply: unsent(/^ERR_SSL_.*ALERT/), announced, verdict });
    expect(seen.requests).toBe(0);
  });

  test('one that ends the connection without an alert may have read the request', async () => {
    const [{ ca }, other] = await Promise.all([makeCertificates(), makeCertificates()]);
    const { port, seen } = await tlsService(asking(ca, 'TLSv1.3'));
    const { reply, verdict } = await create(port, routeWith(CERT_FILE, [other.cert, other.key]));
    expect([reply, verdict]).toMatchObject([{ kind: 'no-response', sent: true }, 'unknown connection_lost']);
    expect(seen.requests).toBe(0);
  });

  test.each([
    ['nothing', async () => undefined, true],
    ['the ticket of a session', (socket: Socket) => once(socket, 'session'), false],
    ['an answer', (socket: Socket) => socket.write('GET') && once(socket, 'data'), false],
  ])('an alert after %s proves that nothing was sent: %s', async (what, comes, proves) => {
    const secureOptions = what === 'an answer' ? constants.SSL_OP_NO_TICKET : 0;
    const { port } = await tlsService({ ...OWN, secureOptions });
    const { connect } = createConnector(routeWith(CERT_FILE), { ms: 5_000, firstMs: 5_000 });
    const to = { hostname: 'localhost', host: 'localhost', port: String(port), protocol: 'https:' };
    const socket = await new Promise<Socket>((resolve, reject) => {
      connect(to, (error, opened) => (error === null ? resolve(opened) : reject(error)));
    });
    await comes(socket);
    const code = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
    const alert = Object.assign(new Error('tlsv13 alert certificate required'), { code });
    socket.emit('error', alert);
    expect(isHandshakeError(alert)).toBe(proves);
    socket.destroy();
  });

  test('the files are read again when they change, and the former ones serve while half of them is new', async () => {
    const [first, second] = await Promise.all([makeCertificates(), makeCertificates()]);
    const both = Buffer.concat([readFileSync(first.ca), readFileSync(second.ca)]);
    const { port, seen } = await tlsService({ ...asking(first.ca, 'TLSv1.3'), ca: both });
    const client = clientFor(`https://localhost:${port}`, {
      route: routeWith(CERT_FILE, [first.cert, first.key]),
    });
    const attempt = async () => expect(await client.attempt(post(), 't')).toMatchObject({ status: 200 });
    await attempt();
    await copyFile(second.cert, first.cert);
    await attempt();
    await copyFile(second.key, first.key);
    await attempt();
    await attempt();
    const [before, half, after, last] = seen.certificates;
    expect([half, last]).toEqual([before, after]);
    expect(after).not.toBe(before);
  });
});

describe('a service that speaks HTTP/2 alone', () => {
  test('and says so in the handshake was sent nothing', async () => {
    const server = createSecureServer(OWN);
    server.on('tlsClientError', () => undefined);
    const port = await portUntilEnd(server);
    expect(await create(port)).toMatchObject({
      reply: unsent(/NO_APPLICATION_PROTOCOL$/),
      verdict: 'retry http2_only',
    });
  });

  test('and says so by its first frame has a request in doubt', async () => {
    const settings = Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100]);
    const { port } = await tlsService(OWN, (socket) => void socket.end(settings));
    expect(await create(port)).toMatchObject({
      reply: { kind: 'no-response', sent: true },
      verdict: 'unknown http2_only',
    });
  });
});

describe('through a proxy', () => {
  /** A create at `localhost` through a proxy that does this. */
  async function through(answer?: ProxyAnswer, login: string | null = null) {
    const { port, seen } = await tlsService();
    const proxy = await startConnectProxy(port, answer);
    const result = await create(port, routeWith(CERT_FILE, [], { origin: proxy.url, login }));
    return { ...result, port, asked: proxy.asked, requests: seen.requests };
  }

  test('a request reaches the service, and the proxy gets its login and no token', async () => {
    const { reply, announced, asked, requests, port } = await through(opens, 'Basic eDp5');
    expect([reply, announced, requests]).toMatchObject([{ kind: 'response', status: 200 }, 1, 1]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(
      new RegExp(`^CONNECT localhost:${port} HTTP/1.1\r\nhost: localhost:${port}\r\n`),
    );
    expect(asked[0]).toContain('proxy-authorization: Basic eDp5\r\n');
    expect(asked[0]).not.toMatch(/secret-token|bearer/i);
  });

  test.each([301, 400, 401, 403, 404, 418, 429, 500, 502, 503, 504])(
    'its %i is no answer of the service: nothing was sent, and the create may be tried again',
    async (status) => {
      const { reply, announced, verdict, requests } = await through(answers(status));
      expect([reply, announced, verdict, requests]).toEqual([
        expect.objectContaining(unsent(new RegExp(`^PROXY_${status}$`))),
        0,
        'retry proxy_failed',
        0,
      ]);
    },
  );

  test('its 407 stops the run for want of a login, and no row has anything of it', async () => {
    const { reply, verdict, requests } = await through(answers(407));
    expect([reply, verdict, requests]).toEqual([
      expect.objectContaining(unsent(/^PROXY_407$/)),
      'stop credentials',
      0,
    ]);
    expect(verdictOn(reply)).toMatchObject({ status: null, message: expect.stringContaining('HTTPS_PROXY') });
  });

  const cut =
    (how: 'end' | 'destroy' | 'resetAndDestroy'): ProxyAnswer =>
    (socket) => {
      socket.write('HTTP/1.1 200 X\r\n\r\n');
      socket.once('data', () => socket[how]());
    };
  test.each<[string, ProxyAnswer, RegExp]>([
    ['ends the connection', (socket) => socket.end(), /^PROXY_UND_ERR_SOCKET$/],
    ['answers what is no HTTP', (socket) => socket.end('hello\r\n\r\n'), /^PROXY_HPE|^PROXY_HTTPParserError/],
    ['does not answer', () => undefined, /^PROXY_TimeoutError$/],
    [
      'opens a tunnel that leads nowhere',
      (socket) => void socket.write('HTTP/1.1 200 X\r\n\r\n'),
      /^UND_ERR_CONNECT_TIMEOUT$/,
    ],
    ['ends the tunnel in the handshake', cut('end'), /^ECONNRESET$/],
    ['cuts the tunnel in the handshake', cut('destroy'), /^ECONNRESET$/],
    ['resets the tunnel in the handshake', cut('resetAndDestroy'), /^ECONNRESET$/],
  ])('one that %s has sent nothing on', async (_, answer, code) => {
    const { reply, announced, verdict, requests } = await through(answer);
    expect([reply, announced, requests]).toEqual([expect.objectContaining(unsent(code)), 0, 0]);
    expect(verdict).toMatch(/^retry /);
  });

  test.each([
    ['can not be reached', async () => `http://127.0.0.1:${await freePort()}`, /^PROXY_ECONNREFUSED$/],
    ['is not trusted', async () => `https://localhost:${(await tlsService()).port}`, /^PROXY_DEPTH_ZERO_SEL/],
  ])('one that %s has sent nothing on', async (_, origin, code) => {
    const { reply } = await create(1, routeWith(CERT_FILE, [], { origin: await origin(), login: null }));
    expect(reply).toMatchObject(unsent(code));
  });

  test('a service that is not who it should be, at the end of the tunnel, is sent nothing', async () => {
    const { port, seen } = await tlsService();
    const { url } = await startConnectProxy(port);
    const { reply } = await create(
      1,
      routeWith(CERT_FILE, [], { origin: url, login: null }),
      'service.invalid',
    );
    expect([reply, seen.requests]).toMatchObject([unsent(/^ERR_TLS_CERT_ALTNAME_INVALID$/), 0]);
  });

  test('a tunnel that is cut after the request leaves it in doubt', async () => {
    const { port, seen } = await tlsService(OWN, () => tunnel?.resetAndDestroy());
    let tunnel: { resetAndDestroy(): unknown } | null = null;
    const proxy = await startConnectProxy(port, (socket, open) => {
      tunnel = socket;
      opens(socket, open);
    });
    const { reply, announced } = await create(
      port,
      routeWith(CERT_FILE, [], { origin: proxy.url, login: null }),
    );
    expect([reply, announced, seen.requests]).toMatchObject([{ kind: 'no-response', sent: true }, 1, 1]);
  });

  test('a hundred creates at once go through it, each once, and later ones on the same connections', async () => {
    const { port, seen } = await tlsService(
      OWN,
      (socket) => void socket.write(answerText(200, '{"id":"1"}')),
    );
    const { url, asked } = await startConnectProxy(port);
    const route = routeWith(CERT_FILE, [], { origin: url, login: null });
    const client = clientFor(`https://localhost:${port}`, { route, concurrency: 10 });
    const replies = await Promise.all(Array.from({ length: 100 }, () => client.attempt(post(), 't')));
    expect(replies.filter((reply) => reply.kind === 'response' && reply.status === 200)).toHaveLength(100);
    expect([asked.length, seen.requests]).toEqual([10, 100]);
  });
});
