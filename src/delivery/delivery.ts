/**
 * What a process does with the chunks it is handed. Those of a run share its context. Promised:
 * when `halt` or `close` resolves, all rows in flight are settled.
 */

import { setMaxListeners } from 'node:events';
import type { JobDefinition } from '../config/job-definition.ts';
import { awayMsOf, ratePerSecond } from '../config/send-settings.ts';
import { createSharedBreaker, type SharedBreaker } from '../engine/ledger/breaker.ts';
import { type ChunkLedger, createChunkLedger } from '../engine/ledger/chunk-ledger.ts';
import type { LedgerKeys } from '../engine/ledger/keys.ts';
import type { RunStore } from '../engine/ledger/run-store.ts';
import { type ChunkJob, chunkJobId } from '../engine/queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../engine/queue/chunk-worker.ts';
import type { Registration } from '../engine/recovery/registration.ts';
import type { Meter } from '../faces/metrics/meter.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Seal } from '../lib/seal.ts';
import { programVersion } from '../lib/version.ts';
import { processOf } from '../lib/worker-id.ts';
import type { RightCell } from '../model/issue.ts';
import type { Reason, Run } from '../model/run.ts';
import { deliverChunk } from './deliver-chunk.ts';
import { createIdempotency } from './idempotency.ts';
import { createJobWindow } from './job-window.ts';
import type { RunContext, ServiceEdge } from './run-context.ts';
import { mappingOfRun } from './run-mapping.ts';
import { createServicePermits, type RunRate, type ServicePermits } from './run-permits.ts';
import { createClient, type ServiceClient } from './service/attempt.ts';
import type { Credentials, TokenWait } from './service/credentials.ts';
import { createJudge } from './service/judge.ts';
import { buildRequest } from './service/operations.ts';
import { backoffMs } from './service/retry-wait.ts';
import { createServiceBreaker, type Reach } from './service-breaker.ts';
import { createStillRuns, waitWhileRunning } from './still-runs.ts';
import type { Service } from './target.ts';

export type Delivery = {
  deliver(job: ChunkJob, lease: ChunkLease): Promise<ChunkEnd>;
  /** Ms until the run pauses unless the service answers; `null`: no outage that it waits out. */
  pausesIn(run: string): Promise<number | null>;
  /** Sends nothing more of the run here; resolves when its rows in flight are settled. */
  halt(run: string): Promise<void>;
  /** `limit`: what the service bears, as far as was found out. */
  load(): { readonly inFlight: number; readonly limit: number };
  runsInHand(): readonly string[];
  /** Halts every run; later chunks are put back. */
  close(): Promise<void>;
};

type DeliveryParts = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly registration: Registration;
  readonly service: Service;
  readonly log: Log;
  readonly meter: Meter;
  /** Somebody has just begun the runs, and waits for their end. */
  readonly isFollowed: boolean;
  /** How long the source of a refused token is asked for another one, ms. */
  readonly tokenMs: number;
  /** Fires when the process is to end: nothing new is sent. */
  readonly interrupted: AbortSignal;
};

export function openDelivery(parts: DeliveryParts): Delivery {
  const { store, log } = parts;
  // Logged once per run: its chunks come again and again.
  const missing = new Set<string>();
  // Runs share it: once reached, an address stays known. The ledger knows of earlier processes.
  let reach: Promise<Reach> | null = null;
  const permits = createServicePermits(() => performance.now());
  const makeContext: MakeContext = async (id, stopping) => {
    const [run, terms] = await Promise.all([store.get(id), store.termsOf(id)]);
    const { definition, unsent, right } = terms;
    if (run === null || definition === null) {
      if (!missing.has(id)) log.warn(UNKNOWN_RUN, { run: id });
      missing.add(id);
      return null;
    }
    missing.delete(id);
    await parts.registration.remember(id);
    reach ??= reachOf(parts);
    const seal = await parts.keys.run(id).seal();
    const own = { run, seal, definition, unsent, right, stopping };
    return createContext({ ...parts, ...own, permits, reach: await reach });
  };
  const load = () => ({ inFlight: permits.inUse(), limit: permits.limit() });
  const own = processOf(parts.registration.verified.worker);
  return { ...createDelivery(makeContext, parts.interrupted, own), load };
}

const UNKNOWN_RUN = 'chunks of a run that the ledger does not know wait';

/** Asks the ledger only where somebody waits for the answer. */
async function reachOf({ store, isFollowed }: DeliveryParts): Promise<Reach> {
  const wasReached = isFollowed && store.wasEverReached().catch(() => false);
  return { isReached: await wasReached };
}

/** `null`: the ledger doesn't know the run; an emptied Redis may be about to get it back. */
type MakeContext = (run: string, stopping: AbortSignal) => Promise<RunContext | null>;

