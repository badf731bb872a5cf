import { join } from 'node:path';
import { type Environment, makeHomeFolder } from './config/environment.ts';
import { type JobDefinition, ratePerSecond, weightOf } from './config/job-definition.ts';
import type { RedisAddress } from './config/redis-address.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createDenialStreak } from './delivery/denial-streak.ts';
import { createJobWindow } from './delivery/job-window.ts';
import { type Membership, openMembership } from './delivery/membership.ts';
import type { RunContext, ServiceEdge } from './delivery/run-context.ts';
import { createServicePlaces, type RunRate, type ServicePlaces } from './delivery/run-places.ts';
import { createServiceWeather } from './delivery/service-weather.ts';
import { createStillRuns, waitWhileRunning } from './delivery/still-runs.ts';
import { type ChunkLedger, createChunkLedger } from './ledger/chunk-ledger.ts';
import { type LedgerKeys, ledgerKeys } from './ledger/keys.ts';
import { createRunIndex, type RunIndex } from './ledger/run-index.ts';
import { createRunStore, type RunStore } from './ledger/run-store.ts';
import { createSharedWeather } from './ledger/weather.ts';
import type { Log } from './lib/log.ts';
import { createOwnWork } from './lib/own-work.ts';
import type { RedisConnection } from './lib/redis-connection.ts';
import type { Releasers } from './lib/releasers.ts';
import { UsageError } from './lib/usage-error.ts';
import { programVersion } from './lib/version.ts';
import { compileMapping } from './mapping/mapping.ts';
import type { Mapping } from './model/mapping.ts';
import type { Operation } from './model/operation.ts';
import type { Run } from './model/run.ts';
import type { SourceInfo } from './model/source.ts';
import { connectRedis } from './redis/connection.ts';
import { createDiskNotice, type EmbeddedRedis, joinEmbeddedRedis, reviveOnLoss } from './redis/embedded.ts';
import { assertReachable } from './redis/reach.ts';
import { createClient, type ServiceClient } from './service/attempt.ts';
import { parseBaseUrl } from './service/base-url.ts';
import { type Credentials, createCredentials } from './service/credentials.ts';
import { judge } from './service/judge.ts';
import { buildRequest, fieldCatalog, pathFieldOf } from './service/operations.ts';
import { backoffMs } from './service/retry-wait.ts';

/** The ledger's Redis and what is found in it without knowing a target. */
export type Ledger = {
  readonly redis: RedisConnection;
  readonly address: RedisAddress;
  readonly index: RunIndex;
  /** The runs and keys of one target. */
  of(target: string): { readonly keys: LedgerKeys; readonly store: RunStore };
  /** What the user is told when the embedded server can't go on for want of room. */
  onDiskFull(tell: (text: string) => void): void;
};

/** Joins or starts the embedded Redis, or connects to `REDIS_URL`; closed by the releasers. */
export async function openLedger(env: Environment, log: Log, releasers: Releasers): Promise<Ledger> {
  await makeHomeFolder(env.home);
  const { address, revive } = await ledgerServer(env, releasers);
  await assertReachable(address);
  const redis = connectRedis(address, (error) => log.warn('redis connection', { problem: error.message }));
  releasers.push(() => redis.disconnect());
  const diskNotice = createDiskNotice(join(env.home, 'redis'), () => performance.now());
  if (revive !== null) {
    const onTrouble = (error: Error) => log.warn('the embedded Redis is gone', { problem: error.message });
    const reviving = reviveOnLoss(redis, () => diskNotice.around(revive), onTrouble);
    releasers.push(() => reviving.stop());
  }
  return {
    redis,
    address,
    index: createRunIndex(redis),
    of: (target) => {
      const keys = ledgerKeys(target);
      return { keys, store: createRunStore(redis, keys, () => new Date()) };
    },
    onDiskFull: diskNotice.onFull,
  };
}

/** A server that is ours is also ours to start again. */
type LedgerServer = { readonly address: RedisAddress; readonly revive: EmbeddedRedis['revive'] | null };

async function ledgerServer({ redis, home }: Environment, releasers: Releasers): Promise<LedgerServer> {
  if (redis !== null) return { address: redis, revive: null };
  const server = await joinEmbeddedRedis(home);
  releasers.push(() => server.close());
  return server;
}

