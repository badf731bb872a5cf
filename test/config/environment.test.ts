import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
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
  baseUrl: null,
  tokenSource: { kind: 'none' },
  redisUrl: null,
  home: resolve('.onboard'),
  jobsDirectory: resolve('jobs'),
  acceptRedisSettings: false,
  logLevel: null,
};

describe('a value that is as expected', () => {
  test('with nothing set, the defaults hold and paths are absolute', () => {
    expect(readEnvironment({})).toEqual(NOTHING_SET);
    expect(readEnvironment({ PATH: '/bin', HOME: homedir() })).toEqual(NOTHING_SET);
  });

  test.each([
    [{ MSB_BASE_URL: 'https://api.example.com/msb' }, { baseUrl: 'https://api.example.com/msb' }],
    [{ MSB_BASE_URL: 'http://127.0.0.1:4010' }, { baseUrl: 'http://127.0.0.1:4010' }],
    [{ MSB_TOKEN: 'a.b-c' }, { tokenSource: { kind: 'token', token: 'a.b-c' } }],
    [{ MSB_TOKEN_FILE: '/run/token' }, { tokenSource: { kind: 'file', path: '/run/token' } }],
    [{ MSB_TOKEN_FILE: 'token.txt' }, { tokenSource: { kind: 'file', path: resolve('token.txt') } }],
    [
      { MSB_TOKEN_COMMAND: 'vault read -field=token msb' },
      { tokenSource: { kind: 'command', command: 'vault read -field=token msb' } },
    ],
    [{ REDIS_URL: 'redis://:secret@redis:6379/2' }, { redisUrl: 'redis://:secret@redis:6379/2' }],
    [{ REDIS_URL: 'rediss://redis.internal:6380' }, { redisUrl: 'rediss://redis.internal:6380' }],
    [{ REDIS_URL: 'unix:///var/run/redis.sock' }, { redisUrl: 'unix:///var/run/redis.sock' }],
    [{ ONBOARD_HOME: '/var/lib/onboard' }, { home: '/var/lib/onboard' }],
    [{ ONBOARD_HOME: 'state' }, { home: resolve('state') }],
    [{ ONBOARD_JOBS: '../jobs' }, { jobsDirectory: resolve('../jobs') }],
    [{ ONBOARD_WEB_TOKEN: 'any' }, {}],
    [{ ONBOARD_ACCEPT_REDIS_SETTINGS: '1' }, { acceptRedisSettings: true }],
    [{ ONBOARD_ACCEPT_REDIS_SETTINGS: '0' }, {}],
  ])('%j is read', (env, expected) => {
    expect(readEnvironment(env)).toEqual({ ...NOTHING_SET, ...expected });
  });

  test.each(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])(
    'LOG_LEVEL %s is read',
    (level) => {
      expect(readEnvironment({ LOG_LEVEL: level }).logLevel).toBe(level);
    },
  );
});

test('a variable that is set to nothing is not set', () => {
  const names = [
    'MSB_BASE_URL',
    'MSB_TOKEN',
    'MSB_TOKEN_FILE',
    'MSB_TOKEN_COMMAND',
    'REDIS_URL',
    'ONBOARD_HOME',
    'ONBOARD_JOBS',
    'ONBOARD_ENCRYPTION_KEY',
    'ONBOARD_WEB_TOKEN',
    'ONBOARD_ACCEPT_REDIS_SETTINGS',
    'LOG_LEVEL',
  ];
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(NOTHING_SET);
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, undefined])))).toEqual(NOTHING_SET);
});

describe('a malformed value stops the start', () => {
  test.each([
    [{ MSB_BASE_URL: 'api.example.com' }, 'MSB_BASE_URL: expected an http(s) URL'],
    [{ MSB_BASE_URL: 'ftp://api.example.com' }, 'MSB_BASE_URL: expected an http(s) URL'],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL: expected redis://, rediss:// or unix://'],
    [{ REDIS_URL: '/var/run/redis.sock' }, 'REDIS_URL: expected redis://, rediss:// or unix://'],
    [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL: expected one of silent, fatal, error, warn, info, debug, trace'],
    [{ ONBOARD_ACCEPT_REDIS_SETTINGS: 'yes' }, 'ONBOARD_ACCEPT_REDIS_SETTINGS: expected 1 or 0'],
    [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL: expected one of silent, fatal, error, warn, info, debug, trace'],
    [
      { ONBOARD_ENCRYPTION_KEY: 'k' },
      'ONBOARD_ENCRYPTION_KEY: expected to be unset: encrypting what the ledger keeps is not available in this version',
    ],
    [
      { MSB_TOKEN: 'a', MSB_TOKEN_FILE: 'b' },
      'MSB_TOKEN and MSB_TOKEN_FILE are both set: expected one of them',
    ],
    [
      { MSB_TOKEN_FILE: 'a', MSB_TOKEN_COMMAND: 'b' },
      'MSB_TOKEN_FILE and MSB_TOKEN_COMMAND are both set: expected one of them',
    ],
  ])('%j: %s', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });

  test('every problem is listed at once', () => {
    const problems = problemsOf({
      MSB_BASE_URL: 'nowhere',
      MSB_TOKEN: 'a',
      MSB_TOKEN_COMMAND: 'b',
      REDIS_URL: 'http://redis',
      ONBOARD_ENCRYPTION_KEY: 'k',
      LOG_LEVEL: 'loud',
    });
    expect(problems.map((problem) => problem.split(/:| and/, 1)[0])).toEqual([
      'MSB_BASE_URL',
      'REDIS_URL',
      'ONBOARD_ENCRYPTION_KEY',
      'LOG_LEVEL',
      'MSB_TOKEN',
    ]);
  });

  test('one token beside an empty one is one', () => {
    expect(problemsOf({ MSB_TOKEN: 'a', MSB_TOKEN_FILE: '' })).toEqual([]);
  });

  test('no message holds a value: it may be a secret or have one in it', () => {
    const secret = 's3cr3t-value';
    const problems = problemsOf({
      MSB_BASE_URL: `ftp://user:${secret}@api.example.com`,
      MSB_TOKEN: secret,
      MSB_TOKEN_FILE: secret,
      MSB_TOKEN_COMMAND: `print ${secret}`,
      REDIS_URL: `http://:${secret}@redis`,
      ONBOARD_ENCRYPTION_KEY: secret,
      ONBOARD_WEB_TOKEN: secret,
      LOG_LEVEL: secret,
    });
    expect(problems).toHaveLength(5);
    expect(problems.join('\n')).not.toContain(secret);
  });
});