/** `process`: the first part of its fencing tokens. */
export function createDelivery(
  makeContext: MakeContext,
  interrupted: AbortSignal,
  process: string,
): Omit<Delivery, 'load'> {
  const inHand = createChunksInHand();
  const kept = createKeptRuns(makeContext, interrupted, inHand);
  let takes = 0;
  let closing = false;

  const execute = async (job: ChunkJob, lease: ChunkLease, one: KeptRun): Promise<ChunkEnd> => {
    const context = await one.context;
    takes += 1;
    if (context !== null) return deliverChunk(job, { context, lease, fencingToken: `${process}.${takes}` });
    // The next chunk looks anew. A dropped chunk would be lost, and putting back a ledger may take
    // any time: a look at each every few seconds costs less, even where the run never returns.
    kept.drop(job.run, one);
    return 'put-aside';
  };

  return {
    async deliver(job, lease) {
      if (closing) return 'put-back';
      const { run } = job;
      const one = kept.of(run);
      const id = chunkJobId(run, job.chunk);
      const work = inHand.after(id, lease, () => execute(job, lease, one));
      const own = { run, ended: work.catch(() => undefined) };
      inHand.add(id, own);
      let end: ChunkEnd | null = null;
      try {
        end = await work;
        return end;
      } finally {
        inHand.remove(id, own);
        // A run that paused or failed starts afresh: what was seen of the service is no guide.
        if (end !== 'closed' && inHand.isIdle(run)) kept.drop(run, one);
      }
    },
    async pausesIn(run) {
      const context = await kept.find(run)?.context;
      return context ? pausesIn(context) : null;
    },
    runsInHand: inHand.runs,
    halt: kept.forget,
    async close() {
      closing = true;
      await kept.close();
    },
  };
}

function pausesIn({ breaker }: RunContext): number | null {
  const ms = breaker.awayFor();
  return ms === 0 ? null : Math.max(0, breaker.patienceMs() - ms);
}

type ChunkInHand = { readonly run: string; readonly ended: Promise<unknown> };
type ChunksInHand = ReturnType<typeof createChunksInHand>;

function createChunksInHand() {
  const chunks = new Map<string, ChunkInHand>();
  const ofRun = (id: string) => [...chunks.values()].filter(({ run }) => run === id);
  return {
    add: (id: string, chunk: ChunkInHand) => chunks.set(id, chunk),
    remove(id: string, chunk: ChunkInHand): void {
      if (chunks.get(id) === chunk) chunks.delete(id);
    },
    /**
     * A chunk that Redis forgot may come back while this process still has it. The ledger need not
     * know what the earlier take does, and its unsent rows would be in doubt.
     */
    async after(id: string, lease: ChunkLease, take: () => Promise<ChunkEnd>): Promise<ChunkEnd> {
      const earlier = chunks.get(id);
      if (earlier === undefined) return take();
      await earlier.ended;
      return lease.isHeld() ? take() : 'put-back';
    },
    isIdle: (run: string) => ofRun(run).length === 0,
    ended: (run: string) => Promise.all(ofRun(run).map(({ ended }) => ended)),
    runs: () => [...new Set([...chunks.values()].map(({ run }) => run))],
  };
}

type KeptRun = { readonly context: Promise<RunContext | null>; readonly halt: AbortController };

/** Recent runs: as many as can have chunks in hand at once. */
const RUNS_KEPT = 64;

function createKeptRuns(makeContext: MakeContext, interrupted: AbortSignal, inHand: ChunksInHand) {
  const kept = new Map<string, KeptRun>();
  // One listener for all: AbortSignal.any leaks into a signal that lives on.
  const haltAll = () => {
    for (const { halt } of kept.values()) halt.abort();
  };
  interrupted.addEventListener('abort', haltAll);

  const make = (run: string): KeptRun => {
    const halt = new AbortController();
    // Every waiting row listens.
    setMaxListeners(0, halt.signal);
    if (interrupted.aborted) halt.abort();
    return { context: makeContext(run, halt.signal), halt };
  };
  const forget = async (run: string): Promise<void> => {
    const one = kept.get(run);
    if (one === undefined) return;
    kept.delete(run);
    one.halt.abort();
    await inHand.ended(run);
    await one.context.then((context) => context?.close()).catch(() => undefined);
  };
  const forgetOldest = (but: string) => {
    const idle = [...kept.keys()].filter((run) => run !== but && inHand.isIdle(run));
    const surplus = Math.max(0, kept.size - RUNS_KEPT);
    for (const run of idle.slice(0, surplus)) void forget(run);
  };

  return {
    find: (run: string) => kept.get(run),
    of(run: string): KeptRun {
      const known = kept.get(run);
      if (known !== undefined) return known;
      const made = make(run);
      kept.set(run, made);
      forgetOldest(run);
      return made;
    },
    forget,
    /** Forgets it unless another has taken its place. */
    drop(run: string, one: KeptRun): void {
      if (kept.get(run) === one) void forget(run);
    },
    async close(): Promise<void> {
      interrupted.removeEventListener('abort', haltAll);
      await Promise.all([...kept.keys()].map(forget));
    },
  };
}

/** Beyond the call's own time-out; then a silent probe is given up. */
const PROBE_MARGIN_MS = 5_000;

type ContextParts = DeliveryParts & {
  readonly run: Run;
  readonly seal: Seal;
  readonly definition: JobDefinition;
  readonly unsent: RunContext['unsent'];
  readonly right: readonly RightCell[];
  readonly stopping: AbortSignal;
  readonly permits: ServicePermits;
  readonly reach: Reach;
};

