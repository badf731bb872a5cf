import { expect, test } from 'vitest';
import { createJudge } from '../../../src/delivery/service/judge.ts';
import { deferred } from '../../support/deferred.ts';
import { type ClientOptions, clientFor, countAnnouncements, post, serve } from './attempt-setup.ts';
import { answerText } from './raw-server.ts';

const PATH = '/unknown';
const OK = 'HTTP/1.1 200 OK\r\n';
const HALF = 'content-length: 20\r\n\r\n{"id":';
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';

type Answer = Parameters<typeof serve>[0];

/** Answers with this behind `HTTP/1.1 200 OK`, and ends the connection, or leaves it open. */
const ends =
  (text: string): Answer =>
  (socket) =>
    void socket.end(OK + text);
const writes =
  (text: string): Answer =>
  (socket) =>
    void socket.write(OK + text);

async function attemptAgainst(answer: Answer, options: Partial<ClientOptions> = {}) {
  const server = await serve(answer);
  const client = clientFor(server.url, options);
  const announced = countAnnouncements(PATH);
  const reply = await client.attempt(post(PATH), 'token');
  return { reply, announced: announced(), received: server.requests.length };
}

/** The server has read the request whole, once, and no answer came. */
function noResponse(code: unknown) {
  const reply = { kind: 'no-response', sent: true, code, ms: expect.any(Number) };
  return { reply, announced: 1, received: 1 };
}

function unreadable(code: unknown, status = 200) {
  const reply = { kind: 'unreadable', status, code, ms: expect.any(Number) };
  return { reply, announced: 1, received: 1 };
}

/** undici's parser errors carry a code of llhttp in some places and none in others. */
const parserError = expect.stringMatching(/^(HPE_|HTTPParserError)/);

test.each<[string, Answer, unknown, Partial<ClientOptions>?]>([
  ['the other side closes', (s) => void s.end(), noResponse('UND_ERR_SOCKET')],
  ['the other side resets', (s) => void s.resetAndDestroy(), noResponse('ECONNRESET')],
  ['no answer comes in time', () => undefined, noResponse('ONBOARD_TIMEOUT'), { timeoutMs: 600 }],
  ['the answer is not HTTP', (s) => void s.write('ONBOARD nonsense\r\n\r\n'), noResponse(parserError)],
  ['its head is cut off', ends('cont'), noResponse('UND_ERR_SOCKET')],
  ['its head is too large', writes(`x: ${'x'.repeat(4e4)}\r\n\r\n`), noResponse('UND_ERR_HEADERS_OVERFLOW')],
  [
    'only an interim answer comes',
    (s) => void s.end('HTTP/1.1 103 X\r\nlink: </x>\r\n\r\n'),
    noResponse('UND_ERR_SOCKET'),
  ],
  [
    'a 100 that was not asked for comes first, which undici breaks the connection off for',
    (s) => void s.write(`HTTP/1.1 100 Continue\r\n\r\n${answerText(200, '{"id":"a"}')}`),
    noResponse('ONBOARD_UNASKED_CONTINUE'),
  ],
  [
    'the answer switches protocols without a word',
    (s) => void s.write('HTTP/1.1 101 X\r\n\r\n'),
    noResponse(expect.any(String)),
  ],
  [
    'the answer switches protocols',
    (s) => void s.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
    noResponse('UND_ERR_SOCKET'),
  ],
  ['the body is cut off', ends(HALF), unreadable('UND_ERR_SOCKET')],
  [
    'the body is reset',
    (s) => void s.write(OK + HALF, () => s.resetAndDestroy()),
    unreadable(expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/)),
  ],
  ['a chunked body is cut off', ends(`${CHUNKED}5\r\n{"id"\r\n`), unreadable('UND_ERR_SOCKET')],
  [
    'the last body on a connection is cut off',
    ends('connection: close\r\ncontent-length: 20\r\n\r\n{'),
    unreadable('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
  ],
  [
    'its last chunks are cut off before the connection closes',
    ends(`connection: close\r\n${CHUNKED}5\r\n{"id"\r\n`),
    unreadable(parserError),
  ],
  ['a chunk is no chunk', writes(`${CHUNKED}zz\r\n`), unreadable(parserError)],
  ['the body stalls', writes(HALF), unreadable('ONBOARD_TIMEOUT'), { timeoutMs: 600 }],
  [
    'the body is too large',
    (s) => void s.write(answerText(200, 'x'.repeat(2_000))),
    unreadable('UND_ERR_RES_EXCEEDED_MAX_SIZE'),
    { maxResponseBytes: 1_000 },
  ],
  [
    'the body is compressed',
    (s) => void s.write(answerText(200, 'x', ['content-encoding: br'])),
    unreadable('ONBOARD_CONTENT_ENCODING'),
  ],
  [
    'a refusal is cut off',
    (s) => void s.end('HTTP/1.1 418 X\r\ncontent-length: 20\r\n\r\n{'),
    unreadable('UND_ERR_SOCKET', 418),
  ],
])('when %s, the request counts as sent and goes out once', async (_, answer, expected, options) => {
  expect(await attemptAgainst(answer, options)).toEqual(expected);
});

