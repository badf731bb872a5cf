/**
 * Whether Redis answers before a run begins, as the kind of server that REDIS_URL names. An outage
 * at the start is a mistake of set-up, reported with advice; only later ones are waited out.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { type RedisAddress, shownAddress } from '../../config/redis-address.ts';
import { messageOf } from '../../lib/errors.ts';
import { UsageError } from '../../lib/usage-error.ts';
import {
  type ClusterAddress,
  type SentinelAddress,
  type SingleAddress,
  singleOptions,
} from './client-options.ts';
import { NOT_NOW } from './settings.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** A silent server must not delay the others. */
const ANSWER_TIMEOUT_MS = 2_000;
const SLOTS = '16384';
/** Without REDIS_URL the same command would send all rows again: a fresh ledger knows none. */
const ELSEWHERE = 'Leave REDIS_URL unset, for an embedded server, only where no row was sent with it.';
const TO_DO = `Start it, or correct REDIS_URL. ${ELSEWHERE}`;
const LOGIN = /NOAUTH|WRONGPASS|password/;
const TO_DO_LOGIN =
  'Give the right login: the password in REDIS_PASSWORD_FILE, or in REDIS_URL as in ' +
  'redis://:<password>@host or redis://<user>:<password>@host ' +
  `(of Sentinels: REDIS_SENTINEL_USERNAME, REDIS_SENTINEL_PASSWORD), or none. ${ELSEWHERE}`;
const TO_DO_DATABASE =
  'Correct the number at the end of REDIS_URL, or raise `databases` in redis.conf. ' +
  'What was sent is known in its own database alone: with another one all of it goes again.';
const TO_DO_ENCRYPTED = `${TO_DO} Your own certificates: REDIS_TLS_CA_FILE, REDIS_TLS_CERT_FILE, REDIS_TLS_KEY_FILE.`;

/** A UsageError where Redis can't be reached, or refuses. */
export async function assertReachable(address: RedisAddress): Promise<void> {
  const problem =
    address.kind === 'cluster' ? await problemOfCluster(address) : await problemOfSingle(address);
  if (problem === null) return;
  throw new UsageError(
    `Redis at ${shownAddress(address)} can't be used: ${problem}. ${toDoAbout(problem, address)}`,
  );
}

/** Another Redis would know no sent row. */
const TO_DO_LATER = 'Wait until it takes commands, and give the command again; keep REDIS_URL as it is.';

function toDoAbout(problem: string, address: RedisAddress): string {
  if (NOT_NOW.test(problem)) return TO_DO_LATER;
  if (/^database \d/.test(problem)) return TO_DO_DATABASE;
  if (LOGIN.test(problem)) return TO_DO_LOGIN;
  return address.kind !== 'socket' && address.tls !== null ? TO_DO_ENCRYPTED : TO_DO;
}

async function problemOfSingle(address: SingleAddress): Promise<string | null> {
  const problem = address.kind === 'sentinel' ? await problemOfSentinels(address) : null;
  if (problem !== null) return problem;
  const further = address.kind === 'sentinel' ? ONE_OF_MANY : {};
  return withProbe(address, further, async (server) => {
    const inCluster = await isInCluster(server);
    return inCluster === true ? IN_CLUSTER : null;
  });
}

const IN_CLUSTER = 'it is a node of a cluster, expected redis+cluster://';

/** Whether one refuses its login, which ioredis passes over; one that is away is none's problem. */
async function problemOfSentinels({ sentinels, sentinelLogin: login, tls }: SentinelAddress) {
  if (login === null) return null;
  for (const server of sentinels) {
    const sentinel = { kind: 'server', server, login, tls, database: 0 } as const;
    const problem = await withProbe(sentinel, OF_SENTINELS, async () => null);
    if (problem === null || !LOGIN.test(problem)) continue;
    return `Sentinel ${server.host}:${server.port}: ${problem}`;
  }
  return null;
}

/** The first usable node speaks for all; without one, all nodes' problems are listed. */
async function problemOfCluster(address: ClusterAddress): Promise<string | null> {
  const { login, tls, nodes } = address;
  const problems: string[] = [];
  for (const server of nodes) {
    const node = { kind: 'server', server, login, tls, database: 0 } as const;
    const problem = await withProbe(node, ONE_OF_MANY, problemOfNode);
    if (problem === null) return null;
    problems.push(problem);
  }
  return problems.join('; ');
}

async function problemOfNode(node: Redis): Promise<string | null> {
  if ((await isInCluster(node)) === false) return 'it is a single server, expected redis://';
  const info = await node.cluster('INFO');
  const said = (name: string) => new RegExp(`^${name}:(\\w+)`, 'm').exec(String(info))?.[1] ?? 'unknown';
  const state = said('cluster_state');
  const served = said('cluster_slots_ok');
  if (state === 'ok' && served === SLOTS) return null;
  const found = `the state of the cluster is ${state} with ${served} slots served`;
  return `${found}, expected ok with ${SLOTS} (\`redis-cli --cluster check\` says what it lacks)`;
}

/** `null`: INFO is not permitted; the ledger's first command will show what it is. */
async function isInCluster(server: Redis): Promise<boolean | null> {
  const info = await server.info('cluster').catch(() => '');
  const [, said] = /^cluster_enabled:(\d)/m.exec(info) ?? [];
  return said === undefined ? null : said === '1';
}

const ONE_OF_MANY = { commandTimeout: ANSWER_TIMEOUT_MS };
/** The documented rights of their user have no INFO. */
const OF_SENTINELS = { ...ONE_OF_MANY, enableReadyCheck: false };

/** What `look` finds, or why the server can't be reached. */
async function withProbe(
  address: SingleAddress,
  further: Pick<RedisOptions, 'commandTimeout' | 'enableReadyCheck'>,
  look: (server: Redis) => Promise<string | null>,
): Promise<string | null> {
  const probe = new Redis({
    ...singleOptions(address),
    lazyConnect: true,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...further,
  });
  const failures: string[] = [];
  probe.on('sentinelError', (error: Error) => failures.push(wordsOf(error)));
  probe.on('error', (error: Error) => failures.push(wordsOf(error)));
  try {
    await probe.connect();
    await probe.ping();
    return await look(probe);
  } catch (error) {
    // Without one it ended for another reason than its connection.
    return failures.length > 0 ? failures.join('; ') : wordsOf(error);
  } finally {
    probe.disconnect();
  }
}

function wordsOf(error: unknown): string {
  // A name with several addresses: each has failed in its own way.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ');
  return messageOf(error).replace(/\.$/, '');
}
