import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { RedisSettings } from '../../../src/engine/redis/settings.ts';
import { checkNode, diskFinding, examine, judgeMemory } from '../../../src/runs/check/doctor.ts';
import { memoryIo } from '../../faces/cli/memory-io.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { answers, startConnectProxy } from '../../support/connect-proxy.ts';
import { ownFile, ownFolder } from '../../support/folder.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { listen } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const own = useOwnRedis();

/** What the doctor finds of these, in an environment that has these variables beside a Redis. */
async function found(checks: string, env: Readonly<Record<string, string>>) {
  const ONBOARD_HOME = await ownFolder();
  const io = memoryIo({ env: { ONBOARD_HOME, REDIS_URL: own().url, ...env } });
  return (await examine(io)).filter(({ check }) => checks.split(' ').includes(check.split(' ')[0] ?? ''));
}

test.each([
  ['18.20.4', 'problem'],
  ['20.9.0', 'problem'],
  ['20.19.0', 'ok'],
  ['22.1.0', 'ok'],
])('Node %s: %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});

test.each([
  [19_999_999, 'problem', '19 MB free, expected 500 MB or more'],
  [20_000_000, 'warning', '20 MB free, expected 500 MB or more'],
  [499_999_999, 'warning', '499 MB free, expected 500 MB or more'],
  [500_000_000, 'ok', '500 MB free'],
])('%i bytes free: %s', (free, status, finding) => {
  expect(diskFinding(free)).toMatchObject({ check: 'disk', status, finding });
});

test('a home that can not be made names what is in the way', async () => {
  const file = join(await ownFolder(), 'file');
  await writeFile(file, '');
  expect(await found('home', { ONBOARD_HOME: join(file, 'home') })).toEqual([
    expect.objectContaining({ status: 'problem', finding: `this user may not write to ${file}` }),
  ]);
});

test('a home that is broken is one problem, though the embedded Redis fails for it, too', async () => {
  const file = join(await ownFolder(), 'file');
  await writeFile(file, '');
  const env = { ONBOARD_HOME: join(file, 'home'), MSB_BASE_URL: 'http://127.0.0.1:9', MSB_TOKEN: 't' };
  const problems = (await examine(memoryIo({ env }))).filter(({ status }) => status === 'problem');
  expect(problems.map(({ check }) => check)).toEqual(['home', 'service']);
});

test('a home that others may enter is a warning with the command that closes it', async () => {
  const home = join(await ownFolder(), "a \u001b'b");
  await mkdir(home);
  const quoted = `$'${home.replace("\u001b'", '\\033\\047')}'`;
  const judged: Array<string | null | undefined> = [];
  for (const mode of [0o750, 0o710, 0o700]) {
    await chmod(home, mode);
    judged.push((await found('home', { ONBOARD_HOME: home }))[0]?.advice);
  }
  expect(judged).toEqual([`chmod go-rwx ${quoted}`, `chmod go-rwx ${quoted}`, null]);
});

const memory = (usedMemoryBytes: number | null, maxMemoryBytes: number | null): RedisSettings => ({
  version: null,
  values: {},
  usedMemoryBytes,
  maxMemoryBytes,
});

test.each([
  ['no limit', memory(5_000_000, 0), ['ok']],
  ['80 %', memory(80_000_000, 100_000_000), ['ok']],
  ['more than 80 %', memory(81_000_000, 100_000_000), ['warning']],
  ['not told', memory(null, null), []],
])('memory, %s', (_, settings, expected) => {
  expect(judgeMemory(settings).map(({ status }) => status)).toEqual(expected);
});

test('settings that a run refuses are problems', async () => {
  const { url } = await startRedisServer({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
  const findings = await found('redis', { REDIS_URL: url });
  expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'redis ok',
    'redis settings problem',
    'redis settings problem',
    'redis memory ok',
  ]);
});

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
  });
  onTestFinished(() => void server.close());
  return { server, port: await listen(server), seen };
}

test('a service that takes connections is fine, and not a byte is sent to it', async () => {
  const { port, seen } = await startPort();
  expect(await found('service', { MSB_BASE_URL: `http://127.0.0.1:${port}/msb` })).toEqual([
    expect.objectContaining({ status: 'ok', finding: expect.stringContaining('no request was sent') }),
  ]);
  await until(() => seen.connections === 1);
  expect(seen.bytes).toBe(0);
});

test('a port where nobody listens is a problem in plain words', async () => {
  const { server, port } = await startPort();
  server.close();
  await once(server, 'close');
  expect(await found('service', { MSB_BASE_URL: `http://127.0.0.1:${port}` })).toEqual([
    expect.objectContaining({
      status: 'problem',
      finding: `http://127.0.0.1:${port}: The service refused the connection. (ECONNREFUSED)`,
    }),
  ]);
});

test('a port that speaks no TLS is a problem for https', async () => {
  const { port } = await startPort();
  const [finding] = await found('service', { MSB_BASE_URL: `https://127.0.0.1:${port}` });
  expect(finding).toMatchObject({ status: 'problem', finding: expect.stringMatching(/TLS settings/) });
});

