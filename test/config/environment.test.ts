import { homedir, hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { parseRedisUrl } from '../../src/config/redis-address.ts';
import { proxyFor } from '../../src/config/service-route.ts';
import { UsageError } from '../../src/lib/usage-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The problems that keep the program from starting; none where it starts. */
function problemsOf(env: Env): readonly string[] {
  try {
    readEnvironment(env);
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
}

const NOTHING_SET = {
  actor: { name: `${userInfo().username}@${hostname()}`, via: 'user' },
  baseUrl: null,
  tokenSource: { kind: 'none' },
  encryptionKey: null,
  formerKeys: null,
  route: { tls: { caFile: null, certificate: null }, proxy: null, direct: '' },
  redis: null,
  home: resolve('.onboard'),
  jobsDirectory: resolve('jobs'),
  notify: { webhook: null, command: null },
  retentionMs: null,
  logLevel: null,
};

const TLS = {
  caFile: resolve('ca.pem'),
  certificate: { certFile: resolve('cert.pem'), keyFile: '/run/key.pem' },
};

describe('a value that is as expected', () => {
  test('with nothing set, the defaults hold and paths are absolute', () => {
    expect(readEnvironment({})).toEqual(NOTHING_SET);
    expect(readEnvironment({ PATH: '/bin', HOME: homedir() })).toEqual(NOTHING_SET);
  });

  test.each([
    [{ MSB_BASE_URL: 'https://api.example.com/msb' }, { baseUrl: 'https://api.example.com/msb' }],
    [
      { ONBOARD_ACTOR: ' Ann ' },
      { actor: { name: 'Ann', via: 'ONBOARD_ACTOR', user: NOTHING_SET.actor.name } },
    ],
    [{ MSB_BASE_URL: 'http://127.0.0.1:4010' }, { baseUrl: 'http://127.0.0.1:4010' }],
    [{ MSB_TOKEN: 'a.b-c' }, { tokenSource: { kind: 'value', value: 'a.b-c' } }],
    [
      { ONBOARD_ENCRYPTION_KEY_FILE: 'key', ONBOARD_ENCRYPTION_KEY_OLD: 'a, b' },
      { encryptionKey: { kind: 'file', path: resolve('key') }, formerKeys: { kind: 'value', value: 'a, b' } },
    ],
    [{ ONBOARD_RETENTION: '90d' }, { retentionMs: 90 * 86_400_000 }],
    [{ MSB_TOKEN_FILE: '/run/token' }, { tokenSource: { kind: 'file', path: '/run/token' } }],
    [{ MSB_TOKEN_FILE: 'token.txt' }, { tokenSource: { kind: 'file', path: resolve('token.txt') } }],
    [
      { MSB_TOKEN_COMMAND: 'vault read -field=token msb' },
      { tokenSource: { kind: 'command', command: 'vault read -field=token msb' } },
    ],
    [
      { REDIS_URL: 'redis://me@redis', REDIS_PASSWORD_FILE: 'word' },
      { redis: expect.objectContaining({ login: { user: 'me', passwordFile: resolve('word') } }) },
    ],
    [
      { REDIS_URL: 'redis+cluster://redis', REDIS_PASSWORD_FILE: '/run/word' },
      { redis: expect.objectContaining({ login: { user: null, passwordFile: '/run/word' } }) },
    ],
    [{ REDIS_URL: 'redis://:secret@redis/2' }, { redis: parseRedisUrl('redis://:secret@redis/2') }],
    [
      {
        REDIS_URL: 'rediss+cluster://a',
        REDIS_TLS_CA_FILE: 'ca.pem',
        REDIS_TLS_CERT_FILE: 'cert.pem',
        REDIS_TLS_KEY_FILE: '/run/key.pem',
      },
      { redis: { ...parseRedisUrl('rediss+cluster://a'), tls: TLS } },
    ],
    [
      { REDIS_URL: 'redis+sentinel://s/m', REDIS_SENTINEL_USERNAME: 'u', REDIS_SENTINEL_PASSWORD: 'p' },
      { redis: expect.objectContaining({ login: null, sentinelLogin: { user: 'u', password: 'p' } }) },
    ],
    [
      { REDIS_URL: 'redis+sentinel://s/m', REDIS_SENTINEL_PASSWORD: 'p' },
      { redis: expect.objectContaining({ sentinelLogin: { user: null, password: 'p' } }) },
    ],
    [
      { MSB_TLS_CA_FILE: 'ca.pem', MSB_TLS_CERT_FILE: 'cert.pem', MSB_TLS_KEY_FILE: '/run/key.pem' },
      { route: { ...NOTHING_SET.route, tls: TLS } },
    ],
    [
      {
        HTTPS_PROXY: 'http://me:p%40s@proxy:3128',
        HTTP_PROXY: 'http://other:1',
        no_proxy: 'a',
        NO_PROXY: 'b',
      },
      {
        route: {
          ...NOTHING_SET.route,
          proxy: { origin: 'http://proxy:3128', login: 'Basic bWU6cEBz' },
          direct: 'a',
        },
      },
    ],
    [
      { https_proxy: 'https://proxy', HTTPS_PROXY: 'http://other:1' },
      { route: { ...NOTHING_SET.route, proxy: { origin: 'https://proxy', login: null } } },
    ],
    [
      { HTTP_PROXY: 'http://proxy:3128/' },
      { route: { ...NOTHING_SET.route, proxy: { origin: 'http://proxy:3128', login: null } } },
    ],
    [{ ONBOARD_HOME: '/var/lib/onboard' }, { home: '/var/lib/onboard' }],
    [{ ONBOARD_HOME: 'state' }, { home: resolve('state') }],
    [{ ONBOARD_JOBS: '../jobs' }, { jobsDirectory: resolve('../jobs') }],
    [{ ONBOARD_WEB_TOKEN: 'any' }, {}],
    [
      { ONBOARD_WEBHOOK_URL: 'https://hooks.example.com/a?b=c', ONBOARD_WEBHOOK_SECRET_FILE: 'whsec' },
      {
        notify: {
          webhook: { url: 'https://hooks.example.com/a?b=c', secretFile: resolve('whsec') },
          command: null,
        },
      },
    ],
    [{ ONBOARD_NOTIFY_COMMAND: './tell' }, { notify: { webhook: null, command: './tell' } }],
  ])('%j is read', (env, expected) => {
    expect(readEnvironment(env)).toEqual({ ...NOTHING_SET, ...expected });
  });
});

test('a variable that is set to nothing is not set', () => {
  const names = [
    ...['MSB_BASE_URL', 'MSB_TOKEN', 'MSB_TOKEN_FILE', 'MSB_TOKEN_COMMAND', 'ONBOARD_HOME', 'ONBOARD_JOBS'],
    ...['REDIS_URL', 'REDIS_TLS_CA_FILE', 'REDIS_TLS_CERT_FILE', 'REDIS_TLS_KEY_FILE', 'LOG_LEVEL'],
    ...['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD', 'REDIS_PASSWORD_FILE'],
    ...['ONBOARD_WEB_TOKEN', 'ONBOARD_WEBHOOK_URL'],
    ...['ONBOARD_WEBHOOK_SECRET_FILE', 'ONBOARD_NOTIFY_COMMAND'],
  ];
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(NOTHING_SET);
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, undefined])))).toEqual(NOTHING_SET);
});