/** Makes this process one that moves rows of the target; closed by the releasers. */
export async function joinLedger(
  ledger: Ledger,
  target: string,
  options: {
    readonly env: Environment;
    readonly log: Log;
    readonly releasers: Releasers;
    notify(text: string): void;
  },
): Promise<Membership> {
  const { keys, store } = ledger.of(target);
  ledger.onDiskFull(options.notify);
  const membership = await openMembership({
    redis: ledger.redis,
    keys,
    store,
    target,
    folder: await makeHomeFolder(options.env.home, 'journal'),
    indexRun: (run, createdAt) => ledger.index.add(run, target, createdAt),
    onNotice(text) {
      options.log.info(text);
      options.notify(text);
    },
    onTrouble: options.log.warn,
  });
  options.releasers.push(() => membership.close());
  return membership;
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
    problems.push(
      'MSB_BASE_URL is not set: expected the address of the service, such as https://api.example.com, or --sandbox.',
    );
  if (env.tokenSource.kind === 'none') {
    problems.push(
      'No credentials: expected one of MSB_TOKEN, MSB_TOKEN_FILE, MSB_TOKEN_COMMAND, or --sandbox.',
    );
  }
  if (env.baseUrl === null || env.tokenSource.kind === 'none') throw new UsageError(problems);
  // Refused here, before a run is registered: a worker could only fail at it again and again.
  const baseUrl = baseUrlOf(env.baseUrl);
  return { target: baseUrl, baseUrl, credentials: createCredentials(env.tokenSource) };
}

/** In one spelling, since the ledger goes by it: the same service under two names would be sent everything twice. */
export function baseUrlOf(text: string): string {
  const { origin, basePath } = parseBaseUrl(text);
  return `${origin}${basePath}`;
}

/** What a worker process needs to carry chunks out. */
export function openDelivery(options: {
  readonly ledger: Ledger;
  readonly membership: Membership;
  readonly service: Service;
  readonly log: Log;
  readonly interrupted: AbortSignal;
}): Delivery {
  const { ledger, service } = options;
  const { keys, store } = ledger.of(service.target);
  // Told once per run: its chunks are looked at again and again.
  const missing = new Set<string>();
  const places = createServicePlaces({ now: () => performance.now(), createBusy: createOwnWork });
  return createDelivery(async (id, stopping) => {
    const [run, definition] = await Promise.all([store.get(id), store.definition(id)]);
    if (run === null || definition === null) {
      if (!missing.has(id))
        options.log.warn('chunks of a run that the ledger does not know wait', { run: id });
      missing.add(id);
      return null;
    }
    missing.delete(id);
    await options.membership.remember(id);
    const client = clientFor(definition, service);
    return contextFor({ ...options, keys, store, run, definition, client, stopping, places });
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

/** Beyond the time-out of the call itself: a probe that is not heard of is given up. */
const PROBE_MARGIN_MS = 5_000;

function contextFor(parts: {
  readonly ledger: Ledger;
  readonly membership: Membership;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly service: Service;
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly client: ServiceClient;
  readonly log: Log;
  readonly stopping: AbortSignal;
  readonly places: ServicePlaces;
}): RunContext {
  const { run, definition, store, log, stopping } = parts;
  const { send } = definition;
  // First, since it may throw: nothing has been joined by then.
  const mapping = mappingFor(definition, run.source);
  const window = createJobWindow(definition.window, () => new Date());
  const isOpen = () => window?.isOpen() ?? true;
  const stillRuns = createStillRuns(
    () => parts.ledger.redis.hget(parts.keys.run(run.id).record, 'state'),
    () => performance.now(),
  );
  const chunkLedger = createChunkLedger({
    gate: parts.membership.gate,
    journal: parts.membership.journal,
    keys: parts.keys,
    run,
    probeMs: send.timeoutSeconds * 1000 + PROBE_MARGIN_MS,
    now: () => new Date(),
  });
  const runs = () => isOpen() && stillRuns();
  const now = () => performance.now();
  const places = parts.places.join({
    ceiling: send.concurrency,
    weight: weightOf(definition),
    stopping,
    rate: rateOf(definition, chunkLedger, (ms) => waitWhileRunning(ms, { stillRuns: runs, stopping, now })),
  });
  return {
    run,
    definition,
    mapping,
    ledger: chunkLedger,
    service: serviceEdge(definition, parts.client, parts.service.credentials),
    places,
    hasRate: send.rate !== undefined,
    weather: createServiceWeather(
      () => performance.now(),
      createSharedWeather(parts.ledger.redis, parts.keys),
    ),
    denials: createDenialStreak(),
    now,
    stopping,
    stillRuns: runs,
    isOpen,
    pause: async (reason) => {
      if (await store.transition(run.id, 'paused', reason)) log.warn('run paused', { run: run.id, reason });
    },
    async close() {
      places.leave();
      await parts.client.destroy();
    },
    onTrouble: (what, error) => log.error(what, { run: run.id, problem: error.message }),
  };
}

function rateOf(
  { send }: JobDefinition,
  ledger: ChunkLedger,
  pause: (ms: number) => Promise<boolean>,
): RunRate | null {
  if (send.rate === undefined) return null;
  const intervalMs = 1000 / ratePerSecond(send.rate);
  return { intervalMs, reserve: (times) => ledger.reserve(times, intervalMs), pause };
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
