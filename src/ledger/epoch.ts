/**
 * The epoch of a ledger: one run of the Redis server for which it was verified. When the server
 * changes Redis may have gone back in time, so every worker replays its journal and checks in; the
 * last one opens the epoch. Promised: until then, and where a worker finds its own recorded batches
 * gone, it claims, intends and settles nothing. What a missing worker may have done goes into
 * doubt.
 */

import { z } from 'zod';
import { messageOf } from '../lib/errors.ts';
import { createRecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import { DEREGISTER, HEARTBEAT, IN_EPOCH, UNAWARE } from './lua/epoch.ts';
import { type Script, type SentArguments, script } from './script.ts';
import { type EpochEdges, type Memory, verifyLedger } from './verification.ts';

export type LedgerEpoch = {
  readonly redis: RedisConnection;
  readonly worker: string;
  /** Runs a script of `inEpoch`, and repeats it until the ledger is verified. */
  call<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /** For a script that changes nothing: without a batch number Redis writes nothing. */
  read<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  verify(): Promise<void>;
  /** Keeps intents out of a replay until they are released. */
  hold(asked: () => ReadonlyArray<{ readonly mark: string }>): () => void;
  /** Whether the home is still this machine's; asked before what was recorded is acted upon. */
  isOurs(): Promise<boolean>;
  /** How often this process found the ledger unverified and replayed its journal. */
  recoveries(): number;
  /** Takes a worker that is gone, with nothing left to put back, out of the registry. */
  deregister(worker: string): Promise<void>;
  /** Deregisters this worker; calls that still wait for the epoch fail. */
  close(): Promise<void>;
};

const CLOSE_WAIT_MS = 200;
/** Fewer than a script can return in one list. */
const WORKERS_KEPT = 4_000;
/** A worker that registers waits for the next heartbeat of every other one (`registerWorker`). */
const HEARTBEAT_MS = 1_000;

/** How often some worker looks for workers without a heartbeat. */
export const SWEEP_MS = 5_000;
/**
 * Several heartbeats. Within one server run nothing is lost, so a worker that is silent for this
 * long leaves the registry. A batch of a living worker, later than all of its own, takes it out: a
 * Redis that still has that batch has lost nothing of the silent worker.
 */
export const SILENT_MS = 5_000;
/** How long a deregistration is remembered: longer than the worker's journal is kept. */
const LEFT_MS = 7 * 86_400_000;

const deregister = script(DEREGISTER, z.number());
const heartbeat = inEpoch(HEARTBEAT, z.tuple([z.string()]).rest(z.string()));

/** A script that runs only in an open epoch; lua/epoch.ts says what is added to KEYS and ARGV. */
export function inEpoch<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  return script(IN_EPOCH + lua, answer);
}

/** Checks in, and gives heartbeats until it is closed. */
export async function openEpoch(edges: EpochEdges): Promise<LedgerEpoch> {
  const stop = new AbortController();
  const epoch = createEpoch(edges, stop.signal);
  await epoch.verify();
  const beating = keepHeartbeat(epoch, edges, stop.signal);
  return {
    ...epoch,
    async close() {
      stop.abort();
      await withDeadline(beating, CLOSE_WAIT_MS);
      await deregister(edges.redis, [edges.key], [edges.worker, epoch.recorded()]);
    },
  };
}

async function keepHeartbeat(epoch: OwnEpoch, { onTrouble }: EpochEdges, stop: AbortSignal): Promise<void> {
  let roster = '';
  let workers: readonly string[] = [];
  while (!stop.aborted) {
    try {
      const [name, ...all] = await epoch.call(heartbeat, [], [SILENT_MS, LEFT_MS, SWEEP_MS, roster]);
      roster = name;
      if (all.length > 0) workers = all;
      epoch.see(workers);
    } catch (error) {
      if (stop.aborted) return;
      onTrouble('a heartbeat could not be given', { problem: messageOf(error) });
    }
    await sleep(HEARTBEAT_MS, stop);
  }
}