/** A service over TLS that asks for a certificate of the same authority, which its clients get as theirs. */
async function startAsking(version: 'TLSv1.2' | 'TLSv1.3') {
  const files = await makeCertificates();
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((path) => readFileSync(path));
  const server = createTlsServer({
    ca,
    cert,
    key,
    requestCert: true,
    minVersion: version,
    maxVersion: version,
  });
  onTestFinished(() => void server.close());
  return { files, MSB_BASE_URL: `https://127.0.0.1:${await listen(server)}`, MSB_TLS_CA_FILE: files.ca };
}

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a %s service that asks for a certificate is a problem without one and fine with it; so is one that is not trusted',
  async (version) => {
    const { files, ...env } = await startAsking(version);
    const own = { MSB_TLS_CERT_FILE: files.cert, MSB_TLS_KEY_FILE: files.key };
    const looks = [
      await found('service', env),
      await found('service', { ...env, ...own }),
      await found('service', { MSB_BASE_URL: env.MSB_BASE_URL, ...own }),
    ];
    expect(looks.map(([one]) => [one?.status, `${one?.finding} ${one?.advice}`])).toEqual([
      ['problem', expect.stringMatching(/client certificate.* MSB_TLS_/)],
      ['ok', expect.stringContaining('takes encrypted connections (no request was sent)')],
      ['problem', expect.stringMatching(/SELF_SIGNED_CERT_IN_CHAIN.* MSB_TLS_/)],
    ]);
  },
);

test('files that can not be used are named by their variables', async () => {
  const text = await ownFile('no certificate');
  const env = { MSB_BASE_URL: 'https://api.example.com', MSB_TLS_CA_FILE: text };
  const [finding] = await found('service', env);
  const expected = `MSB_TLS_CA_FILE: expected a PEM certificate in ${text}`;
  expect(finding).toMatchObject({ status: 'problem', finding: expect.stringContaining(expected) });
});

test('a proxy that asks for a login is a problem, and its password is not told', async () => {
  const { url } = await startConnectProxy(1, answers(407));
  const env = { MSB_BASE_URL: 'https://api.example.com', HTTPS_PROXY: url.replace('//', '//me:hunter2@') };
  const [finding] = await found('service', env);
  const words = `https://api.example.com through the proxy ${url}: The proxy asks for a login (407)`;
  expect(finding).toMatchObject({ status: 'problem', finding: expect.stringContaining(words) });
  expect(JSON.stringify(finding)).not.toContain('hunter2');
});

test.each([
  ['not set', '', /MSB_BASE_URL is not set/],
  ['not encrypted', 'http://api.example.com', /not encrypted/],
  ['with credentials in it', 'https://user:secret-word@api.example.com', /carries credentials/],
])('an address that is %s is a problem, without a secret in it', async (_, baseUrl, text) => {
  const [finding] = await found('service', { MSB_BASE_URL: baseUrl });
  expect(finding).toMatchObject({ status: 'problem', finding: expect.stringMatching(text) });
  expect(JSON.stringify(finding)).not.toContain('secret-word');
});

async function tokenFile(mode: number, text = 'secret-word\n'): Promise<string> {
  const path = await ownFile(text, 'token');
  await chmod(path, mode);
  return path;
}

test('each source of a token is named with what is wrong about it, never with the token', async () => {
  const tried = [];
  for (const env of [
    {},
    { MSB_TOKEN: 'secret-word' },
    { MSB_TOKEN: 'secret-word and more' },
    { MSB_TOKEN_FILE: await tokenFile(0o600) },
    { MSB_TOKEN_FILE: await tokenFile(0o644) },
    { MSB_TOKEN_FILE: await tokenFile(0o600, '') },
    { MSB_TOKEN_COMMAND: 'echo secret-word' },
    { MSB_TOKEN_COMMAND: 'echo secret-word; exit 3' },
  ])
    tried.push(...(await found('credentials', env)));
  expect(tried.map(({ status }) => status).join(' ')).toBe(
    'problem ok problem ok ok warning problem ok problem',
  );
  expect(JSON.stringify(tried)).not.toContain('secret-word');
});

test('every problem of a definition is named, and the valid ones are counted', async () => {
  const folder = await ownFolder({ 'a.yaml': 'operation: payment.documents', 'b.yaml': 'operaton: x' });
  const jobs = await found('jobs', { ONBOARD_JOBS: folder });
  expect(jobs[0]).toMatchObject({ status: 'ok', finding: `1 valid definition in ${folder}` });
  expect(
    jobs.slice(1).every(({ status, finding }) => status === 'problem' && /b\.yaml, line 1/.test(finding)),
  ).toBe(true);
  expect(jobs.length).toBeGreaterThan(1);
});

test('a folder without definitions is a warning', async () => {
  expect(await found('jobs', { ONBOARD_JOBS: await ownFolder() })).toEqual([
    expect.objectContaining({ status: 'warning' }),
  ]);
});

test('where events go is told, and what is wrong with their secret, without it', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const withSecret = async (text: string, mode: number) => {
    const secretFile = await ownFile(text, 'secret');
    await chmod(secretFile, mode);
    const ONBOARD_WEBHOOK_URL = 'https://hooks.example.com/onboard?key=hidden';
    return found('events', { ONBOARD_WEBHOOK_URL, ONBOARD_WEBHOOK_SECRET_FILE: secretFile });
  };
  expect(await found('events', {})).toEqual([]);
  expect(await found('events', { ONBOARD_NOTIFY_COMMAND: './tell' })).toMatchObject([{ status: 'ok' }]);
  expect(await withSecret(secret, 0o600)).toEqual([
    expect.objectContaining({ status: 'ok', finding: 'sent to hooks.example.com, signed' }),
  ]);
  expect(await withSecret(secret, 0o644)).toMatchObject([{ status: 'ok' }, { status: 'warning' }]);
  const wrong = await withSecret('a-password', 0o600);
  expect(wrong).toMatchObject([{ status: 'problem' }]);
  expect(JSON.stringify(wrong)).not.toContain('a-password');
});
