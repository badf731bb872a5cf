/**
 * What a process does with the chunks it is handed, from the queue or by who winds a run up. It keeps a context for each run it has lately
 * worked for (its mapping, its connections, what was seen of the service), so that a run's chunks share one; and it promises that whoever
 * halts a run or closes it has all rows in flight settled.
 */

import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { JobDefinition } from '../config/job-definition.ts';
import { awayMsOf, ratePerSecond } from '../config/send-settings.ts';
import { createSharedBreaker } from '../ledger/breaker.ts';
import { type ChunkLedger, createChunkLedger } from '../ledger/chunk-ledger.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import { hasEverAccepted, type RunStore } from '../ledger/run-store.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { programVersion } from '../lib/version.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Run } from '../model/run.ts';
import type { ChunkJob } from '../queue/chunk-job.ts';
import type { ChunkEnd, ChunkLease } from '../queue/chunk-worker.ts';
import { createClient, type ServiceClient } from '../service/attempt.ts';
import type { Credentials } from '../service/credentials.ts';
import { createJudge } from '../service/judge.ts';
import { buildRequest } from '../service/operations.ts';
import { backoffMs } from '../service/retry-wait.ts';
import { deliverChunk } from './deliver-chunk.ts';
import { createJobWindow } from './job-window.ts';
import type { Registration } from './registration.ts';
import type { RunContext, ServiceEdge } from './run-context.ts';
import { mappingFor } from './run-mapping.ts';
import { createServicePermits, type RunRate, type ServicePermits } from './run-permits.ts';
import { createServiceBreaker, type Reach } from './service-breaker.ts';
import { createStillRuns, waitWhileRunning } from './still-runs.ts';
import type { Service } from './target.ts';

export type Delivery = {
  deliver(job: ChunkJob, lease: ChunkLease): Promise<ChunkEnd>;
  /** In how many ms the run pauses unless the service answers; `null`: this process knows of no outage that the run goes through. */
  pausesIn(run: string): Promise<number | null>;
  /** Sends nothing more of the run in this process, and resolves when its rows in flight are settled. */
  halt(run: string): Promise<void>;
  /** Requests that this process has a permit for, and how many it may have: what the service bears, as far as was found out. */
  load(): { readonly inFlight: number; readonly limit: number };
  /** The runs of which this process has chunks in hand. */
  runsInHand(): readonly string[];
  /** The same for every run; chunks that come later are put back. */
  close(): Promise<void>;
};

/** What it takes to send a target's rows. */
type DeliveryParts = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly registration: Registration;
  readonly service: Service;
  readonly log: Log;
  readonly meter: Meter;
  /** A person follows the runs at a terminal. */
  readonly isAttended: boolean;
  /** Fires when the process is to end: nothing new is sent. */
  readonly interrupted: AbortSignal;
};

/** What this process delivers with, for the runs of one service. */
export function openDelivery(parts: DeliveryParts): Delivery {
  const { store, log } = parts;
  // Told once per run: its chunks are looked at again and again.
  const missing = new Set<string>();
  // A run that goes on, or a second one, does not forget that something was there; the ledger knows of earlier processes.
  let reach: Promise<Reach> | null = null;
  const permits = createServicePermits({ now: () => performance.now() });
  const makeContext: MakeContext = async (id, stopping) => {
    const [run, definition] = await Promise.all([store.get(id), store.definition(id)]);
    if (run === null || definition === null) {
      if (!missing.has(id)) log.warn('chunks of a run that the ledger does not know wait', { run: id });
      missing.add(id);
      return null;
    }
    missing.delete(id);
    await parts.registration.remember(id);
    reach ??= reachOf(parts);
    return createContext({ ...parts, run, definition, stopping, permits, reach: await reach });
  };
  const load = () => ({ inFlight: permits.taken(), limit: permits.limit() });
  return { ...createDelivery(makeContext, parts.interrupted), load };
}

/** The ledger is asked only where somebody waits for the answer. */
async function reachOf({ redis, keys, isAttended }: DeliveryParts): Promise<Reach> {
  const wasReached = isAttended && hasEverAccepted(redis, keys).catch(() => false);
  return { isReached: await wasReached };
}

