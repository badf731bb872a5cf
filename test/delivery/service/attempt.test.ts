import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../support/deferred.ts';
import { clientFor, get, post, serve } from './attempt-setup.ts';
import { answerText } from './raw-server.ts';

const echoOk = () => serve((socket) => socket.write(answerText(200, '{"id":"é"}')));

test('an answer arrives whole, with its status, though a character of it is split between two packets', async () => {
  const bytes = Buffer.from(answerText(200, '{"id":"é"}'));
  const cut = bytes.length - 3;
  const server = await serve((socket) => {
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => socket.write(bytes.subarray(cut)));
  });
  const reply = await clientFor(server.url).attempt(post(), 'token');
  const ms = expect.any(Number);
  expect(reply).toEqual({ kind: 'response', status: 200, retryAfterMs: null, body: '{"id":"é"}', ms });
});

test('the id that the service gives a request is part of the reply where the job names its header, else not', async () => {
  const ids = ['x-request-id: r-1', `x-request-id: ${'r'.repeat(300)}`];
  const server = await serve((socket) => socket.write(answerText(500, '', ids.splice(0, 1))));
  const named = clientFor(server.url, { requestId: 'x-request-id' });
  expect(await named.attempt(post(), 'token')).toMatchObject({ status: 500, requestId: 'r-1' });
  expect(await named.attempt(post(), 'token')).toMatchObject({ requestId: 'r'.repeat(200) });
  expect(await named.attempt(post(), 'token')).not.toHaveProperty('requestId');
  ids.push('x-request-id: r-1');
  expect(await clientFor(server.url).attempt(post(), 'token')).not.toHaveProperty('requestId');
});

test('a create goes out with its headers and body, and nothing else', async () => {
  const server = await echoOk();
  await clientFor(`http://127.0.0.1:${server.port}/api/`, { version: '1.2.3' }).attempt(
    post('/v1/subclients', '{"a":"ü"}'),
    'secret',
  );
  expect(server.requests).toEqual([
    [
      'POST /api/v1/subclients HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'authorization: Bearer secret',
      'accept: application/json',
      'user-agent: onboard/1.2.3',
      'content-type: application/json',
      'content-length: 10',
      '',
      Buffer.from('{"a":"ü"}').toString('latin1'),
    ].join('\r\n'),
  ]);
});

test('a look-up goes out without a body or a content type', async () => {
  const server = await echoOk();
  await clientFor(server.url).attempt(get(), 'token');
  expect(server.requests[0]).toMatch(/^GET \/v1\/documents\/payments\/attachments\/p1 HTTP/);
  expect(server.requests[0]).not.toMatch(/content-(type|length)/);
});

test.each([301, 302, 303, 307, 308, 421, 425])('%i is neither followed nor sent again', async (status) => {
  const server = await serve((socket) => socket.write(answerText(status, '', [`location: ${server.url}/x`])));
  const reply = await clientFor(server.url).attempt(post(), 'token');
  expect(reply).toMatchObject({ kind: 'response', status });
  expect(server.requests).toHaveLength(1);
});

const KEPT_BYTES = 64 * 1024;

test.each([
  ['as many bytes as are kept', 'x'.repeat(KEPT_BYTES), KEPT_BYTES],
  ['one more', 'x'.repeat(KEPT_BYTES + 1), KEPT_BYTES],
  ['many more', 'x'.repeat(10 * KEPT_BYTES), KEPT_BYTES],
  ['a character that is cut', `${'x'.repeat(KEPT_BYTES - 2)}\u{1f600}y`, KEPT_BYTES - 2],
  ['a character that just fits', `${'x'.repeat(KEPT_BYTES - 4)}\u{1f600}y`, KEPT_BYTES],
])('of a refusal with %s, 64 KiB and the length of the rest are kept', async (_, body, kept) => {
  const server = await serve((socket) => socket.write(answerText(418, body)));
  const client = clientFor(server.url);
  const bytes = Buffer.from(body);
  const reply = await client.attempt(post(), 'token');
  expect(reply).toMatchObject({ kind: 'response', status: 418, body: bytes.subarray(0, kept).toString() });
  const restBytes = reply.kind === 'response' ? (reply.restBytes ?? 0) : null;
  expect(restBytes).toBe(bytes.length - kept);
  expect(await client.attempt(post(), 'token')).toMatchObject({ kind: 'response' });
  expect(server.connections()).toBe(1);
});

test('what was accepted is kept whole', async () => {
  const body = `["${'x'.repeat(10 * KEPT_BYTES)}"]`;
  const server = await serve((socket) => socket.write(answerText(200, body)));
  expect(await clientFor(server.url).attempt(get(), 'token')).toMatchObject({ status: 200, body });
});

test('requests one after the other use one connection, whatever the answers were', async () => {
  const statuses = [200, 418, 403, 503, 429, 404];
  let next = 0;
  const server = await serve((socket) => {
    socket.write(answerText(statuses[next % statuses.length] ?? 200, 'x'.repeat(next * 1_000)));
    next += 1;
  });
  const client = clientFor(server.url);
  for (let n = 0; n < 60; n += 1)
    expect(await client.attempt(post(), 'token')).toMatchObject({ kind: 'response' });
  expect(server.requests).toHaveLength(60);
  expect(server.connections()).toBe(1);
});