type Call<Answer> = {
  readonly run: Script<Answer>;
  readonly keys: readonly string[];
  readonly args: SentArguments;
  readonly isBatch: boolean;
  readonly isHeartbeat: boolean;
};

type OwnEpoch = LedgerEpoch & {
  see(workers: readonly string[]): void;
  /** The highest batch known to be recorded. */
  recorded(): number;
};

function createEpoch(edges: EpochEdges, stop: AbortSignal): OwnEpoch {
  const { redis, key, worker } = edges;
  const seen = createRecentMap<string, number>(WORKERS_KEPT);
  const memory: Memory = {
    sent: 0,
    number: 0,
    recorded: 0,
    recoveries: 0,
    isKnown: true,
    seen,
    held: new Set(),
  };
  let verifying: Promise<void> | null = null;
  const verify = () => {
    verifying ??= verifyLedger(edges, memory, stop).finally(() => {
      verifying = null;
    });
    return verifying;
  };
  let registering: Promise<void> | null = null;
  const register = () => {
    registering ??= registerWorker(redis, key, edges)
      .then(() => {
        memory.isKnown = true;
      })
      .finally(() => {
        registering = null;
      });
    return registering;
  };
  const untilReady = async (isHeartbeat: boolean) => {
    if (verifying !== null) await verifying;
    // A heartbeat need not wait: two workers that come back at once learn of each other by theirs.
    if (!memory.isKnown && !isHeartbeat) await register();
  };
  const attempt = async <Answer>({ run, keys, args, isBatch }: Call<Answer>) => {
    let batch = 0;
    // A new number each time the script is sent: the last one carried out must have the highest.
    const sent = () => {
      if (isBatch) memory.sent += 1;
      batch = memory.sent;
      return [...(typeof args === 'function' ? args() : args), worker, memory.number, memory.recorded, batch];
    };
    const answer = await run(redis, [...keys, key], sent);
    memory.recorded = Math.max(memory.recorded, batch);
    return answer;
  };

  const untilDone = async <Answer>(call: Call<Answer>) => {
    for (;;) {
      await untilReady(call.isHeartbeat);
      try {
        return await attempt(call);
      } catch (error) {
        if (!isUnverified(error)) throw error;
        await verify();
      }
    }
  };

  return {
    redis,
    worker,
    verify,
    isOurs: async () => edges.isOurs === undefined || edges.isOurs(),
    recoveries: () => memory.recoveries,
    deregister: async (other) => void (await deregister(redis, [key], [other, 0])),
    hold(asked) {
      memory.held.add(asked);
      return () => void memory.held.delete(asked);
    },
    see(workers) {
      for (const other of workers) seen.set(other, performance.now());
    },
    recorded: () => memory.recorded,
    call: (run, keys, args) => untilDone({ run, keys, args, isBatch: true, isHeartbeat: run === heartbeat }),
    read: (run, keys, args) => untilDone({ run, keys, args, isBatch: false, isHeartbeat: false }),
    close: async () => undefined,
  };
}

function isUnverified(error: unknown): boolean {
  return messageOf(error).includes('UNVERIFIED');
}

const unaware = script(UNAWARE, z.tuple([z.string()]).rest(z.string()));

const REGISTER_POLL_MS = 50;

/**
 * Resolves when every living worker knows of this one, after SILENT_MS at most. A Redis that goes
 * back in time forgets its latest worker with all it sent; if that worker were gone too, nobody
 * else would know that there is something to wait for.
 */
export async function registerWorker(
  redis: RedisConnection,
  epoch: string,
  { worker, isGone }: { readonly worker: string; readonly isGone: (worker: string) => boolean },
): Promise<void> {
  let since = '0';
  for (
    const deadline = performance.now() + SILENT_MS;
    performance.now() < deadline;
    await sleep(REGISTER_POLL_MS)
  ) {
    const [asked, ...others] = await unaware(redis, [epoch], [worker, SILENT_MS, since]);
    if (others.every(isGone)) return;
    since = asked;
  }
}
