import { describe, expect, test } from 'vitest';
import { parseRedisUrl, type RedisAddress, shownAddress } from '../../src/config/redis-address.ts';

const PLAIN = { login: null, tls: null } as const;
const ENCRYPTED = { login: null, tls: { caFile: null, certificate: null } } as const;

const at = (host: string, port: number) => ({ host, port });
const server = (host: string, port = 6379, database = 0) =>
  ({ ...PLAIN, kind: 'server', server: at(host, port), database }) as const;
const socket = (path: string, database = 0) => ({ kind: 'socket', path, login: null, database }) as const;
const sentinels = { kind: 'sentinel', sentinelLogin: null } as const;

describe('a URL leads to', () => {
  test.each<[string, RedisAddress]>([
    ['redis://redis', server('redis')],
    ['redis://10.0.0.7:7000/', server('10.0.0.7', 7000)],
    ['REDIS://redis:6379/2', server('redis', 6379, 2)],
    ['redis://redis?db=3', server('redis', 6379, 3)],
    ['redis://[::1]:7000', server('::1', 7000)],
    ['rediss://redis:6380', { ...server('redis', 6380), ...ENCRYPTED }],
    ['unix:///var/run/redis.sock', socket('/var/run/redis.sock')],
    ['unix:///redis.sock?db=2', socket('/redis.sock', 2)],
    ['unix://me:word@/redis.sock', { ...socket('/redis.sock'), login: { user: 'me', password: 'word' } }],
    [
      'redis+cluster://a:7000,b,[::1]:7002',
      { ...PLAIN, kind: 'cluster', nodes: [at('a', 7000), at('b', 6379), at('::1', 7002)] },
    ],
    ['rediss+cluster://a/0', { ...ENCRYPTED, kind: 'cluster', nodes: [at('a', 6379)] }],
    [
      'redis+sentinel://s1,s2:5000/mymaster',
      {
        ...PLAIN,
        ...sentinels,
        sentinels: [at('s1', 26379), at('s2', 5000)],
        master: 'mymaster',
        database: 0,
      },
    ],
    [
      'rediss+sentinel://s1/my-master/4',
      { ...ENCRYPTED, ...sentinels, sentinels: [at('s1', 26379)], master: 'my-master', database: 4 },
    ],
  ])('%s', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address);
  });

  test.each([
    ['redis://user:word@redis', { user: 'user', password: 'word' }],
    ['redis://:word@redis', { user: null, password: 'word' }],
    ['redis://:@redis', null],
    ['redis://us%3Aer:p%40%2F%3F%23%25%3A:d@redis', { user: 'us:er', password: 'p@/?#%::d' }],
    ['redis://user:p@ss@redis', { user: 'user', password: 'p@ss' }],
    ['rediss+cluster://user:word@a,b', { user: 'user', password: 'word' }],
    ['redis+sentinel://user:word@s1,s2/m', { user: 'user', password: 'word' }],
  ])('%s: the login', (url, login) => {
    expect(parseRedisUrl(url).login).toEqual(login);
  });
});

test.each([
  ['localhost:6379', /^expected redis:\/\/, rediss:\/\/ or unix:\/\/, or for a cluster/],
  ['/var/run/redis.sock', /^expected redis:\/\//],
  ['redis-sentinel://secret/m', /^expected .* redis\+sentinel:\/\//],
  ['https://secret', /^expected redis:\/\//],
  ['redis://', /host or host:port as server 1/],
  ['redis://:6379', /host or host:port as server 1/],
  ['redis://secret:0', /host or host:port as server 1/],
  ['redis://secret:70000', /host or host:port as server 1/],
  ['redis://sec ret', /host or host:port as server 1/],
  ['redis://::1', /IPv6 address stands in \[ \]/],
  ['redis://a,secret', /expected one server; several are a cluster .* or Sentinels/],
  ['redis+cluster://a,,secret', /as server 2/],
  ['redis+cluster://a,', /as server 2/],
  ['redis+cluster://secret/1', /no database number: a cluster has database 0 only/],
  ['redis+cluster://secret?db=1', /no database number/],
  ['redis+sentinel://secret', /the name of the master behind the Sentinels/],
  ['redis+sentinel://secret/', /the name of the master/],
  ['redis+sentinel://secret/m/1/2', /the name of the master/],
  ['redis+sentinel://secret/m/x', /database number/],
  ['redis://secret/one', /database number as the last part of the path/],
  ['redis://secret/1?db=2', /one database number: the path and \?db= name two/],
  ['redis://secret/-1', /database number as the last part of the path/],
  ['redis://secret/1.5', /database number as the last part of the path/],
  ['redis://user@secret', /a password before the @/],
  ['redis://user:@secret', /a password before the @/],
  ['redis://:sec%ret@redis', /percent-encoding before the @/],
  ['redis://:sec/ret@redis', /no @ in the path: .* \/ as %2F/],
  ['redis://:sec#ret@redis', /no @ in the path: .*# as %23/],
  ['rediss://secret?ssl_cert_reqs=none', /nothing behind the path but \?db=<number>/],
  ['rediss://secret?rejectUnauthorized=false', /nothing behind the path/],
  ['unix://secret/redis.sock', /unix:\/\/\/ and an absolute path/],
  ['unix://', /unix:\/\/\/ and an absolute path/],
])('a malformed URL is refused, and no part of it is repeated: %s', (url, problem) => {
  expect(() => parseRedisUrl(url)).toThrow(problem);
  expect(() => parseRedisUrl(url)).not.toThrow(/sec.?ret/);
});

test.each([
  ['redis://user:word@redis', 'redis://redis:6379'],
  ['rediss://:word@[::1]:6380/2', 'rediss://[::1]:6380'],
  ['unix://me:word@/redis.sock', '/redis.sock'],
  ['rediss+cluster://user:word@a:7000,b', 'rediss+cluster://a:7000,b:6379'],
  ['redis+sentinel://user:word@s1,s2:5000/mymaster/1', 'redis+sentinel://s1:26379,s2:5000/mymaster'],
])('%s is shown without its login', (url, shown) => {
  expect(shownAddress(parseRedisUrl(url))).toBe(shown);
});
