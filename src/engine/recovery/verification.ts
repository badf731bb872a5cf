/**
 * Verifies a ledger after Redis may have gone back in time: this worker puts its journal back,
 * checks in, and waits for the others, within limits. Promised: the ledger opens only once
 * everything that any worker sent is known again (by the worker itself, by its journal, or by a
 * living worker's command that is later than all of its own), or what it may have sent is in doubt.
 */

import { z } from 'zod';
import type { RecentMap } from '../../lib/recent.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { SHIPPED_TIMES } from '../../lib/times.ts';
import { sleep } from '../../lib/waiting.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import CHECK_IN from '../ledger/lua/check-in.lua';
import LOOK from '../ledger/lua/look.lua';
import { script } from '../ledger/script.ts';

export type EpochEdges = {
  readonly redis: RedisConnection;
  readonly keys: Pick<LedgerKeys, 'epoch' | 'left'>;
  /** Never used twice. */
  readonly worker: string;
  /** Makes Redis drop what a torn append-only file holds; before anything is put back. */
  dropTornEnds(): Promise<void>;
  /** False: something was recorded meanwhile, and the runs have to be counted again. */
  recount(): Promise<boolean>;
  /**
   * Whether a journal at hand is of a process that is dead and was not in the epoch of that name,
   * or knew of a later command of its own than Redis: Redis may have lost some of what that one
   * did.
   */
  hasOlderJournal(epoch: string): Promise<boolean>;
  /** Redis has answered this worker's command: kept for whoever looks for older journals. */
  knows(known: { readonly epoch: string; readonly sequence: number }): void;
  /** Puts journals at hand back; answers their workers, which are dead or suspect. */
  replay(what: ReplayScope): Promise<readonly string[]>;
  /** What some workers sent can't be known: rows that may be theirs are in doubt. */
  doubt(): Promise<void>;
  /** Whether a worker's process is known to have ended; its journal may be at hand. */
  isDead(worker: string): boolean;
  connected(): Promise<readonly string[]>;
  /** Whether the server is still this machine's to use; by default it is. */
  isOurs?(): Promise<boolean>;
  /** How long a worker that doesn't check in is waited for, ms; 15,000 by default. */
  readonly graceMs?: number;
  /** A worker left that had not said so: when it was last heard of, ms. */
  onLost(worker: string, heardAt: number): void;
  /** A sentence for the user. */
  onNotice(text: string): void;
  onTrouble(what: string, fields: Readonly<Record<string, string | number>>): void;
};

export type ReplayScope = {
  /** Also this worker's own journal: Redis lost something of it. */
  readonly own: boolean;
  /**
   * Redis lacks no more than what was never answered. Torn or damaged lines hide nothing then: who
   * died before an answer has sent nothing by it.
   */
  readonly isWhole: boolean;
  /** Workers that may live, not heard of for so long that their grants have lapsed. */
  readonly suspects: readonly string[];
  /** Marks of this worker that may not be granted yet: left out. */
  readonly isKeptOut: (mark: string) => boolean;
};

const POLL_MS = 200;
const TELL_AFTER_MS = 1_000;
const REPLAYING_MS = 1_000;

const look = script(LOOK, z.tuple([z.string(), z.number(), z.number(), z.number(), z.string()]));
const checkIn = script(CHECK_IN, z.tuple([z.enum(['open', 'moved', 'count', 'closed'])]).rest(z.string()));

/** Seen among the workers at the last look: later than any command. */
export const STILL = Number.POSITIVE_INFINITY;
export const LEAVING = 'this process is leaving the ledger';

/** What a worker knows of its own commands and of the other workers. */
export type Memory = {
  /** Sequence number of its latest command, and of the latest that Redis answered (`recorded`). */
  sent: number;
  /** Of the latest epoch that this worker was in. */
  number: number;
  name: string;
  recorded: number;
  recoveries: number;
  /** Workers, and this one's last command when they were found to be none any more, or STILL. */
  readonly seen: RecentMap<string, number>;
  /** Intents without a grant yet. */
  readonly keptOut: Set<() => ReadonlyArray<{ readonly mark: string }>>;
};

/** The epoch as a look found it. */
type Found = {
  readonly server: string;
  readonly isOpen: boolean;
  /** This worker's last sequence number there; -1: no worker. */
  readonly last: number;
  /** Of the epoch. */
  readonly number: number;
  readonly name: string;
};

/**
 * Replays and checks in where the ledger is unverified or forgot what this worker did; false: there
 * was no need.
 */
