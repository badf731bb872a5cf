/**
 * Verifies a ledger after Redis may have gone back in time: this worker puts its journal back,
 * checks in, and waits for the others, within limits. Promised: the ledger opens only once
 * everything that any worker sent is known again (by the worker itself, by its journal, or by a
 * living worker's batch that is later than all of its own), or what it may have sent is in doubt.
 */

import { z } from 'zod';
import type { RecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { SHIPPED_TIMES } from '../lib/times.ts';
import { sleep } from '../lib/waiting.ts';
import { CHECK_IN, LOOK, OPEN_WITHOUT, REPLAYING, VOUCH } from './lua/epoch.ts';
import { script } from './script.ts';

export type EpochEdges = {
  readonly redis: RedisConnection;
  readonly key: string;
  /** Never used twice. */
  readonly worker: string;
  /** Makes Redis drop what a torn append-only file holds; before anything is put back. */
  leaveTornEnds(): Promise<void>;
  recount(): Promise<void>;
  /** Puts journals at hand back; answers their workers, which are gone or silent. */
  replay(what: ReplayScope): Promise<readonly string[]>;
  /** Whether a worker's process is known to have ended; its journal may be at hand. */
  isGone(worker: string): boolean;
  connected(): Promise<readonly string[]>;
  /** Whether the server is still this machine's to use; by default it is. */
  isOurs?(): Promise<boolean>;
  /** How long a worker that doesn't check in is waited for, ms; 15,000 by default. */
  readonly graceMs?: number;
  /** Records of the target's unfinished runs. */
  unfinished(): Promise<readonly string[]>;
  /** A sentence for the user. */
  onNotice(text: string): void;
  onTrouble(what: string, fields: Readonly<Record<string, string | number>>): void;
};

export type ReplayScope = {
  /** Also this worker's own journal: Redis lost something of it. */
  readonly own: boolean;
  /** Also open intents: the ledger is closed, so nobody takes a row meanwhile. */
  readonly intents: boolean;
  /** Redis may have lost something of workers that are gone; false: at most of this one. */
  readonly closed: boolean;
  /** Workers that may live, silent for so long that they send nothing more under their grants. */
  readonly silent: readonly string[];
  /** Marks of this worker that may not be granted yet: left out. */
  readonly isHeld: (mark: string) => boolean;
};

const POLL_MS = 200;
const TELL_AFTER_MS = 1_000;
const REPLAYING_MS = 1_000;

const look = script(
  LOOK,
  z.tuple([z.string(), z.number(), z.coerce.number(), z.number(), z.coerce.number(), z.number()]),
);
const replaying = script(REPLAYING, z.number());
const checkIn = script(CHECK_IN, z.tuple([z.enum(['open', 'moved', 'count', 'closed'])]).rest(z.string()));
const vouch = script(VOUCH, z.number());
const openWithout = script(OPEN_WITHOUT, z.number());

/** What a worker knows of its own batches and of the other workers. */
export type Memory = {
  sent: number;
  /** Of the latest epoch that this worker was in. */
  number: number;
  recorded: number;
  recoveries: number;
  /** Every living worker knows of this one; not so after a registry had dropped it. */
  isKnown: boolean;
  /** Workers, and when each was last seen registered (ms). */
  readonly seen: RecentMap<string, number>;
  /** Intents without a grant yet. */
  readonly held: Set<() => ReadonlyArray<{ readonly mark: string }>>;
};

/** Replays and checks in where the ledger is unverified or forgot what this worker did. */
export async function verifyLedger(edges: EpochEdges, memory: Memory, stop: AbortSignal): Promise<void> {
  for (;;) {
    const [server, open, last, known, silence, number] = await lookUntorn(edges, memory);
    memory.number = number;
    if (open === 1 && last >= memory.recorded) return;
    // Nobody has checked in yet: a new ledger, or one that was emptied while others worked.
    const connected = known === 0 ? await edges.connected() : [];
    const others = new Set([...connected, ...forgotten(memory, last, silence)]);
    others.delete(edges.worker);
    const isNew = memory.sent === 0;
    const scope = {
      // Redis loses only its latest writes: of this worker's batches, all up to `last` are there.
      own: !isNew && last < memory.recorded,
      intents: open === 0 || !isNew,
      closed: open === 0,
      silent: [],
      isHeld: (mark: string) => isHeld(memory, mark),
    };
    if (!isNew) edges.onNotice(noticeOf(open, last));
    const gone = await whileReplaying(() => edges.replay(scope), { ...edges, server });
    const arrival = { server, open, gone, others, batch: memory.sent, stop };
    const opened = await untilOpen(edges, arrival);
    if (opened === 'moved') continue;
    memory.number = opened;
    if (!isNew) rememberReturn(memory, last);
    return;
  }
}

/** Reads the epoch once no torn end is left and the others know that this worker replays. */
async function lookUntorn({ redis, key, worker, leaveTornEnds }: EpochEdges, { number }: Memory) {
  for (;;) {
    const before = await look(redis, [key], [worker, number]);
    if (before[1] === 1) return before;
    await leaveTornEnds();
    await replaying(redis, [key], [worker, before[0], 1]);
    const after = await look(redis, [key], [worker, number]);
    if (after[0] === before[0]) return after;
  }
}

function isHeld({ held }: Memory, mark: string): boolean {
  for (const asked of held) if (asked().some((row) => row.mark === mark)) return true;
  return false;
}

function noticeOf(open: number, last: number): string {
  return open === 1 && last < 0
    ? 'This process had not been heard of for a while: the ledger is checked against its journal.'
    : 'Redis was restarted, replaced or emptied: the ledger is checked against the journals.';
}

function rememberReturn(memory: Memory, last: number): void {
  memory.recoveries += 1;
  if (last < 0) memory.isKnown = false;
}

async function whileReplaying<T>(
  work: () => Promise<T>,
  { redis, key, worker, server }: EpochEdges & { readonly server: string },
): Promise<T> {
  const tell = () => void replaying(redis, [key], [worker, server, 0]).catch(() => undefined);
  const telling = setInterval(tell, REPLAYING_MS);
  try {
    return await work();
  } finally {
    clearInterval(telling);
  }
}

/** Longer than a worker can work unseen by another living one. */
const SEEN_MS = 60_000;

/**
 * Workers that Redis may have forgotten. Where it still has this worker's batches it has the
 * others' too. A worker that deregistered long before is forgotten only by a Redis that was
 * emptied.
 */
function forgotten({ seen, recorded }: Memory, last: number, silence: number): string[] {
  if (last >= recorded) return [];
  // An old copy does not know the workers that came later: count from the copy's own time.
  const since = last < 0 ? Number.NEGATIVE_INFINITY : performance.now() - Math.max(silence, 0) - SEEN_MS;
  return [...seen].flatMap(([worker, at]) => (at >= since ? [worker] : []));
}

type Arrival = {
  readonly server: string;
  readonly open: number;
  readonly gone: readonly string[];
  readonly others: ReadonlySet<string>;
  readonly batch: number;
  /** Fires when this process leaves. */
  readonly stop: AbortSignal;
};

const OF_OTHERS: ReplayScope = { own: false, intents: true, closed: true, silent: [], isHeld: () => false };

/** Share of the grace. Longer than a lock lives: every grant is journaled by then, or lapsed. */
const VOUCH_AFTER = 0.8;

const STAGES = { sawOpen: 0, sawClosed: 1, waits: 2, hasCounted: 3 };

/** Answers the number of the epoch. */
async function untilOpen(
  edges: EpochEdges,
  { server, open, gone: atFirst, others, batch, stop }: Arrival,
): Promise<number | 'moved'> {
  const { redis, key, worker } = edges;
  const absence = waitForAbsent(server, edges);
  let gone = atFirst;
  let stage = open === 1 ? STAGES.sawOpen : STAGES.sawClosed;
  for (;;) {
    if (stop.aborted) throw new Error('this process is leaving the ledger');
    const args = [worker, batch, server, stage, gone.length, ...gone, ...others];
    const [state, age = '0', ...missing] = await checkIn(redis, [key], args);
    if (state === 'open') return Number(age);
    if (state === 'moved') return state;
    stage = state === 'count' ? STAGES.hasCounted : STAGES.waits;
    if (state === 'count') {
      await edges.recount();
      continue;
    }
    gone = (await absence(missing, Number(age))) ?? gone;
    await sleep(POLL_MS, stop);
  }
}

/** Answers missing workers that are gone, where their journals were just put back. */
function waitForAbsent(
  server: string,
  edges: EpochEdges,
): (missing: readonly string[], age: number) => Promise<readonly string[] | null> {
  const graceMs = edges.graceMs ?? SHIPPED_TIMES.graceMs;
  const waited = createWait();
  const asked = new Set<string>();
  const notAsked = (names: readonly string[]) => {
    const fresh = names.filter((other) => !asked.has(other));
    for (const other of fresh) asked.add(other);
    return fresh;
  };
  let told = false;
  return async (missing, said) => {
    // Redis' clock may jump, so this process' own counts too.
    const age = Math.min(said, waited());
    if (!told) told = tellWaiting(missing, age, edges);
    // A worker that was killed while it was waited for may have its journal here.
    if (notAsked(missing.filter(edges.isGone)).length > 0) return edges.replay(OF_OTHERS);
    const silent = age >= VOUCH_AFTER * graceMs ? notAsked(missing) : [];
    if (silent.length > 0) await vouchFor(silent, server, edges);
    else if (age >= graceMs) await goOnWithout(missing, server, edges);
    return null;
  };
}

/** Ms waited; not while Redis answers nobody, since the missing can't check in then either. */
function createWait(): () => number {
  let waited = 0;
  let lookedAt = performance.now();
  return () => {
    const now = performance.now();
    waited += Math.min(now - lookedAt, 2 * POLL_MS);
    lookedAt = now;
    return waited;
  };
}

async function vouchFor(silent: readonly string[], server: string, edges: EpochEdges): Promise<void> {
  const atHand = await edges.replay({ ...OF_OTHERS, silent });
  const heard = silent.filter((other) => atHand.includes(other));
  if (heard.length === 0) return;
  edges.onNotice(
    `Workers did not check in, but their journals are here: put back for them (${heard.join(', ')}).`,
  );
  await vouch(edges.redis, [edges.key], [server, ...heard]);
}

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
  await edges.recount();
  await openWithout(
    edges.redis,
    [edges.key, ...(await edges.unfinished())],
    [server, edges.worker, ...missing],
  );
}
