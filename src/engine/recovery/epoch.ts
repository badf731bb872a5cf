/**
 * The epoch of a ledger: one run of the Redis server for which it was verified. When the server
 * changes Redis may have gone back in time, so every worker replays its journal and checks in; the
 * last one opens the epoch. Promised: until then, and where a worker finds its own recorded
 * commands gone, it claims, intends and settles nothing. What a missing worker may have done goes
 * into doubt. No worker does anything before all others that live know of it.
 */

import { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';
import { createRecentMap } from '../../lib/recent.ts';
import { SHIPPED_TIMES } from '../../lib/times.ts';
import { sleep, withDeadline } from '../../lib/waiting.ts';
import { processOf } from '../../lib/worker-id.ts';
import DEREGISTER from '../ledger/lua/deregister.lua';
import HEARTBEAT from '../ledger/lua/heartbeat.lua';
import { protocol } from '../ledger/protocol.ts';
import { type Script, type SentArguments, script } from '../ledger/script.ts';
import { type VerifiedLedger, whenVerified } from '../ledger/verified.ts';
import { type EpochEdges, LEAVING, type Memory, STILL, verifyLedger } from './verification.ts';

/** As its own worker has it. */
export type LedgerEpoch = VerifiedLedger & {
  /** Resolves at once where the ledger is verified. */
  verify(): Promise<void>;
  /** Deregisters this worker; calls that still wait for the epoch fail. */
  close(): Promise<void>;
};

const CLOSE_WAIT_MS = 200;
const WORKERS_KEPT = 4_000;
const HEARTBEAT_MS = 1_000;
/** A worker that waits until the others know of it gives heartbeats faster than they do. */
const KNOWN_POLL_MS = 50;

/**
 * Several heartbeats. Within one server run nothing is lost, so a worker that is not heard of for
 * this long is suspect, and leaves the registry. A command of a living worker, later than all of
 * its own, takes it out: a Redis that still has that command has lost nothing of the suspect
 * worker.
 */
export const SUSPECT_AFTER_MS = 5_000;
/** How long it is remembered who left: longer than the worker's journal is kept. */
const LEFT_MS = 7 * 86_400_000;

const deregister = script(DEREGISTER, z.number());
const heartbeat = whenVerified(HEARTBEAT, z.tuple([z.coerce.number()]).rest(z.string()));

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
      await epoch.close();
    },
  };
}

async function keepHeartbeat(epoch: OwnEpoch, { onTrouble }: EpochEdges, stop: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(HEARTBEAT_MS, stop);
    if (stop.aborted) return;
    try {
      await epoch.beat();
    } catch (error) {
      if (!stop.aborted) onTrouble('a heartbeat could not be given', { problem: messageOf(error) });
    }
  }
}

type Call<Answer> = {
  readonly run: Script<Answer>;
  readonly keys: readonly string[];
  readonly args: SentArguments;
  /** It changes the ledger. */
  readonly isNumbered: boolean;
};

type OwnEpoch = LedgerEpoch & { beat(): Promise<void> };

/** What this worker knows of the ledger and of the others, and of them of it. */
type Standing = {
  readonly memory: Memory;
  /** When the others were last seen to know of this worker, ms. */
  verifiedAt: number;
  /** All others know of this worker since it last checked in. */
  isKnown: boolean;
  verifying: Promise<void> | null;
};

function newStanding(): Standing {
  const seen = createRecentMap<string, number>(WORKERS_KEPT);
  const count = { sent: 0, number: 0, recorded: 0, recoveries: 0 };
  const memory: Memory = { ...count, name: '', seen, keptOut: new Set() };
  return { memory, verifiedAt: Number.NEGATIVE_INFINITY, isKnown: false, verifying: null };
}

async function attempt<Answer>(
  { run, keys: named, args, isNumbered }: Call<Answer>,
  { redis, keys, worker, knows }: EpochEdges,
  { memory }: Standing,
): Promise<Answer> {
  let sequence = 0;
  // A new number each time the script is sent: the last one carried out must have the highest.
  const sent = () => {
    if (isNumbered) memory.sent += 1;
    sequence = memory.sent;
    const own = typeof args === 'function' ? args() : args;
    return [...own, worker, memory.number, memory.recorded, sequence];
  };
  const answer = await run(redis, [...named, keys.epoch], sent);
  memory.recorded = Math.max(memory.recorded, sequence);
  if (isNumbered) knows({ epoch: memory.name, sequence: memory.recorded });
  return answer;
}