export async function verifyLedger(edges: EpochEdges, memory: Memory, stop: AbortSignal): Promise<boolean> {
  for (;;) {
    const found = await lookUntorn(edges, memory);
    memory.number = found.number;
    if (found.isOpen && found.last >= memory.recorded) return false;
    const isNew = memory.sent === 0;
    if (found.isOpen && (await hasGoneBack(found, edges, memory))) {
      await closeForAll(found, edges);
      continue;
    }
    if (!isNew) edges.onNotice(noticeOf(found));
    const asked = found.isOpen ? [] : [...(await edges.connected()), ...forgotten(memory, found)];
    const dead = await putBack(found, edges, memory);
    const opened = await untilOpen({ found, dead, asked, sequence: memory.sent, stop }, edges);
    if (opened === 'moved') continue;
    memory.number = opened.number;
    memory.name = opened.name;
    if (!isNew) memory.recoveries += 1;
    return true;
  }
}

/** An epoch without what was lost is none: a look that knows of a later one closes it. */
async function closeForAll({ number }: Found, edges: EpochEdges): Promise<void> {
  await lookAt(edges, { number: number + 1 }, 'looks');
}

/**
 * An older copy was put into this very server, or the epoch was opened without what a journal says.
 * A worker that was only let go has lost nothing, nor has one in an epoch that it wasn't in.
 */
async function hasGoneBack({ name }: Found, edges: EpochEdges, memory: Memory): Promise<boolean> {
  const hasMemory = memory.sent > 0;
  if (!hasMemory) return edges.hasOlderJournal(name);
  const isSameEpoch = name === memory.name;
  const [last = -1] = await lastSequences(edges, [edges.worker]);
  return isSameEpoch && last < memory.recorded;
}

/**
 * The last sequence number of each of these workers that Redis has: -1: it doesn't know the worker;
 * Infinity: the worker left, or its journal is put back.
 */
export async function lastSequences(
  { redis, keys }: Pick<EpochEdges, 'keys'> & { readonly redis: Pick<RedisConnection, 'hget' | 'zrange'> },
  workers: readonly string[],
): Promise<number[]> {
  const present = await Promise.all(workers.map((worker) => redis.hget(keys.epoch, `m:${worker}`)));
  // Asked afterwards: who leaves meanwhile is found in one of the two.
  const ends = (await redis.zrange(keys.left, '0', '-1')).map((text) => text.split(' '));
  const ended = new Map(ends.map(([worker = '', last = 'Infinity']) => [worker, last]));
  return workers.map((worker, i) => Number(present[i] ?? ended.get(worker) ?? -1));
}

/** Reads the epoch once no torn end is left and the others know that this worker replays. */
async function lookUntorn(edges: EpochEdges, memory: Memory): Promise<Found> {
  for (;;) {
    const before = await lookAt(edges, memory, 'looks');
    if (before.isOpen) return before;
    await edges.dropTornEnds();
    const after = await lookAt(edges, memory, 'begins');
    if (after.server === before.server) return after;
  }
}

async function lookAt(
  { redis, keys, worker }: EpochEdges,
  { number: known }: Pick<Memory, 'number'>,
  does: 'looks' | 'begins' | 'goes on',
): Promise<Found> {
  const [server, open, last, number, name] = await look(redis, [keys.epoch], [worker, does, known]);
  return { server, isOpen: open === 1, last, number, name };
}

/** Answers the workers whose journals were put back. */
async function putBack(
  { isOpen, last }: Found,
  edges: EpochEdges,
  memory: Memory,
): Promise<readonly string[]> {
  const tell = () => void lookAt(edges, memory, 'goes on').catch(() => undefined);
  const telling = setInterval(tell, REPLAYING_MS);
  // Redis loses only its latest writes: of this worker's commands, all up to `last` are there.
  const own = memory.sent > 0 && last < memory.recorded;
  const isWhole = isOpen && memory.sent === 0;
  try {
    return await edges.replay({ own, isWhole, suspects: [], isKeptOut: (mark) => isKeptOut(memory, mark) });
  } finally {
    clearInterval(telling);
  }
}

function isKeptOut({ keptOut }: Memory, mark: string): boolean {
  for (const asked of keptOut) if (asked().some((row) => row.mark === mark)) return true;
  return false;
}

function noticeOf({ isOpen, last }: Found): string {
  return isOpen && last < 0
    ? 'This process had not been heard of for a while: the ledger is checked against its journal.'
    : 'Redis was restarted, replaced or emptied: the ledger is checked against the journals.';
}

/**
 * Workers that Redis may have forgotten. Where it still has this worker's commands it has the
 * others' too, and where it has one from after another's end it has all that that one did.
 */
function forgotten({ seen, recorded }: Memory, { last }: Found): string[] {
  if (last >= recorded) return [];
  return [...seen].flatMap(([worker, endedAt]) => (endedAt >= last ? [worker] : []));
}