test("the attempt's time ends it, not a moment early", async () => {
  const { reply } = await attemptAgainst(() => undefined, { timeoutMs: 300 });
  expect(reply.ms).toBeGreaterThanOrEqual(295);
  expect(reply).toMatchObject({ code: 'ONBOARD_TIMEOUT' });
});

test("a body that trickles without end is broken off at the attempt's time", async () => {
  const trickle: Answer = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(timer));
  };
  expect(await attemptAgainst(trickle, { timeoutMs: 150 })).toEqual(unreadable('ONBOARD_TIMEOUT'));
});

test('an attempt that ran out of time breaks its connection off, and the next one gets its own', async () => {
  const firstSocket = deferred<void>();
  const server = await serve((socket) => {
    if (server.requests.length > 1) socket.write(answerText(200, '{}'));
    else socket.on('close', () => firstSocket.resolve());
  });
  const client = clientFor(server.url, { timeoutMs: 150 });
  expect(await client.attempt(post(PATH), 'token')).toEqual(noResponse('ONBOARD_TIMEOUT').reply);
  await firstSocket.promise;
  expect(await client.attempt(post(PATH), 'token')).toMatchObject({ kind: 'response', status: 200 });
  expect(server.connections()).toBe(2);
});

test('a client destroyed in mid-flight leaves the outcome unknown', async () => {
  let client: ReturnType<typeof clientFor> | null = null;
  const server = await serve(() => void client?.destroy());
  client = clientFor(server.url);
  expect(await client.attempt(post(PATH), 'token')).toEqual(noResponse('UND_ERR_DESTROYED').reply);
});

test('an attempt on a closed client is no proof of anything', async () => {
  const client = clientFor('http://127.0.0.1:1');
  await client.close();
  expect(await client.attempt(post(PATH), 'token')).toMatchObject({ kind: 'no-response', sent: true });
});

test('a connection closed just as the next request goes out is not retried in silence', async () => {
  // The server reads the second request and closes without a word, as at its idle timeout.
  let answered = 0;
  const server = await serve((socket) => {
    answered += 1;
    if (answered === 1) socket.write(answerText(200, '{}'));
    else socket.destroy();
  });
  const client = clientFor(server.url);
  await client.attempt(post(PATH), 'token');
  expect(await client.attempt(post(PATH), 'token')).toMatchObject({ kind: 'no-response', sent: true });
  expect(server.requests).toHaveLength(2);
});

test('an answer that comes twice gives the next request on its connection no id', async () => {
  let answered = '';
  const server = await serve((socket) => {
    // The second time while the next request waits for its own.
    answered ||= answerText(200, '{"id":"sub-1"}');
    socket.write(answered);
  });
  const client = clientFor(server.url);
  const judgeReply = createJudge({ notExecuted: [] });
  const verdicts = [];
  for (let i = 0; i < 2; i += 1) {
    verdicts.push(judgeReply('subclient.create', await client.attempt(post(PATH), 'token')));
  }
  expect(server.connections()).toBe(1);
  expect(verdicts).toMatchObject([
    { kind: 'accepted', id: 'sub-1' },
    { kind: 'unknown', code: 'accepted_id_repeated', givenId: 'sub-1' },
  ]);
});
