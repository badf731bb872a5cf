/** Where an address' servers are, for ioredis. */
import { isIP } from 'node:net';
import type { RedisOptions } from 'ioredis';
import type { HostPort, RedisAddress } from '../../config/redis-address.ts';
import { readTls } from '../../lib/tls-files.ts';
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

/** For each node of a cluster. */
export function nodeOptions(address: ClusterAddress, onRefused?: OnRefused): ClientOptions {
  const Connector = directConnector({ ...address, database: 0, onRefused });
  return { Connector, ...encryption(address, null) };
}

/** `server`: for its name in the handshake; an IP address is no name (RFC 6066, section 3). */
function encryption({ tls }: Pick<ClusterAddress, 'tls'>, server: HostPort | null): ClientOptions {
  if (tls === null) return {};
  const isNamed = server !== null && isIP(server.host) === 0;
  return { tls: { ...readTls(tls, 'REDIS_TLS'), ...(isNamed && { servername: server.host }) } };
}

function sentinelOptions(address: SentinelAddress): ClientOptions {
  const { tls, sentinelLogin: login } = address;
  return {
    sentinels: address.sentinels.map((one) => ({ ...one })),
    name: address.master,
    ...(login !== null && { sentinelPassword: login.password }),
    ...(login !== null && login.user !== null && { sentinelUsername: login.user }),
    ...(tls !== null && { sentinelTLS: readTls(tls, 'REDIS_TLS'), enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: SENTINEL_ANSWER_MS,
    sentinelRetryStrategy: (times) => Math.min(times * SENTINEL_STEP_MS, SENTINEL_MAX_MS),
  };
}