function createContext(parts: ContextParts): RunContext {
  const { redis, keys, store, run, definition, log, stopping, service } = parts;
  const { saltOf, digest } = keys.sealing;
  // First, since it may throw: nothing has been joined yet.
  const mapping = mappingOfRun(definition, { ...run, right: parts.right }, digest);
  const client = clientFor(definition, service);
  const window = createJobWindow(definition.window, () => new Date());
  const now = () => performance.now();
  const readState = () => redis.hget(keys.run(run.id).record, 'state');
  const runs = createStillRuns(readState, now);
  const isOpen = () => window?.isOpen() ?? true;
  const stillRuns = () => isOpen() && runs();
  const wait = (ms: number) => waitWhileRunning(ms, { stillRuns, stopping, now });
  const ledger = chunkLedgerOf(parts);
  const shared = createSharedBreaker(redis, keys);
  const onTrouble = (what: string, error: Error) => log.error(what, { run: run.id, problem: error.message });
  const permits = parts.permits.join({
    ceiling: definition.send.concurrency,
    stopping,
    rate: rateOf(definition, ledger, {
      pause: wait,
      onTrouble: (error) => onTrouble(NO_TIME, new Error(messageOf(error))),
    }),
  });
  const token = tokens(service.credentials, shared, {
    forMs: parts.tokenMs,
    wait,
    warn: (words) => log.warn(words, { run: run.id }),
  });
  const awayMs = awayMsOf(definition);
  return {
    run,
    definition,
    mapping,
    ledger,
    service: serviceEdge(definition, client, token),
    idempotency: createIdempotency(definition, run.nonce && saltOf(run.nonce)),
    saltOf,
    unsent: parts.unsent,
    permits,
    breaker: createServiceBreaker(now, shared, awayMs, parts.isFollowed, parts.reach),
    meter: parts.meter,
    now,
    stopping,
    stillRuns,
    isOpen,
    latest: () => store.get(run.id).catch(() => null),
    pause: (reason, problem) => pauseRun(parts, reason, problem ?? null),
    async close() {
      permits.leave();
      await client.destroy();
    },
    onTrouble,
  };
}

const NO_TIME = 'no time of the rate could be reserved';

function chunkLedgerOf({ registration, keys, run, seal, definition }: ContextParts): ChunkLedger {
  return createChunkLedger({
    verified: registration.verified,
    journal: registration.journal,
    keys,
    run,
    seal,
    probeMs: definition.send.timeoutSeconds * 1000 + PROBE_MARGIN_MS,
    now: () => new Date(),
  });
}

async function pauseRun(
  { run, store, service, log }: ContextParts,
  reason: Reason,
  given: string | null,
): Promise<void> {
  const ofToken = reason === 'credentials' ? service.credentials.whyRefused() : null;
  const problem = given ?? ofToken;
  if (!(await store.pause(run.id, reason, problem))) return;
  const why = problem === null ? {} : { problem };
  log.warn('run paused', { run: run.id, reason, ...why });
}

function rateOf(
  { send }: JobDefinition,
  ledger: ChunkLedger,
  edges: Pick<RunRate, 'pause' | 'onTrouble'>,
): RunRate | null {
  if (send.rate === undefined) return null;
  const intervalMs = 1000 / ratePerSecond(send.rate);
  return { intervalMs, reserve: (times) => ledger.reserve(times, intervalMs), ...edges };
}

function serviceEdge(
  definition: JobDefinition,
  client: ServiceClient,
  { token, freshToken }: Pick<ServiceEdge, 'token' | 'freshToken'>,
): ServiceEdge {
  const { query, send, request: own } = definition;
  return {
    build: (call, { pathId, body }) => buildRequest(call, { pathId, body, query, own }),
    attempt: client.attempt,
    judge: createJudge({ notExecuted: send.notExecuted, own }),
    token,
    freshToken,
    backoffMs: (attempt) => backoffMs(attempt, Math.random),
  };
}

/** While another token is waited for, nobody's rows of the run go out with the refused one. */
function tokens(
  credentials: Credentials,
  shared: SharedBreaker,
  waiting: Omit<TokenWait, 'begun'>,
): Pick<ServiceEdge, 'token' | 'freshToken'> {
  const unsaid = () => undefined;
  const begun = () => void shared.awaitToken(waiting.forMs).catch(unsaid);
  const end = () => void shared.endTokenWait().catch(unsaid);
  let coming: Promise<string | null> | null = null;
  const freshToken = (stale: string) => {
    coming ??= credentials.another(stale, { ...waiting, begun }).finally(() => {
      coming = null;
      end();
    });
    return coming;
  };
  const token = async () => (await coming) ?? credentials.current();
  return { token, freshToken };
}

function clientFor({ send }: JobDefinition, service: Service): ServiceClient {
  return createClient({
    baseUrl: service.baseUrl,
    route: service.route,
    concurrency: send.concurrency,
    timeoutMs: send.timeoutSeconds * 1000,
    version: programVersion(),
    requestId: send.requestId,
  });
}
