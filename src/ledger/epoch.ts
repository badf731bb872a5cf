/**
 * The epoch of a ledger: one run of the Redis server for which the ledger was verified. Redis may go back in time whenever its server
 * changes (a restart, a failover, a replacement), so every worker, a process that moves rows, then replays its journal and checks in; the
 * last one opens the epoch. Promised: until it is open, and where a worker finds its own recorded batches gone, nothing is claimed,
 * intended or settled by it; what was asked for waits. The registry of the workers and their heartbeats lie in the same hash
 * (lua/epoch.ts): whoever may have done something that Redis forgot is waited for, within limits, and then goes into doubt.
 */

import { z } from 'zod';
import { messageOf } from '../lib/errors.ts';
import { createRecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import { DEREGISTER, HEARTBEAT, IN_EPOCH, UNAWARE } from './lua/epoch.ts';
import { type Script, type SentArguments, script } from './script.ts';
import { type EpochEdges, type Memory, verifyLedger } from './verification.ts';

/** A worker's way to the ledger of one target. */
export type LedgerEpoch = {
  readonly redis: RedisConnection;
  /** This worker's id. */
  readonly worker: string;
  /** Runs a script of `inEpoch`, again after each verification until the ledger is verified. */
  call<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /** `call` for a script that changes nothing: it takes no number of a batch, so that Redis has nothing to write for it. */
  read<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /** Resolves when the ledger is verified and this process is registered as a worker. */
  verify(): Promise<void>;
  /** Keeps intents out of a replay until they are released; they are asked for where there is one. */
  hold(asked: () => ReadonlyArray<{ readonly mark: string }>): () => void;
  /** Whether what was just recorded may be acted upon: the home is still this machine's. */
  isOurs(): Promise<boolean>;
  /** How often this process has found the ledger unverified and replayed its journal. */
  recoveries(): number;
  /** Takes a worker that is gone and has nothing to put back out of the registry: nobody waits for it any longer. */
  deregister(worker: string): Promise<void>;
  /** Deregisters this worker; what still waits for the epoch fails. */
  close(): Promise<void>;
};

const CLOSE_WAIT_MS = 200;
/** Fewer than a script can answer in one list; a process is told of whoever is at work each second. */
const WORKERS_KEPT = 4_000;
/** A worker that registers waits for the next heartbeat of each other one (`registerWorker`). */
const HEARTBEAT_MS = 1_000;

/** How often some worker looks through the registry for workers without a heartbeat. */
export const SWEEP_MS = 5_000;
/**
 * Some heartbeats: within one run of the server nothing is lost, so a worker without one for this long is taken out of the registry.
 * What takes it out is a batch of a living worker, later than all of its own: a Redis that still has that batch has lost nothing of it.
 */
export const SILENT_MS = 5_000;
/** That a worker has deregistered is remembered that long, beyond the time that its journal is kept: nothing of it is replayed. */
const LEFT_MS = 7 * 86_400_000;

const deregister = script(DEREGISTER, z.number());
const heartbeat = inEpoch(HEARTBEAT, z.tuple([z.string()]).rest(z.string()));

/** A script that runs only in an open epoch; see lua/epoch.ts for what is added to its KEYS and ARGV. */
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
  /** The workers that are registered now. */
  see(workers: readonly string[]): void;
  /** The highest batch that is known to be recorded. */
  recorded(): number;
};

function createEpoch(edges: EpochEdges, stop: AbortSignal): OwnEpoch {
  const { redis, key, worker } = edges;
  const seen = createRecentMap<string, number>(WORKERS_KEPT);
  const memory: Memory = { sent: 0, recorded: 0, recoveries: 0, isKnown: true, seen, held: new Set() };
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
    // Two that come back at once hear of each other by their heartbeats.
    if (!memory.isKnown && !isHeartbeat) await register();
  };
  const attempt = async <Answer>({ run, keys, args, isBatch }: Call<Answer>) => {
    let batch = 0;
    // Numbered anew where the script has to be sent again: what was carried out last has the highest number.
    const sent = () => {
      if (isBatch) memory.sent += 1;
      batch = memory.sent;
      return [...(typeof args === 'function' ? args() : args), worker, memory.recorded, batch];
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
 * Resolves when every living worker of the registry has been told of this one, after a few seconds at most. A Redis that goes back in
 * time forgets its latest worker with all it sent; were that worker gone too, nobody would know that there is anything to wait for.
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