type Arrival = {
  readonly found: Found;
  readonly dead: readonly string[];
  /** Workers to be waited for, though this Redis need not know them. */
  readonly asked: readonly string[];
  readonly sequence: number;
  /** Fires when this process leaves. */
  readonly stop: AbortSignal;
};

/** Who is not waited for any longer. */
type Absent = {
  /** Ended, and put back. */
  readonly dead: readonly string[];
  /** Perhaps alive; put back or in doubt. */
  readonly evicted: readonly string[];
};

async function untilOpen(
  { found: { server, isOpen }, dead, asked, sequence, stop }: Arrival,
  edges: EpochEdges,
): Promise<Pick<Found, 'number' | 'name'> | 'moved'> {
  const { redis, keys, worker } = edges;
  const absentOf = waitForAbsent(edges);
  let absent: Absent = { dead, evicted: [] };
  let knows = isOpen ? 'open' : 'closed';
  for (let others = asked.filter((other) => other !== worker); ; others = []) {
    if (stop.aborted) throw new Error(LEAVING);
    const workers = JSON.stringify({ ...absent, asked: others });
    const args = [worker, sequence, server, knows, workers];
    const [state, ...missing] = await checkIn(redis, [keys.epoch, keys.left], args);
    if (state === 'open') return { number: Number(missing[0]), name: missing[1] ?? '' };
    if (state === 'moved') return state;
    // Another worker that counts may have opened the epoch: nobody counts while rows are recorded.
    knows = state === 'count' && (await edges.recount()) ? 'counted' : 'closed';
    absent = await absentOf(missing);
    if (knows === 'closed') await sleep(POLL_MS, stop);
  }
}

/** In graces: how long those who are heard of again and again are waited for. */
const HEARD_GRACES = 20;

const NOBODY: Absent = { dead: [], evicted: [] };

/**
 * Who of the missing is not waited for any longer. The wait begins anew whenever one of them was
 * heard of, but not for ever: a worker whose replay fails says each second that it begins again. No
 * clock but this process' own tells how long it has lasted.
 */
function waitForAbsent(edges: EpochEdges): (missing: readonly string[]) => Promise<Absent> {
  const graceMs = edges.graceMs ?? SHIPPED_TIMES.graceMs;
  const wait = createWait();
  const putBack = new Set<string>();
  let heard = new Set<string>();
  let told = false;
  return async (missing) => {
    const isHeard = missing.some((shown) => !heard.has(shown));
    if (isHeard && wait.inAllMs() < HEARD_GRACES * graceMs) wait.beginAnew();
    heard = new Set(missing);
    const names = missing.map((shown) => shown.slice(0, shown.lastIndexOf(' ')));
    const waitedMs = wait.waitedMs();
    if (!told && waitedMs > TELL_AFTER_MS) {
      told = true;
      const seconds = Math.ceil(graceMs / 1000);
      edges.onNotice(`Waiting up to ${seconds} s for other workers to replay theirs: ${names.join(', ')}.`);
    }
    // A worker that was killed while it was waited for may have its journal here.
    const dead = names.filter((name) => edges.isDead(name) && !putBack.has(name));
    for (const name of dead) putBack.add(name);
    if (dead.length > 0) return { ...NOBODY, dead: await edges.replay({ ...OF_OTHERS, suspects: [] }) };
    if (names.length === 0 || waitedMs < graceMs) return NOBODY;
    await evict(names, edges);
    return { ...NOBODY, evicted: names };
  };
}

/** Ms waited; not while Redis answers nobody, since the missing can't check in then either. */
function createWait() {
  const began = performance.now();
  let waited = 0;
  let lookedAt = performance.now();
  return {
    beginAnew() {
      waited = 0;
      lookedAt = performance.now();
    },
    inAllMs: () => performance.now() - began,
    waitedMs() {
      const now = performance.now();
      waited += Math.min(now - lookedAt, 2 * POLL_MS);
      lookedAt = now;
      return waited;
    },
  };
}

const OF_OTHERS = { own: false, isWhole: false, isKeptOut: () => false };

/**
 * The grace is longer than a lock lives: every grant of the suspects is in their journals by now,
 * or lapsed. Those at hand are put back; what the others sent is in doubt.
 */
async function evict(suspects: readonly string[], edges: EpochEdges): Promise<void> {
  const atHand = await edges.replay({ ...OF_OTHERS, suspects });
  const heard = suspects.filter((worker) => atHand.includes(worker));
  const lost = suspects.filter((worker) => !atHand.includes(worker));
  if (heard.length > 0)
    edges.onNotice(
      `Workers did not check in, but their journals are here: put back for them (${heard.join(', ')}).`,
    );
  if (lost.length === 0) return;
  edges.onNotice(
    `Workers that are gone did not check in: rows that may be theirs are in doubt (${lost.join(', ')}).`,
  );
  await edges.doubt();
}