function beatOf({ keys }: EpochEdges) {
  return { run: heartbeat, keys: [keys.left], args: [SUSPECT_AFTER_MS, LEFT_MS], isNumbered: true };
}

/**
 * A Redis that went back in time may forget this worker with all it sent, and it may be dead. Who
 * has given a heartbeat since this one's first has read that it is there.
 */
async function untilKnown(edges: EpochEdges, standing: Standing, stop: AbortSignal): Promise<void> {
  let since = Number.POSITIVE_INFINITY;
  for (;;) {
    const [now, ...shown] = await attempt(beatOf(edges), edges, standing);
    since = Math.min(since, now);
    const workers = see(edges, standing, shown);
    const knows = ({ worker, beat }: Shown) =>
      worker === edges.worker || beat > since || edges.isDead(worker);
    standing.verifiedAt = performance.now();
    if (workers.every(knows)) return;
    if (stop.aborted) throw new Error(LEAVING);
    await sleep(KNOWN_POLL_MS, stop);
  }
}

async function untilVerified(edges: EpochEdges, standing: Standing, stop: AbortSignal): Promise<void> {
  for (;;) {
    const before = standing.isKnown;
    // Also where this worker checks in and fails before the others know of it.
    standing.isKnown = false;
    standing.isKnown = !(await verifyLedger(edges, standing.memory, stop)) && before;
    try {
      if (!standing.isKnown) await untilKnown(edges, standing, stop);
      standing.isKnown = true;
      return;
    } catch (error) {
      if (!isUnverified(error)) throw error;
    }
  }
}

function createEpoch(edges: EpochEdges, stop: AbortSignal): OwnEpoch {
  const { redis, keys, worker } = edges;
  const standing = newStanding();
  const { memory } = standing;
  const verify = () => {
    standing.verifying ??= untilVerified(edges, standing, stop).finally(() => {
      standing.verifying = null;
    });
    return standing.verifying;
  };
  const untilDone = async <Answer>(call: Call<Answer>) => {
    for (;;) {
      if (!standing.isKnown) await verify();
      try {
        return await attempt(call, edges, standing);
      } catch (error) {
        if (!isUnverified(error)) throw error;
        await verify();
      }
    }
  };

  return {
    worker,
    redis,
    verify,
    isElsewhere(process) {
      if (performance.now() - standing.verifiedAt > (edges.graceMs ?? SHIPPED_TIMES.graceMs)) return false;
      for (const [other, endedAt] of memory.seen)
        if (endedAt === STILL && other !== worker && processOf(other) === process)
          return !edges.isDead(other);
      return false;
    },
    isOurs: async () => edges.isOurs === undefined || edges.isOurs(),
    recoveries: () => memory.recoveries,
    keepOutOfReplay(asked) {
      memory.keptOut.add(asked);
      return () => void memory.keptOut.delete(asked);
    },
    async beat() {
      const [, ...shown] = await untilDone(beatOf(edges));
      see(edges, standing, shown);
    },
    call: (run, named, args) => untilDone({ run, keys: named, args, isNumbered: true }),
    read: (run, named, args) => untilDone({ run, keys: named, args, isNumbered: false }),
    async close() {
      await deregister(redis, [keys.epoch, keys.left], [worker, memory.recorded, memory.number]);
    },
  };
}

function isUnverified(error: unknown): boolean {
  return messageOf(error).includes(protocol.unverified);
}

/** A worker, and when it last read who else there is (ms, by Redis' clock). */
type Shown = { readonly worker: string; readonly beat: number };

/** As the scripts show a worker. */
function parseShown(text: string): Shown {
  const [worker = '', beat = ''] = text.split(' ');
  return { worker, beat: Number(beat) };
}

/** Remembers who is a worker, and until which of its own commands this one saw it. */
function see(edges: EpochEdges, { memory }: Standing, shown: readonly string[]): readonly Shown[] {
  const { seen, sent } = memory;
  const all = shown.map(parseShown);
  for (const { worker, beat } of all) if (beat < 0) edges.onLost(worker, -beat);
  const workers = all.filter(({ beat }) => beat >= 0);
  const names = new Set(workers.map(({ worker }) => worker));
  const ended = [...seen].filter(([worker, endedAt]) => endedAt === STILL && !names.has(worker));
  for (const [worker] of ended) seen.set(worker, sent);
  for (const worker of names) seen.set(worker, STILL);
  return workers;
}