/** `null` for a run that the ledger doesn't know, or not now: its Redis may have been emptied and is being put back. */
type MakeContext = (run: string, stopping: AbortSignal) => Promise<RunContext | null>;

type KeptRun = {
  readonly context: Promise<RunContext | null>;
  readonly halt: AbortController;
  readonly active: Set<Promise<ChunkEnd>>;
};

/** Runs that a process has lately worked for: as many as can have chunks in hand at once. */
const RUNS_KEPT = 64;

/** `interrupted`: the process is to end; nothing new is sent. */
export function createDelivery(makeContext: MakeContext, interrupted: AbortSignal): Omit<Delivery, 'load'> {
  const taker = createTaker();
  const kept = new Map<string, KeptRun>();
  const afterEarlier = createTakesInTurn();
  let closing = false;
  // One listener for all: AbortSignal.any leaves something behind in a signal that lives on.
  const haltAll = () => {
    for (const { halt } of kept.values()) halt.abort();
  };
  interrupted.addEventListener('abort', haltAll);

  const keptRun = (run: string): KeptRun => {
    const known = kept.get(run);
    if (known !== undefined) return known;
    const halt = new AbortController();
    // Every row that waits listens.
    setMaxListeners(0, halt.signal);
    if (interrupted.aborted) halt.abort();
    const context = makeContext(run, halt.signal);
    const one = { context, halt, active: new Set<Promise<ChunkEnd>>() };
    kept.set(run, one);
    for (const idle of idleBeyond(kept, RUNS_KEPT)) void forget(idle);
    return one;
  };
  const execute = async (job: ChunkJob, lease: ChunkLease, one: KeptRun): Promise<ChunkEnd> => {
    const context = await one.context;
    if (context !== null) return deliverChunk(job, { context, lease, taker: taker() });
    // The next chunk makes a new look. A chunk that is dropped is lost, and putting back a ledger may take any time:
    // a look at each every few seconds is the smaller evil, even where the run never comes back.
    if (kept.get(job.run) === one) void forget(job.run);
    return 'put-aside';
  };
  /** Its connections are closed when its rows have had their answers. */
  const forget = async (run: string): Promise<void> => {
    const one = kept.get(run);
    if (one === undefined) return;
    kept.delete(run);
    one.halt.abort();
    await Promise.allSettled(one.active);
    await one.context.then((context) => context?.close()).catch(() => undefined);
  };

  return {
    async deliver(job, lease) {
      if (closing) return 'put-back';
      const one = keptRun(job.run);
      const work = afterEarlier(job, lease, () => execute(job, lease, one));
      one.active.add(work);
      let end: ChunkEnd | null = null;
      try {
        end = await work;
        return end;
      } finally {
        one.active.delete(work);
        // A run that pauses or fails begins afresh when it goes on: what was seen of the service before is no guide.
        if (end !== 'closed' && one.active.size === 0 && kept.get(job.run) === one) void forget(job.run);
      }
    },
    async pausesIn(run) {
      const breaker = (await kept.get(run)?.context)?.breaker;
      const ms = breaker?.awayFor() ?? 0;
      return breaker === undefined || ms === 0 ? null : Math.max(0, breaker.patienceMs() - ms);
    },
    runsInHand: () => [...kept].filter(([, { active }]) => active.size > 0).map(([run]) => run),
    halt: forget,
    async close() {
      closing = true;
      interrupted.removeEventListener('abort', haltAll);
      await Promise.all([...kept.keys()].map(forget));
    },
  };
}

/**
 * A chunk that Redis forgot comes back while this process still has it. What the earlier take knows of its rows the ledger
 * need not know, and a row that it never sent would be in doubt: the next take begins when it has ended.
 */
