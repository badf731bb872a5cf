/**
 * The epoch of a ledger: one run of the Redis server for which the ledger was verified. Redis may go back in time whenever its server
 * changes (a restart, a failover, a replacement), so every worker, a process that moves rows, then replays its journal and checks in; the
 * last one opens the epoch. Promised: until it is open, and where a worker finds its own recorded batches gone, nothing is claimed,
 * intended or settled by it; what was asked for waits. The registry of the workers and their heartbeats lie in the same hash
 * (lua/epoch.ts): whoever may have done something that Redis forgot is waited for, within limits, and then goes into doubt.
 */

import { z } from 'zod';
import { createRecentMap, type RecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { SHIPPED_TIMES } from '../lib/times.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import {
  CHECK_IN,
  DEREGISTER,
  HEARTBEAT,
  IN_EPOCH,
  LOOK,
  OPEN_WITHOUT,
  REPLAYING,
  UNAWARE,
} from './lua/epoch.ts';
import { type Script, type SentArguments, script } from './script.ts';

/** A worker's way to the ledger of one target. */
export type LedgerEpoch = {
  readonly redis: RedisConnection;
  /** This worker's id. */
  readonly worker: string;
  /** Runs a script of `inEpoch`, again after each verification until the ledger is verified. */
  call<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /** Resolves when the ledger is verified and this process is registered as a worker. */
  verify(): Promise<void>;
  /** Keeps intents out of a replay until they are released, by their marks. */
  hold(marks: readonly string[]): () => void;
  /** Whether what was just recorded may be acted upon: the home is still this machine's. */
  isOurs(): Promise<boolean>;
  /** How often this process has found the ledger unverified and replayed its journal. */
  recoveries(): number;
  /** Takes a worker that is gone and has nothing to put back out of the registry: nobody waits for it any longer. */
  deregister(worker: string): Promise<void>;
  /** Deregisters this worker; what still waits for the epoch fails. */
  close(): Promise<void>;
};

export type EpochEdges = {
  readonly redis: RedisConnection;
  /** The key of the epoch's hash. */
  readonly key: string;
  /** This process' id; never used twice. */
  readonly worker: string;
  /** Puts back what the journals at hand know, and answers the workers that are gone and whose journals those were. */
  replay(what: ReplayScope): Promise<readonly string[]>;
  /** Whether a worker's process is known to have ended; its journal may be at hand. */
  isGone(worker: string): boolean;
  /** Other workers that the server knows to be connected. */
  connected(): Promise<readonly string[]>;
  /** Whether the server is still this machine's to use; always, unless told otherwise. */
  isOurs?(): Promise<boolean>;
  /** How long a worker that doesn't check in is waited for, ms; 15,000 by default. */
  readonly graceMs?: number;
  /** Records of the target's unfinished runs. */
  unfinished(): Promise<readonly string[]>;
  /** Something that the user should know, in a sentence. */
  onNotice(text: string): void;
  onTrouble(what: string, fields: Readonly<Record<string, string | number>>): void;
};

export type ReplayScope = {
  /** This worker's own journal too: Redis has lost something of it. */
  readonly own: boolean;
  /** Open intents too: the ledger is closed, so nobody takes a row meanwhile. */
  readonly intents: boolean;
  /** Redis may have lost something of workers that are gone; false: only, if at all, of this one. */
  readonly closed: boolean;
  /** Marks of this worker's intents of which it is not known yet whether they were granted: left out. */
  readonly isHeld: (mark: string) => boolean;
};

const CLOSE_WAIT_MS = 200;
/** Fewer than a script can answer in one list; a process is told of whoever is at work each second. */
const WORKERS_KEPT = 4_000;
/** A worker that registers waits for the next heartbeat of each other one (`registerWorker`). */
const HEARTBEAT_MS = 1_000;

/** How often some worker looks through the registry for workers without a heartbeat. */
export const SWEEP_MS = 5_000;
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
      onTrouble('a heartbeat could not be given', {
        problem: error instanceof Error ? error.message : String(error),
      });
    }
    await sleep(HEARTBEAT_MS, stop);
  }
}

