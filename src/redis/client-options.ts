/**
 * Where an address' servers are and how to connect, for ioredis. TLS files are read here, so that a
 * wrong one is reported before any connection.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import type { HostPort, RedisAddress, RedisTlsFiles } from '../config/redis-address.ts';
import { messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import { directConnector, masterConnector, type OnRefused } from './connector.ts';

/** One server at a time has all the data. */
export type SingleAddress = Exclude<RedisAddress, { readonly kind: 'cluster' }>;
export type SentinelAddress = Extract<RedisAddress, { readonly kind: 'sentinel' }>;
/** The data is spread over several servers. */
export type ClusterAddress = Extract<RedisAddress, { readonly kind: 'cluster' }>;

/** Without `replyMapping`, which would change the types of all answers. */
type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

/** A Sentinel that accepts connections and says nothing is passed over. */
const SENTINEL_ANSWER_MS = 3_000;
const SENTINEL_STEP_MS = 50;
const SENTINEL_MAX_MS = 1_000;

/** For one server, or one master behind Sentinels. */
export function singleOptions(address: SingleAddress, onRefused?: OnRefused): ClientOptions {
  const access = { ...address, onRefused };
  const Connector = address.kind === 'sentinel' ? masterConnector(access) : directConnector(access);
  switch (address.kind) {
    case 'socket':
      return { Connector, path: address.path };
    case 'server':
      return { Connector, ...address.server, ...encryption(address, address.server) };
    case 'sentinel':
      return { Connector, ...encryption(address, null), ...sentinelOptions(address) };
    default:
      return address satisfies never;
  }
}

/** For each node of a cluster, which itself names its nodes. */
export function nodeOptions(address: ClusterAddress, onRefused?: OnRefused): ClientOptions {
  const Connector = directConnector({ ...address, database: 0, onRefused });
  return { Connector, ...encryption(address, null) };
}

/** `server`: for its name in the handshake; an IP address is no name (RFC 6066, section 3). */
function encryption({ tls }: Pick<ClusterAddress, 'tls'>, server: HostPort | null): ClientOptions {
  if (tls === null) return {};
  const isNamed = server !== null && isIP(server.host) === 0;
  return { tls: { ...tlsOptions(tls), ...(isNamed && { servername: server.host }) } };
}

function sentinelOptions(address: SentinelAddress): ClientOptions {
  const { tls, sentinelLogin: login } = address;
  return {
    sentinels: address.sentinels.map((one) => ({ ...one })),
    name: address.master,
    ...(login !== null && { sentinelPassword: login.password }),
    ...(login !== null && login.user !== null && { sentinelUsername: login.user }),
    ...(tls !== null && { sentinelTLS: tlsOptions(tls), enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: SENTINEL_ANSWER_MS,
    sentinelRetryStrategy: (times) => Math.min(times * SENTINEL_STEP_MS, SENTINEL_MAX_MS),
  };
}

/** The certificate is checked whatever NODE_TLS_REJECT_UNAUTHORIZED says. */
function tlsOptions({ caFile, certificate }: RedisTlsFiles): ConnectionOptions {
  return {
    rejectUnauthorized: true,
    ...(caFile !== null && { ca: readAuthority(caFile) }),
    ...(certificate !== null && readCertificate(certificate)),
  };
}

function readAuthority(path: string): string {
  const ca = read('REDIS_TLS_CA_FILE', path);
  // Node silently accepts a file without a certificate, and would then trust nobody.
  check(`REDIS_TLS_CA_FILE: expected a PEM certificate in ${path}`, () => new X509Certificate(ca));
  return ca;
}

function readCertificate({ certFile, keyFile }: NonNullable<RedisTlsFiles['certificate']>) {
  const pair = { cert: read('REDIS_TLS_CERT_FILE', certFile), key: read('REDIS_TLS_KEY_FILE', keyFile) };
  const expected = `expected a PEM certificate in ${certFile} and its key, without a passphrase, in ${keyFile}`;
  check(`REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE: ${expected}`, () => createSecureContext(pair));
  return pair;
}

function read(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${variable}: ${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

function check(expected: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new UsageError(`${expected}: ${messageOf(error)}`, { cause: error });
  }
}
