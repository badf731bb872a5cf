import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkCredentials,
  checkJobs,
  checkNotify,
  checkService,
  judgeTokenCall,
} from '../../src/check/doctor-settings.ts';
import { ownFile, ownFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';

/** A port that counts connections and keeps every byte; it answers the first bytes with what is no TLS. */
async function startPort() {
  const seen = { connections: 0, bytes: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      seen.bytes += bytes.length;
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { server, port: address.port, seen };
}

test('a service that takes connections is fine, and not a byte is sent to it', async () => {
  const { port, seen } = await startPort();
  expect(await checkService(`http://127.0.0.1:${port}/msb`)).toEqual([
    expect.objectContaining({ status: 'ok', finding: expect.stringContaining('no request was sent') }),
  ]);
  await until(() => seen.connections === 1);
  expect(seen.bytes).toBe(0);
});

test('a port where nobody listens is a problem in plain words', async () => {
  const { server, port } = await startPort();
  server.close();
  await once(server, 'close');
  expect(await checkService(`http://127.0.0.1:${port}`)).toEqual([
    expect.objectContaining({
      status: 'problem',
      finding: `http://127.0.0.1:${port}: The service refused the connection. (ECONNREFUSED)`,
    }),
  ]);
});

test('a port that speaks no TLS is a problem for https', async () => {
  const { port } = await startPort();
  const [finding] = await checkService(`https://127.0.0.1:${port}`);
  expect(finding).toMatchObject({ status: 'problem', finding: expect.stringMatching(/TLS settings/) });
});

test.each([
  ['not set', null, /MSB_BASE_URL is not set/],
  ['not encrypted', 'http://api.example.com', /not encrypted/],
  ['with credentials in it', 'https://user:secret-word@api.example.com', /carries credentials/],
])('an address that is %s is a problem, without a secret in it', async (_, baseUrl, text) => {
  const [finding] = await checkService(baseUrl);
  expect(finding).toMatchObject({ status: 'problem', finding: expect.stringMatching(text) });
  expect(JSON.stringify(finding)).not.toContain('secret-word');
});

async function tokenFile(mode: number, text = 'secret-word\n'): Promise<string> {
  const path = await ownFile(text, 'token');
  await chmod(path, mode);
  return path;
}

test('each source of a token is named with what is wrong about it, never with the token', async () => {
  const found = [
    await checkCredentials({ kind: 'none' }),
    await checkCredentials({ kind: 'token', token: 'secret-word' }),
    await checkCredentials({ kind: 'token', token: 'secret-word and more' }),
    await checkCredentials({ kind: 'file', path: await tokenFile(0o600) }),
    await checkCredentials({ kind: 'file', path: await tokenFile(0o644) }),
    await checkCredentials({ kind: 'file', path: await tokenFile(0o600, '') }),
    await checkCredentials({ kind: 'command', command: 'echo secret-word' }),
    await checkCredentials({ kind: 'command', command: 'echo secret-word; exit 3' }),
  ].flat();
  expect(found.map(({ status }) => status).join(' ')).toBe(
    'problem ok problem ok ok warning problem ok problem',
  );
  expect(JSON.stringify(found)).not.toContain('secret-word');
});

test.each([
  [200, 'ok', /takes the token/],
  [204, 'ok', /takes the token/],
  [302, 'warning', /says nothing of the token/],
  [400, 'warning', /says nothing of the token/],
  [401, 'problem', /refuses the token/],
  [403, 'warning', /forbids this call with this token/],
  [404, 'warning', /says nothing of the token/],
  [429, 'warning', /says nothing of the token/],
  [503, 'warning', /says nothing of the token/],
] as const)('a call that is answered with %i is %s', (status, expected, words) => {
  const found = judgeTokenCall('/v1/x', {
    kind: 'response',
    status,
    retryAfterMs: null,
    body: 'of somebody',
    ms: 1,
  });
  expect(found).toMatchObject({ status: expected, finding: expect.stringMatching(words) });
  expect(JSON.stringify(found)).not.toContain('of somebody');
});

test('a call without an answer is a problem with the cause', () => {
  const found = judgeTokenCall('/v1/x', { kind: 'no-response', sent: true, code: 'ECONNRESET', ms: 1 });
  expect(found).toMatchObject({ status: 'problem', finding: 'GET /v1/x: The connection was lost.' });
});

test('the shipped jobs are valid', async () => {
  expect((await checkJobs('jobs')).map(({ status }) => status)).toEqual(['ok']);
});

test('every problem of a definition is named, and the valid ones are counted', async () => {
  const folder = await ownFolder({ 'a.yaml': 'operation: payment.documents', 'b.yaml': 'operaton: x' });
  const found = await checkJobs(folder);
  expect(found[0]).toMatchObject({ status: 'ok', finding: `1 valid definition in ${folder}` });
  expect(
    found.slice(1).every(({ status, finding }) => status === 'problem' && /b\.yaml, line 1/.test(finding)),
  ).toBe(true);
  expect(found.length).toBeGreaterThan(1);
});

test('a folder without definitions is a warning', async () => {
  expect(await checkJobs(await ownFolder())).toEqual([expect.objectContaining({ status: 'warning' })]);
});

test('where events go is told, and what is wrong with their secret, without it', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const withSecret = async (text: string, mode: number) => {
    const secretFile = await ownFile(text, 'secret');
    await chmod(secretFile, mode);
    const webhook = { url: 'https://hooks.example.com/onboard?key=hidden', secretFile };
    return checkNotify({ webhook, command: null });
  };
  expect(await checkNotify({ webhook: null, command: null })).toEqual([]);
  expect(await checkNotify({ webhook: null, command: './tell' })).toMatchObject([{ status: 'ok' }]);
  expect(await withSecret(secret, 0o600)).toEqual([
    expect.objectContaining({ status: 'ok', finding: 'sent to hooks.example.com, signed' }),
  ]);
  expect(await withSecret(secret, 0o644)).toMatchObject([{ status: 'ok' }, { status: 'warning' }]);
  const wrong = await withSecret('a-password', 0o600);
  expect(wrong).toMatchObject([{ status: 'problem' }]);
  expect(JSON.stringify(wrong)).not.toContain('a-password');
});
