/** `REDIS_URL` and the variables beside it. No message holds a part of it: it can be a password. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { NO_TLS_FILES, type TlsFiles, tlsFilesOf } from '../lib/tls-files.ts';
import { UsageError } from '../lib/usage-error.ts';

export type HostPort = { readonly host: string; readonly port: number };

type Named = { readonly user: string | null };
type Login = Named & { readonly password: string };
/** `passwordFile`: absolute, and read for each connection. */
export type RedisLogin = Login | (Named & { readonly passwordFile: string });

type OverTcp = {
  readonly login: RedisLogin | null;
  readonly tls: TlsFiles | null;
};

export type RedisAddress =
  | {
      readonly kind: 'socket';
      readonly path: string;
      /** The path that people are told, where another one leads to the socket. */
      readonly shown?: string;
      readonly login: RedisLogin | null;
      readonly database: number;
    }
  | (OverTcp & { readonly kind: 'server'; readonly server: HostPort; readonly database: number })
  | (OverTcp & {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostPort[];
      readonly sentinelLogin: Login | null;
      readonly master: string;
      readonly database: number;
    })
  | (OverTcp & { readonly kind: 'cluster'; readonly nodes: readonly HostPort[] });

export const redisVariables = {
  REDIS_URL: z.string().optional(),
  REDIS_PASSWORD_FILE: z.string().optional(),
  REDIS_TLS_CA_FILE: z.string().optional(),
  REDIS_TLS_CERT_FILE: z.string().optional(),
  REDIS_TLS_KEY_FILE: z.string().optional(),
  REDIS_SENTINEL_USERNAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
} as const;

type Name = keyof typeof redisVariables;
type Values = {
  readonly [name in Name]?: z.output<(typeof redisVariables)[name]> | undefined;
};

const TLS_FILES = ['REDIS_TLS_CA_FILE', 'REDIS_TLS_CERT_FILE', 'REDIS_TLS_KEY_FILE'] as const;
const SENTINEL_LOGIN = ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'] as const;

/**
 * A variable without effect is a problem: whoever names an authority's certificate means an
 * encrypted connection.
 */
export function redisConflicts(variables: Readonly<Partial<Record<Name, string | undefined>>>): string[] {
  const isSet = (name: Name) => (variables[name] ?? '') !== '';
  const scheme = /^([a-z+]+):/i.exec(variables.REDIS_URL ?? '')?.[1]?.toLowerCase() ?? '';
  const problems = urlProblems(variables.REDIS_URL ?? '', variables.REDIS_PASSWORD_FILE ?? '');
  const withoutEffect = (names: readonly Name[], expected: string) => {
    const found = names.filter(isSet);
    if (found.length > 0) problems.push(`${found.join(' and ')}: expected ${expected}, or not to be set`);
  };
  if (!scheme.startsWith('rediss')) withoutEffect(TLS_FILES, 'REDIS_URL to begin with rediss');
  if (!scheme.endsWith('+sentinel')) {
    withoutEffect(SENTINEL_LOGIN, 'REDIS_URL to be a redis+sentinel:// one');
  }
  if (isSet('REDIS_TLS_CERT_FILE') !== isSet('REDIS_TLS_KEY_FILE')) {
    problems.push('REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: expected both or neither to be set');
  }
  if (isSet('REDIS_SENTINEL_USERNAME') && !isSet('REDIS_SENTINEL_PASSWORD')) {
    problems.push('REDIS_SENTINEL_USERNAME: expected REDIS_SENTINEL_PASSWORD to be set too');
  }
  return problems;
}

function urlProblems(url: string, passwordFile: string): string[] {
  if (url === '')
    return passwordFile === '' ? [] : ['REDIS_PASSWORD_FILE: expected REDIS_URL to be set, or not to be set'];
  try {
    parseRedisUrl(url, passwordFile);
    return [];
  } catch (error) {
    if (error instanceof UsageError) return [`REDIS_URL: ${error.message}`];
    throw error;
  }
}

/** `null`: the embedded server. */
export function redisAddressOf(values: Values): RedisAddress | null {
  if (values.REDIS_URL === undefined) return null;
  const address = parseRedisUrl(values.REDIS_URL, values.REDIS_PASSWORD_FILE);
  if (address.kind === 'socket') return address;
  const { REDIS_TLS_CA_FILE: ca, REDIS_TLS_CERT_FILE: cert, REDIS_TLS_KEY_FILE: key } = values;
  const tls = address.tls === null ? null : tlsFilesOf(ca, cert, key);
  if (address.kind !== 'sentinel') return { ...address, tls };
  const { REDIS_SENTINEL_USERNAME: user, REDIS_SENTINEL_PASSWORD: password } = values;
  const sentinelLogin = password === undefined ? null : { user: user ?? null, password };
  return { ...address, tls, sentinelLogin };
}