function createTakesInTurn() {
  /** By chunk, its latest take. */
  const takes = new Map<string, Promise<unknown>>();
  return async (
    { run, chunk }: ChunkJob,
    lease: ChunkLease,
    take: () => Promise<ChunkEnd>,
  ): Promise<ChunkEnd> => {
    const id = `${run} ${chunk}`;
    const earlier = takes.get(id);
    const own = earlier === undefined ? take() : earlier.then(() => (lease.isHeld() ? take() : 'put-back'));
    const ended = own.catch(() => undefined);
    takes.set(id, ended);
    try {
      return await own;
    } finally {
      if (takes.get(id) === ended) takes.delete(id);
    }
  };
}

/** Names each take of a chunk, over all processes. */
function createTaker(): () => string {
  const process = randomBytes(5).toString('hex');
  let takes = 0;
  return () => {
    takes += 1;
    return `${process}.${takes}`;
  };
}

/** The oldest runs beyond the limit of which nothing is in hand. */
function idleBeyond(kept: ReadonlyMap<string, KeptRun>, limit: number): string[] {
  const idle = [...kept].filter(([, { active }]) => active.size === 0).map(([run]) => run);
  return idle.slice(0, Math.max(0, kept.size - limit));
}

/** Beyond the time-out of the call itself: a probe that is not heard of is given up. */
const PROBE_MARGIN_MS = 5_000;

type ContextParts = DeliveryParts & {
  readonly run: Run;
  readonly definition: JobDefinition;
  readonly stopping: AbortSignal;
  readonly permits: ServicePermits;
  readonly reach: Reach;
};

function createContext(parts: ContextParts): RunContext {
  const { redis, keys, store, registration, run, definition, log, stopping } = parts;
  const { send } = definition;
  // First, since it may throw: nothing has been joined by then.
  const mapping = mappingFor(definition, run.source);
  const client = clientFor(definition, parts.service);
  const window = createJobWindow(definition.window, () => new Date());
  const isOpen = () => window?.isOpen() ?? true;
  const stillRuns = createStillRuns(
    () => redis.hget(keys.run(run.id).record, 'state'),
    () => performance.now(),
  );
  const chunkLedger = createChunkLedger({
    epoch: registration.epoch,
    journal: registration.journal,
    keys,
    run,
    probeMs: send.timeoutSeconds * 1000 + PROBE_MARGIN_MS,
    now: () => new Date(),
  });
  const runs = () => isOpen() && stillRuns();
  const now = () => performance.now();
  const onTrouble = (what: string, error: Error) => log.error(what, { run: run.id, problem: error.message });
  const permits = parts.permits.join({
    ceiling: send.concurrency,
    stopping,
    rate: rateOf(definition, chunkLedger, {
      pause: (ms) => waitWhileRunning(ms, { stillRuns: runs, stopping, now }),
      onTrouble: (error) => onTrouble('no time of the rate could be reserved', new Error(messageOf(error))),
    }),
  });
  return {
    run,
    definition,
    mapping,
    ledger: chunkLedger,
    service: serviceEdge(definition, client, parts.service.credentials),
    permits,
    hasRate: send.rate !== undefined,
    breaker: createServiceBreaker(
      now,
      createSharedBreaker(redis, keys),
      awayMsOf(definition),
      parts.isAttended,
      parts.reach,
    ),
    meter: parts.meter,
    now,
    stopping,
    stillRuns: runs,
    isOpen,
    pause: async (reason) => {
      if (await store.transition(run.id, 'paused', reason)) log.warn('run paused', { run: run.id, reason });
    },
    async close() {
      permits.leave();
      await client.destroy();
    },
    onTrouble,
  };
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
  credentials: Credentials,
): ServiceEdge {
  const { query, send, request: own } = definition;
  return {
    build: (call, { pathId, body }) => buildRequest(call, { pathId, body, query, own }),
    attempt: client.attempt,
    judge: createJudge({ notExecuted: send.notExecuted, own }),
    token: credentials.current,
    freshToken: credentials.refresh,
    backoffMs: (attempt) => backoffMs(attempt, Math.random),
  };
}

function clientFor({ send }: JobDefinition, service: Service): ServiceClient {
  return createClient({
    baseUrl: service.baseUrl,
    concurrency: send.concurrency,
    timeoutMs: send.timeoutSeconds * 1000,
    version: programVersion(),
  });
}