type OwnEpoch = LedgerEpoch & {
  /** The workers that are registered now. */
  see(workers: readonly string[]): void;
  /** The highest batch that is known to be recorded. */
  recorded(): number;
};

function createEpoch(edges: EpochEdges, stop: AbortSignal): OwnEpoch {
  const { redis, key, worker } = edges;
  const seen = createRecentMap<string, number>(WORKERS_KEPT);
  const memory: Memory = { sent: 0, recorded: 0, recoveries: 0, seen, held: new Set() };
  let verifying: Promise<void> | null = null;
  const verify = () => {
    verifying ??= verifyLedger(edges, memory, stop).finally(() => {
      verifying = null;
    });
    return verifying;
  };
  const attempt = async <Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments) => {
    let batch = 0;
    // Numbered anew where the script has to be sent again: what was carried out last has the highest number.
    const sent = () => {
      memory.sent += 1;
      batch = memory.sent;
      return [...(typeof args === 'function' ? args() : args), worker, memory.recorded, batch];
    };
    const answer = await run(redis, [...keys, key], sent);
    memory.recorded = Math.max(memory.recorded, batch);
    return answer;
  };

  return {
    redis,
    worker,
    verify,
    isOurs: async () => edges.isOurs === undefined || edges.isOurs(),
    recoveries: () => memory.recoveries,
    deregister: async (other) => void (await deregister(redis, [key], [other, 0])),
    hold(marks) {
      for (const mark of marks) memory.held.add(mark);
      return () => {
        for (const mark of marks) memory.held.delete(mark);
      };
    },
    see(workers) {
      for (const other of workers) seen.set(other, performance.now());
    },
    recorded: () => memory.recorded,
    async call(run, keys, args) {
      for (;;) {
        if (verifying !== null) await verifying;
        try {
          return await attempt(run, keys, args);
        } catch (error) {
          if (!isUnverified(error)) throw error;
          await verify();
        }
      }
    },
    close: async () => undefined,
  };
}

function isUnverified(error: unknown): boolean {
  return error instanceof Error && error.message.includes('UNVERIFIED');
}

const POLL_MS = 200;
const TELL_AFTER_MS = 1_000;
/** How often a worker that replays a long journal says so. */
const REPLAYING_MS = 1_000;

const look = script(
  LOOK,
  z.tuple([z.string(), z.number(), z.coerce.number(), z.number(), z.coerce.number()]),
);
const replaying = script(REPLAYING, z.number());
const checkIn = script(CHECK_IN, z.tuple([z.enum(['open', 'moved', 'closed'])]).rest(z.string()));
const openWithout = script(OPEN_WITHOUT, z.number());

/** Within one run of the server nothing is lost: a worker without a heartbeat for this long is taken out of the registry. */
export const SILENT_MS = 60_000;

/** What a worker knows of its own batches, and of the others. */
type Memory = {
  sent: number;
  /** The highest batch that is known to be recorded. */
  recorded: number;
  recoveries: number;
  /** The workers of late, and when each was last seen registered (ms). */
  readonly seen: RecentMap<string, number>;
  /** Marks of intents that have been asked for and not been granted yet. */
  readonly held: Set<string>;
};

/** Replays the journals and checks in, where the ledger is not verified or has forgotten what this worker did. */
export async function verifyLedger(edges: EpochEdges, memory: Memory, stop: AbortSignal): Promise<void> {
  const { redis, key, worker } = edges;
  for (;;) {
    const [server, open, last, known, silence] = await look(redis, [key], [worker]);
    if (open === 1 && last >= memory.recorded) return;
    // An epoch in which nobody has checked in: a new ledger, or one that was emptied while others were at work.
    const connected = known === 0 ? await edges.connected() : [];
    const others = new Set([...connected, ...forgotten(memory, last, silence)]);
    others.delete(worker);
    const isNew = memory.sent === 0;
    if (!isNew) {
      edges.onNotice('Redis was restarted, replaced or emptied: the ledger is checked against the journals.');
    }
    const scope = {
      // What is recorded of this worker's batches is all there up to the last: Redis loses only its latest writes.
      own: !isNew && last < memory.recorded,
      intents: open === 0 || !isNew,
      closed: open === 0,
      isHeld: (mark: string) => memory.held.has(mark),
    };
    const gone = await whileReplaying(() => edges.replay(scope), { ...edges, server });
    const arrival = { server, gone, others, batch: memory.sent, stop };
    if ((await untilOpen(edges, arrival)) === 'moved') continue;
    if (!isNew) memory.recoveries += 1;
    return;
  }
}