test('a compressed answer leaves the connection usable', async () => {
  const server = await serve((socket) => socket.write(answerText(200, 'x', ['content-encoding: br'])));
  const client = clientFor(server.url);
  for (let n = 0; n < 3; n += 1)
    expect(await client.attempt(post(), 'token')).toMatchObject({ kind: 'unreadable' });
  expect(server.connections()).toBe(1);
});

describe('an answer that comes as gzip though nobody asked', () => {
  const ENCODED = ['content-encoding: gzip', 'content-type: application/json'];
  const answeredWith = async (status: number, bytes: Buffer) => {
    const head = `HTTP/1.1 ${status} X\r\n${ENCODED.join('\r\n')}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    const server = await serve((socket) => socket.write(Buffer.concat([Buffer.from(head), bytes])));
    return clientFor(server.url).attempt(post(), 'token');
  };

  test.each([200, 418])('is read, of status %i', async (status) => {
    const reply = await answeredWith(status, gzipSync('{"id":"é"}'));
    expect(reply).toMatchObject({ kind: 'response', status, body: '{"id":"é"}' });
  });

  test('is kept in part where a refusal is long', async () => {
    const body = Buffer.from('x'.repeat(2 * KEPT_BYTES));
    const reply = await answeredWith(400, gzipSync(body));
    expect(reply).toMatchObject({ body: body.toString('utf8', 0, KEPT_BYTES), restBytes: KEPT_BYTES });
  });

  test.each([
    ['no gzip', Buffer.from('{"id":"a"}')],
    ['far larger than it came', gzipSync(Buffer.alloc(20 * 1024 * 1024))],
  ])('is not read where it is %s', async (_, bytes) => {
    expect(await answeredWith(200, bytes)).toMatchObject({
      kind: 'unreadable',
      code: 'ONBOARD_CONTENT_ENCODING',
    });
  });
});

test("of a success its type and place are told where they are not as usual, without the caller's token", async () => {
  const page = '<title>Bearer token-12345 is blocked</title>';
  const server = await serve((socket) =>
    socket.write(answerText(201, page, ['content-type: text/html', 'location: /v1/a'])),
  );
  expect(await clientFor(server.url).attempt(post(), 'token-12345')).toMatchObject({
    contentType: 'text/html',
    location: '/v1/a',
    body: '<title>Bearer [blotted out] is blocked</title>',
  });
});

test('no more connections are opened than the concurrency allows', async () => {
  const server = await serve((socket) => void setImmediate(() => socket.write(answerText(200, '{}'))));
  const client = clientFor(server.url, { concurrency: 3 });
  const replies = await Promise.all(Array.from({ length: 30 }, () => client.attempt(post(), 'token')));
  expect(replies.every((reply) => reply.kind === 'response')).toBe(true);
  expect(server.connections()).toBe(3);
});

test('an idle connection is closed by the client long before the ten minutes that the server offers', async () => {
  const socketClosed = deferred<void>();
  const server = await serve((socket) => {
    socket.on('end', () => socketClosed.resolve());
    socket.write(answerText(200, '{}', ['keep-alive: timeout=600']));
  });
  await clientFor(server.url, { keepAliveMs: 200 }).attempt(post(), 'token');
  await socketClosed.promise;
});

test('Retry-After is read as seconds and as a date, by the clock of the service where it shows that', async () => {
  const headers = [
    ['retry-after: 7'],
    ['retry-after: Sat, 01 Jan 2022 00:01:00 GMT'],
    ['retry-after: Fri, 31 Dec 2021 12:00:05 GMT', 'date: Fri, 31 Dec 2021 12:00:00 GMT'],
    ['retry-after: soon'],
  ];
  const server = await serve((socket) => socket.write(answerText(503, '', headers.shift() ?? [])));
  const now = () => Date.UTC(2022, 0, 1);
  const client = clientFor(server.url, { now });
  const waits: unknown[] = [];
  for (let n = 0; n < 4; n += 1) waits.push(await client.attempt(post(), 'token'));
  expect(waits).toMatchObject([7_000, 60_000, 5_000, null].map((retryAfterMs) => ({ retryAfterMs })));
});

test.each([
  ['a 102', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['a 103', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'],
  ['several', 'HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\n\r\nHTTP/1.1 199 X\r\n\r\n'],
])('an interim answer is passed over: %s', async (_, early) => {
  const server = await serve((socket) => socket.write(early + answerText(200, '{}')));
  const reply = await clientFor(server.url).attempt(post(), 'token');
  expect(reply).toMatchObject({ kind: 'response', status: 200, body: '{}' });
});

test('an answer without a length is whole when the connection ends', async () => {
  const server = await serve(
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"id":"1"}'),
  );
  const reply = await clientFor(server.url).attempt(post(), 'token');
  expect(reply).toMatchObject({ kind: 'response', status: 200, body: '{"id":"1"}' });
});

test('closing lets the attempt in flight end, and may be asked for twice', async () => {
  let client: ReturnType<typeof clientFor> | null = null;
  const closes: Array<Promise<void>> = [];
  const server = await serve((socket) => {
    if (client !== null) closes.push(client.close(), client.close());
    setImmediate(() => socket.write(answerText(200, '{}')));
  });
  client = clientFor(server.url);
  expect(await client.attempt(post(), 'token')).toMatchObject({ kind: 'response', status: 200 });
  await Promise.all(closes);
  expect(closes).toHaveLength(2);
});