export function shownAddress(address: RedisAddress): string {
  const scheme = schemeOf(address);
  switch (address.kind) {
    case 'socket':
      return address.shown ?? address.path;
    case 'server':
      return `${scheme}://${shownServers([address.server])}`;
    case 'sentinel':
      return `${scheme}+sentinel://${shownServers(address.sentinels)}/${address.master}`;
    case 'cluster':
      return `${scheme}+cluster://${shownServers(address.nodes)}`;
    default:
      return address satisfies never;
  }
}

function schemeOf(address: RedisAddress): 'redis' | 'rediss' {
  return address.kind !== 'socket' && address.tls !== null ? 'rediss' : 'redis';
}

function shownServers(servers: readonly HostPort[]): string {
  return servers.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}

/** `+sentinel` as in the Python world; there is no standard for more than one server. */
const SCHEMES: Readonly<Record<string, RedisAddress['kind']>> = {
  redis: 'server',
  rediss: 'server',
  unix: 'socket',
  'redis+sentinel': 'sentinel',
  'rediss+sentinel': 'sentinel',
  'redis+cluster': 'cluster',
  'rediss+cluster': 'cluster',
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

/** `hosts`: what stands between the login and the path. */
type Parts = { readonly hosts: string; readonly path: string; readonly database: number | null };

/**
 * A UsageError says what is malformed without a part of the URL. `passwordFile`: where the password
 * is; '': in the URL.
 */
export function parseRedisUrl(text: string, passwordFile = ''): RedisAddress {
  const [, scheme = '', authority = '', path = '', rest = ''] = FORM.exec(text) ?? [];
  const kind = SCHEMES[scheme.toLowerCase()];
  if (kind === undefined) throw new UsageError(FORMS);
  const at = authority.lastIndexOf('@');
  if (at < 0 && `${path}${rest}`.includes('@')) throw new UsageError(`expected no @ in the path: ${ENCODE}`);
  const login = parseLogin(authority.slice(0, Math.max(0, at)), passwordFile);
  const parts = { hosts: authority.slice(at + 1), path, database: parseQuery(rest) };
  const tls = scheme.toLowerCase().startsWith('rediss') ? NO_TLS_FILES : null;
  switch (kind) {
    case 'socket':
      return { kind, login, ...socketOf(parts) };
    case 'server':
      return { kind, login, tls, ...serverOf(parts) };
    case 'sentinel':
      return { kind, login, tls, sentinelLogin: null, ...sentinelsOf(parts) };
    case 'cluster':
      return { kind, login, tls, nodes: nodesOf(parts) };
    default:
      return kind satisfies never;
  }
}

function parseLogin(text: string, file: string): RedisLogin | null {
  const [, name = '', word = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? [];
  const user = decoded(name) || null;
  const password = decoded(word);
  if (file !== '') {
    if (password === '') return { user, passwordFile: resolve(file) };
    throw new UsageError('expected no password before the @, since REDIS_PASSWORD_FILE is set');
  }
  if (user === null && password === '') return null;
  if (password !== '') return { user, password };
  throw new UsageError(
    'expected a password before the @, as user:password@ or :password@, or REDIS_PASSWORD_FILE to be set',
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
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
  return { server, database: databaseOf(path.slice(1), database) };
}

function sentinelsOf({ hosts, path, database }: Parts) {
  const [master = '', number = '', ...more] = path.slice(1).split('/');
  if (master === '' || more.length > 0) {
    throw new UsageError('expected the name of the master behind the Sentinels, as host:26379/mymaster');
  }
  return {
    sentinels: parseServers(hosts, SENTINEL_PORT),
    master,
    database: databaseOf(number, database),
  };
}

function nodesOf({ hosts, path, database }: Parts): readonly HostPort[] {
  if (databaseOf(path.slice(1), database) !== 0) {
    throw new UsageError('expected no database number: a cluster has database 0 only');
  }
  return parseServers(hosts, REDIS_PORT);
}

/** `asked`: by `?db=`. */
function databaseOf(text: string, asked: number | null): number {
  if (text === '') return asked ?? 0;
  if (!/^\d{1,5}$/.test(text))
    throw new UsageError('expected a database number as the last part of the path');
  if (asked !== null && asked !== Number(text))
    throw new UsageError('expected one database number: the path and ?db= name two');
  return Number(text);
}

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