async function whileReplaying<T>(
  work: () => Promise<T>,
  { redis, key, worker, server }: EpochEdges & { readonly server: string },
): Promise<T> {
  const tell = () => void replaying(redis, [key], [worker, server]).catch(() => undefined);
  const telling = setInterval(tell, REPLAYING_MS);
  tell();
  try {
    return await work();
  } finally {
    clearInterval(telling);
  }
}

/**
 * Workers that Redis may have forgotten: where it has not lost what this worker had recorded, it has the others' too.
 * A worker that had deregistered long before is only forgotten, with all it did, by a Redis that was emptied.
 */
function forgotten({ seen, recorded }: Memory, last: number, silence: number): string[] {
  if (last >= recorded) return [];
  // A copy of long ago knows nothing of those who came since: reckoned from its own time.
  const since = last < 0 ? Number.NEGATIVE_INFINITY : performance.now() - Math.max(silence, 0) - SILENT_MS;
  return [...seen].flatMap(([worker, at]) => (at >= since ? [worker] : []));
}

type Arrival = {
  readonly server: string;
  readonly gone: readonly string[];
  /** Workers that Redis may have forgotten. */
  readonly others: ReadonlySet<string>;
  readonly batch: number;
  /** Fires when this process leaves. */
  readonly stop: AbortSignal;
};

const OF_OTHERS: ReplayScope = { own: false, intents: true, closed: true, isHeld: () => false };

/** Checks in and waits for the others, within limits. */
async function untilOpen(
  edges: EpochEdges,
  { server, gone: atFirst, others, batch, stop }: Arrival,
): Promise<'open' | 'moved'> {
  const { redis, key, worker } = edges;
  let gone = atFirst;
  const asked = new Set<string>();
  let told = false;
  for (;;) {
    if (stop.aborted) throw new Error('this process is leaving the ledger');
    const args = [worker, batch, server, gone.length, ...gone, ...others];
    const [state, age = '0', ...missing] = await checkIn(redis, [key], args);
    if (state !== 'closed') return state;
    if (!told) told = tellWaiting(missing, Number(age), edges);
    // A worker that was killed while it was waited for has its journal here all the same.
    const killed = missing.filter((other) => edges.isGone(other) && !asked.has(other));
    for (const other of killed) asked.add(other);
    if (killed.length > 0) gone = await edges.replay(OF_OTHERS);
    else if (Number(age) >= (edges.graceMs ?? SHIPPED_TIMES.graceMs))
      await goOnWithout(missing, server, edges);
    await sleep(POLL_MS, stop);
  }
}

/** Whether the user was told. */
function tellWaiting(missing: readonly string[], age: number, edges: EpochEdges): boolean {
  if (age <= TELL_AFTER_MS) return false;
  const seconds = Math.ceil((edges.graceMs ?? SHIPPED_TIMES.graceMs) / 1000);
  edges.onNotice(`Waiting up to ${seconds} s for other workers to replay theirs: ${missing.join(', ')}.`);
  return true;
}

async function goOnWithout(missing: readonly string[], server: string, edges: EpochEdges): Promise<void> {
  edges.onNotice(
    `Workers that are gone did not check in: rows that may be theirs are in doubt (${missing.join(', ')}).`,
  );
  await openWithout(edges.redis, [edges.key, ...(await edges.unfinished())], [server, ...missing]);
}

const unaware = script(UNAWARE, z.tuple([z.string()]).rest(z.string()));

const REGISTER_POLL_MS = 50;
/** Some heartbeats: a worker that gives none for so long is not asked for. */
const ALIVE_MS = 5_000;

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
    const deadline = performance.now() + ALIVE_MS;
    performance.now() < deadline;
    await sleep(REGISTER_POLL_MS)
  ) {
    const [asked, ...others] = await unaware(redis, [epoch], [worker, ALIVE_MS, since]);
    if (others.every(isGone)) return;
    since = asked;
  }
}
