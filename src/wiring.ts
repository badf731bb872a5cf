import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Environment } from './config/environment.ts';
import { type JobDefinition, ratePerSecond } from './config/job-definition.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createDenialStreak } from './delivery/denial-streak.ts';
import type { RunContext, ServiceEdge } from './delivery/run-context.ts';
import { createServiceWeather } from './delivery/service-weather.ts';
import { createChunkLedger } from './ledger/chunk-ledger.ts';
import { type LedgerKeys, ledgerKeys } from './ledger/keys.ts';
import { createRunIndex, type RunIndex } from './ledger/run-index.ts';
import { createRunStore, type RunStore } from './ledger/run-store.ts';
import type { Log } from './lib/log.ts';
import type { Releasers } from './lib/releasers.ts';
import { createSemaphore } from './lib/semaphore.ts';
import { UsageError } from './lib/usage-error.ts';
import { programVersion } from './lib/version.ts';
import { compileMapping } from './mapping/compile-mapping.ts';
import type { Mapping } from './model/mapping.ts';
import type { Operation } from './model/operation.ts';
import type { Run } from './model/run.ts';
import type { SourceInfo } from './model/source.ts';
import { connectRedis, type RedisAddress } from './redis/connection.ts';
import { joinEmbeddedRedis } from './redis/embedded.ts';
import { assertReachable } from './redis/reach.ts';
import { createClient, type ServiceClient } from './service/attempt.ts';
import { backoffMs } from './service/backoff.ts';
import { parseBaseUrl } from './service/base-url.ts';
import { buildRequest } from './service/build-request.ts';
import { type Credentials, createCredentials } from './service/credentials.ts';
import { fieldCatalog } from './service/field-catalog.ts';
import { judge } from './service/judge.ts';
import { pathFieldOf } from './service/operations.ts';

/** The ledger's Redis and what is found in it without knowing a target. */
export type Ledger = {
  readonly redis: Redis;
  readonly address: RedisAddress;
  readonly index: RunIndex;
  /** The runs and keys of one target. */
  of(target: string): { readonly keys: LedgerKeys; readonly store: RunStore };
};

/** Joins or starts the embedded Redis, or connects to `REDIS_URL`; closed by the releasers. */
export async function openLedger(env: Environment, log: Log, releasers: Releasers): Promise<Ledger> {
  await mkdir(env.home, { recursive: true, mode: 0o700 });
  const address = await redisAddress(env, releasers);
  await assertReachable(address);
  const redis = connectRedis(address, (error) => log.warn('redis connection', { problem: error.message }));
  releasers.push(() => redis.disconnect());
  return {
    redis,
    address,
    index: createRunIndex(redis),
    of: (target) => {
      const keys = ledgerKeys(target);
      return { keys, store: createRunStore(redis, keys, () => new Date()) };
    },
  };
}

async function redisAddress(env: Environment, releasers: Releasers): Promise<RedisAddress> {
  if (env.redisUrl !== null) return { kind: 'url', url: env.redisUrl };
  const server = await joinEmbeddedRedis(env.home);
  releasers.push(() => server.close());
  return server.address;
}

/** Where a run's report lies. */
export function reportDirectory(env: Environment, run: string): string {
  return join(env.home, 'reports', run);
}

/** The definition compiled against a file's columns; a UsageError lists what doesn't fit. */
export function mappingFor(definition: JobDefinition, source: SourceInfo): Mapping {
  const { operation } = definition;
  return compileMapping({
    definition,
    source,
    catalog: fieldCatalog(operation),
    pathField: pathFieldOf(operation),
    needsPathId: NEEDS_PATH_ID[operation],
  });
}

const NEEDS_PATH_ID: Readonly<Record<Operation, boolean>> = {
  'subclient.create': false,
  'subclient.update': true,
  // The ledger knows the identifier where the key is known.
  'subclient.upsert': false,
  'counterparty.draft': false,
  'payment.documents': true,
};

/** The service that runs are sent to. */
export type Service = {
  /** The ledger's name for it: `sandbox`, or the base URL. */
  readonly target: string;
  readonly baseUrl: string;
  readonly credentials: Credentials;
};

/** The service of the environment; a UsageError says what is missing. */
export function serviceFromEnvironment(env: Environment): Service {
  const problems: string[] = [];
  if (env.baseUrl === null)
    problems.push('MSB_BASE_URL is not set: expected the address of the service, or --sandbox.');
  if (env.tokenSource.kind === 'none') {
    problems.push(
      'No credentials: expected one of MSB_TOKEN, MSB_TOKEN_FILE, MSB_TOKEN_COMMAND, or --sandbox.',
    );
  }
  if (env.baseUrl === null || env.tokenSource.kind === 'none') throw new UsageError(problems);
  // Refused here, before a run is registered: a worker could only fail at it again and again.
  // In one spelling, since the ledger goes by it: the same service under two names would be sent everything twice.
  const { origin, basePath } = parseBaseUrl(env.baseUrl);
  const baseUrl = `${origin}${basePath}`;
  return { target: baseUrl, baseUrl, credentials: createCredentials(env.tokenSource) };
}

/** What a worker process needs to carry chunks out. */
export function openDelivery(options: {
  readonly ledger: Ledger;
  readonly service: Service;
  readonly log: Log;
  readonly interrupted: AbortSignal;
}): Delivery {
  const { ledger, service } = options;
  const { keys, store } = ledger.of(service.target);
  return createDelivery(async (id, stopping) => {
    const [run, definition] = await Promise.all([store.get(id), store.definition(id)]);
    if (run === null || definition === null) {
      options.log.error('a chunk of a run that the ledger does not know was dropped', { run: id });
      return null;
    }
    const client = clientFor(definition, service);
    return contextFor({ ...options, keys, store, run, definition, client, stopping });
  }, options.interrupted);
}

function clientFor({ send }: JobDefinition, service: Service): ServiceClient {
  return createClient({
    baseUrl: service.baseUrl,
    concurrency: send.concurrency,
    timeoutMs: send.timeoutSeconds * 1000,
    version: programVersion(),
  });
}

function contextFor(parts: {
  readonly ledger: Ledger;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly service: Service;
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly client: ServiceClient;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): RunContext {
  const { run, definition, store, log } = parts;
  const { send } = definition;
  return {
    run,
    definition,
    mapping: mappingFor(definition, run.source),
    ledger: createChunkLedger(parts.ledger.redis, parts.keys, run, () => new Date()),
    service: serviceEdge(definition, parts.client, parts.service.credentials),
    slots: createSemaphore(send.concurrency),
    weather: createServiceWeather(() => performance.now()),
    denials: createDenialStreak(),
    rateIntervalMicroseconds:
      send.rate === undefined ? null : Math.round(1_000_000 / ratePerSecond(send.rate)),
    now: () => performance.now(),
    stopping: parts.stopping,
    pause: async (reason) => {
      if (await store.transition(run.id, 'paused', reason)) log.warn('run paused', { run: run.id, reason });
    },
    close: parts.client.destroy,
    onTrouble: (what, error) => log.error(what, { run: run.id, problem: error.message }),
  };
}

function serviceEdge(
  definition: JobDefinition,
  client: ServiceClient,
  credentials: Credentials,
): ServiceEdge {
  const { query, send } = definition;
  return {
    build: (call, parts) => buildRequest(call, { ...parts, query }),
    attempt: client.attempt,
    judge: (call, reply) => judge(call, reply, send),
    token: credentials.current,
    freshToken: credentials.refresh,
    backoffMs: (attempt) => backoffMs(attempt, Math.random),
  };
}