describe('a malformed value stops the start', () => {
  const NO_URL = 'MSB_BASE_URL: expected an http(s) URL such as https://api.example.com';
  const WEBHOOK =
    /^ONBOARD_WEBHOOK_URL: expected the address that events are sent to, https \(or http on this machine\)/;
  const WEBHOOK_BOTH =
    'ONBOARD_WEBHOOK_URL and ONBOARD_WEBHOOK_SECRET_FILE: expected both or neither to be set';
  const WEBHOOK_SECRET = { ONBOARD_WEBHOOK_SECRET_FILE: 'whsec' };
  const NOT_TLS = 'expected REDIS_URL to begin with rediss, or not to be set';
  const LEVELS = 'LOG_LEVEL: expected one of silent, fatal, error, warn, info, debug, trace';
  const CERTIFICATE = { REDIS_TLS_CERT_FILE: 'cert.pem' };
  const PAIR = 'REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: expected';

  test.each([
    [{ MSB_BASE_URL: 'api.example.com' }, NO_URL],
    [{ MSB_BASE_URL: 'ftp://api.example.com' }, NO_URL],
    [{ ...WEBHOOK_SECRET, ONBOARD_WEBHOOK_URL: 'hooks.example.com' }, WEBHOOK],
    [{ ...WEBHOOK_SECRET, ONBOARD_WEBHOOK_URL: 'http://hooks.example.com' }, WEBHOOK],
    [{ ...WEBHOOK_SECRET, ONBOARD_WEBHOOK_URL: 'https://me:secret@hooks.example.com' }, WEBHOOK],
    [{ ONBOARD_WEBHOOK_URL: 'https://hooks.example.com' }, WEBHOOK_BOTH],
    [WEBHOOK_SECRET, WEBHOOK_BOTH],
    [{ REDIS_URL: 'redis://a,b' }, /^REDIS_URL: expected one server; several are a cluster \(redis\+cl/],
    [{ REDIS_URL: 'redis://a', REDIS_TLS_CA_FILE: 'ca.pem' }, `REDIS_TLS_CA_FILE: ${NOT_TLS}`],
    [{ ...CERTIFICATE, REDIS_TLS_KEY_FILE: 'k' }, `REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: ${NOT_TLS}`],
    [{ ...CERTIFICATE, REDIS_URL: 'rediss://a' }, `${PAIR} both or neither to be set`],
    [
      { REDIS_URL: 'redis+cluster://a', REDIS_SENTINEL_PASSWORD: 'p' },
      'REDIS_SENTINEL_PASSWORD: expected REDIS_URL to be a redis+sentinel:// one, or not to be set',
    ],
    [
      { REDIS_URL: 'redis+sentinel://s/m', REDIS_SENTINEL_USERNAME: 'u' },
      'REDIS_SENTINEL_USERNAME: expected REDIS_SENTINEL_PASSWORD to be set too',
    ],
    [{ REDIS_PASSWORD_FILE: 'word' }, /^REDIS_PASSWORD_FILE: expected REDIS_URL to be set/],
    [
      { REDIS_URL: 'redis://:p@a', REDIS_PASSWORD_FILE: 'word' },
      /^REDIS_URL: expected no password before the @, since REDIS_PASSWORD_FILE is set/,
    ],
    [{ MSB_TLS_KEY_FILE: 'k' }, 'MSB_TLS_CERT_FILE and MSB_TLS_KEY_FILE: expected both or neither to be set'],
    [{ HTTPS_PROXY: 'proxy:3128' }, /^HTTPS_PROXY: expected an http or https address such as http:/],
    [{ http_proxy: 'socks5://proxy:1080' }, /^http_proxy: expected an http or https address/],
    [{ https_proxy: 'http://me:50%@proxy:3128' }, /^https_proxy: expected .* \(percent-encoded\)/],
    [{ LOG_LEVEL: 'verbose' }, LEVELS],
    [{ LOG_LEVEL: 'INFO' }, LEVELS],
    [
      { ONBOARD_ENCRYPTION_KEY: 'k', ONBOARD_ENCRYPTION_KEY_FILE: '/k' },
      /^ONBOARD_ENCRYPTION_KEY and ONBOARD_ENCRYPTION_KEY_FILE are both set: expected one of them/,
    ],
    [{ ONBOARD_ACTOR: 'Ann\nBob' }, /^ONBOARD_ACTOR: expected up to 200 characters in one line/],
    [{ MSB_TOKEN: 'a', MSB_TOKEN_FILE: 'b' }, /^MSB_TOKEN and MSB_TOKEN_FILE are both set: .* one of them$/],
    [{ MSB_TOKEN_FILE: 'a', MSB_TOKEN_COMMAND: 'b' }, /^MSB_TOKEN_FILE and MSB_TOKEN_COMMAND are both set/],
  ])('%j: %s', (env, problem) => {
    expect(problemsOf(env)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });

  test('no message holds a value: it may be a secret or have one in it', () => {
    const secret = 's3cr3t-value';
    const problems = problemsOf({
      MSB_BASE_URL: `ftp://user:${secret}@api.example.com`,
      MSB_TOKEN: secret,
      MSB_TOKEN_FILE: secret,
      MSB_TOKEN_COMMAND: `print ${secret}`,
      REDIS_URL: `http://:${secret}@redis`,
      REDIS_TLS_CA_FILE: secret,
      REDIS_SENTINEL_PASSWORD: secret,
      HTTPS_PROXY: `ftp://me:${secret}@proxy`,
      ONBOARD_WEB_TOKEN: secret,
      LOG_LEVEL: secret,
    });
    expect(problems).toHaveLength(7);
    expect(problems.join('\n')).not.toContain(secret);
  });
});

test.each([
  ['https://api.example.com', '', true],
  ['https://api.example.com', 'example.org, api.example.com.evil.org', true],
  ['https://api.example.com', 'example.com', false],
  ['https://api.example.com', 'a,.Example.COM', false],
  ['https://api.example.com', 'a *.example.com', false],
  ['https://badexample.com', 'example.com', true],
  ['https://api.example.com', 'api.example.com:443', false],
  ['https://api.example.com:8443', 'api.example.com:443', true],
  ['https://10.1.2.3', '10.1.2.3', false],
  ['https://api.example.com', '*', false],
  ['https://127.0.0.1:8443', '', false],
  ['http://localhost:4010', '', false],
  ['https://[::1]', '', false],
])('%s with NO_PROXY "%s" is reached by the proxy: %s', (origin, direct, isReached) => {
  const { route } = readEnvironment({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: direct });
  expect(proxyFor(origin, route) !== null).toBe(isReached);
});
