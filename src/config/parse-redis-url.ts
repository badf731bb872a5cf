import { UsageError } from '../lib/usage-error.ts';
import type { HostPort, RedisAddress, RedisLogin } from './redis-address.ts';

type Place = 'server' | 'socket' | 'sentinel' | 'cluster';

/** The spellings of `+sentinel` are those of the Python world; there is no standard for more than one server. */
const SCHEMES: Readonly<Record<string, { readonly place: Place; readonly encrypted: boolean }>> = {
  redis: { place: 'server', encrypted: false },
  rediss: { place: 'server', encrypted: true },
  unix: { place: 'socket', encrypted: false },
  'redis+sentinel': { place: 'sentinel', encrypted: false },
  'rediss+sentinel': { place: 'sentinel', encrypted: true },
  'redis+cluster': { place: 'cluster', encrypted: false },
  'rediss+cluster': { place: 'cluster', encrypted: true },
};

const FORMS =
  'expected redis://, rediss:// or unix://, or for a cluster redis+cluster:// or rediss+cluster://, ' +
  'or for Sentinel redis+sentinel:// or rediss+sentinel://';
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26379;
const PORT_MAX = 65_535;
const FORM = /^([a-z+]+):\/\/([^/?#]*)([^?#]*)(.*)$/i;
const SERVER = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;
const ENCODE = 'in a user or password, write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A and % as %25';

type Parts = {
  readonly login: RedisLogin | null;
  /** What stands between the login and the path. */
  readonly hosts: string;
  readonly path: string;
  /** What `?db=` says. */
  readonly database: number | null;
};

/** Where a `REDIS_URL` leads; a UsageError that never holds a part of it says what is malformed. */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme = '', authority = '', path = '', rest = ''] = FORM.exec(text) ?? [];
  const form = SCHEMES[scheme.toLowerCase()];
  if (form === undefined) throw new UsageError(FORMS);
  const { place } = form;
  const at = authority.lastIndexOf('@');
  if (at < 0 && `${path}${rest}`.includes('@')) throw new UsageError(`expected no @ in the path: ${ENCODE}`);
  const login = at < 0 ? null : parseLogin(authority.slice(0, at));
  const parts = { login, hosts: authority.slice(at + 1), path, database: parseQuery(rest) };
  const tls = form.encrypted ? { caFile: null, certificate: null } : null;
  switch (place) {
    case 'socket':
      return { kind: place, login, ...socketOf(parts) };
    case 'server':
      return { kind: place, login, tls, ...serverOf(parts) };
    case 'sentinel':
      return { kind: place, login, tls, sentinelLogin: null, ...sentinelsOf(parts) };
    case 'cluster':
      return { kind: place, login, tls, nodes: nodesOf(parts) };
    default:
      return place satisfies never;
  }
}

function parseLogin(text: string): RedisLogin | null {
  const colon = text.indexOf(':');
  if (text === '' || text === ':') return null;
  if (colon < 0 || colon === text.length - 1) {
    throw new UsageError('expected a password before the @, as user:password@ or :password@');
  }
  try {
    const user = decodeURIComponent(text.slice(0, colon));
    return { user: user === '' ? null : user, password: decodeURIComponent(text.slice(colon + 1)) };
  } catch {
    throw new UsageError(`malformed percent-encoding before the @: ${ENCODE}`);
  }
}

function parseQuery(text: string): number | null {
  if (text === '' || text === '?') return null;
  const db = /^\?db=(\d{1,5})$/.exec(text)?.[1];
  if (db !== undefined) return Number(db);
  throw new UsageError(
    `expected nothing behind the path but ?db=<number>: TLS and Sentinel have variables of their own; ${ENCODE}`,
  );
}

function socketOf({ hosts, path, database }: Parts) {
  if (hosts !== '' || path === '') throw new UsageError('expected unix:/// and an absolute path');
  return { path, database: database ?? 0 };
}

function serverOf({ hosts, path, database }: Parts) {
  const [server, ...more] = parseServers(hosts, REDIS_PORT);
  if (server === undefined || more.length > 0) {
    throw new UsageError(
      'expected one server; several are a cluster (redis+cluster://) or Sentinels (redis+sentinel://)',
    );
  }
  return { server, database: parseDatabase(path.slice(1)) ?? database ?? 0 };
}

function sentinelsOf({ hosts, path, database }: Parts) {
  const [master = '', number = '', ...more] = path.slice(1).split('/');
  if (master === '' || more.length > 0) {
    throw new UsageError('expected the name of the master behind the Sentinels, as host:26379/mymaster');
  }
  return {
    sentinels: parseServers(hosts, SENTINEL_PORT),
    master,
    database: parseDatabase(number) ?? database ?? 0,
  };
}

function nodesOf({ hosts, path, database }: Parts): readonly HostPort[] {
  if ((parseDatabase(path.slice(1)) ?? database ?? 0) !== 0) {
    throw new UsageError('expected no database number: a cluster has database 0 only');
  }
  return parseServers(hosts, REDIS_PORT);
}

function parseDatabase(text: string): number | null {
  if (text === '') return null;
  if (!/^\d{1,5}$/.test(text))
    throw new UsageError('expected a database number as the last part of the path');
  return Number(text);
}

/** At least one. */
function parseServers(text: string, defaultPort: number): readonly HostPort[] {
  return text.split(',').map((one, i) => {
    const [, host = '', digits] = SERVER.exec(one) ?? [];
    const port = digits === undefined ? defaultPort : Number(digits);
    if (host === '' || port === 0 || port > PORT_MAX) {
      throw new UsageError(`expected host or host:port as server ${i + 1}; an IPv6 address stands in [ ]`);
    }
    return { host: host.replace(/^\[|\]$/g, ''), port };
  });
}
