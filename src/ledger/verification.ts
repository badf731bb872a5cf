/**
 * The verification of a ledger after Redis may have gone back in time: this worker puts its journal back and checks in, and waits for the
 * others, within limits. Promised: the ledger is opened only when everything that any worker sent is known again, from its own word, from its
 * journal, or by a batch of a living worker that is later than all of its own; or else what it may have sent is in doubt.
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
  /** The key of the epoch's hash. */
  readonly key: string;
  /** This process' id; never used twice. */
  readonly worker: string;
  /** Has Redis forget what a torn append-only file holds; before anything is put back. */
  leaveTornEnds(): Promise<void>;
  /** Counts the runs anew, once all that is known is put back. */
  recount(): Promise<void>;
  /** Puts back what the journals at hand know, and answers the workers that are gone, or silent, and whose journals those were. */
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
  /** Workers that may live, and have not been heard of for so long that they send nothing any more under what they were granted. */
  readonly silent: readonly string[];
  /** Marks of this worker's intents of which it is not known yet whether they were granted: left out. */
  readonly isHeld: (mark: string) => boolean;
};

const POLL_MS = 200;
const TELL_AFTER_MS = 1_000;
/** How often a worker that replays a long journal says so. */
const REPLAYING_MS = 1_000;

const look = script(
  LOOK,
  z.tuple([z.string(), z.number(), z.coerce.number(), z.number(), z.coerce.number()]),
);
const replaying = script(REPLAYING, z.number());
const checkIn = script(CHECK_IN, z.tuple([z.enum(['open', 'moved', 'count', 'closed'])]).rest(z.string()));
const vouch = script(VOUCH, z.number());
const openWithout = script(OPEN_WITHOUT, z.number());

/** What a worker knows of its own batches, and of the others. */
export type Memory = {
  sent: number;
  /** The highest batch that is known to be recorded. */
  recorded: number;
  recoveries: number;
  /** Every living worker has been told of this one. False from when it comes back to a registry that it was taken out of until it is told again. */
  isKnown: boolean;
  /** The workers of late, and when each was last seen registered (ms). */
  readonly seen: RecentMap<string, number>;
  /** Intents that have been asked for and not been granted yet. */
  readonly held: Set<() => ReadonlyArray<{ readonly mark: string }>>;
};

/** Replays the journals and checks in, where the ledger is not verified or has forgotten what this worker did. */
export async function verifyLedger(edges: EpochEdges, memory: Memory, stop: AbortSignal): Promise<void> {
  for (;;) {
    const [server, open, last, known, silence] = await lookUntorn(edges);
    if (open === 1 && last >= memory.recorded) return;
    // An epoch in which nobody has checked in: a new ledger, or one that was emptied while others were at work.
    const connected = known === 0 ? await edges.connected() : [];
    const others = new Set([...connected, ...forgotten(memory, last, silence)]);
    others.delete(edges.worker);
    const isNew = memory.sent === 0;
    const scope = {
      // What is recorded of this worker's batches is all there up to the last: Redis loses only its latest writes.
      own: !isNew && last < memory.recorded,
      intents: open === 0 || !isNew,
      closed: open === 0,
      silent: [],
      isHeld: (mark: string) => isHeld(memory, mark),
    };
    if (!isNew) edges.onNotice(noticeOf(open, last));
    const gone = await whileReplaying(() => edges.replay(scope), { ...edges, server });
    const arrival = { server, open, gone, others, batch: memory.sent, stop };
    if ((await untilOpen(edges, arrival)) === 'moved') continue;
    if (!isNew) rememberReturn(memory, last);
    return;
  }
}

/** How the ledger stands, once no torn end is left and the others know that this worker replays. */
async function lookUntorn({ redis, key, worker, leaveTornEnds }: EpochEdges) {
  for (;;) {
    const before = await look(redis, [key], [worker]);
    if (before[1] === 1) return before;
    await leaveTornEnds();
    await replaying(redis, [key], [worker, before[0], 1]);
    const after = await look(redis, [key], [worker]);
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

/** Longer than a worker can be at work unseen by another that lives. */
const SEEN_MS = 60_000;

/**
 * Workers that Redis may have forgotten: where it has not lost what this worker had recorded, it has the others' too.
 * A worker that had deregistered long before is only forgotten, with all it did, by a Redis that was emptied.
 */
function forgotten({ seen, recorded }: Memory, last: number, silence: number): string[] {
  if (last >= recorded) return [];
  // A copy of long ago knows nothing of those who came since: reckoned from its own time.
  const since = last < 0 ? Number.NEGATIVE_INFINITY : performance.now() - Math.max(silence, 0) - SEEN_MS;
  return [...seen].flatMap(([worker, at]) => (at >= since ? [worker] : []));
}

type Arrival = {
  readonly server: string;
  /** 1: the epoch was open when this worker looked. */
  readonly open: number;
  readonly gone: readonly string[];
  /** Workers that Redis may have forgotten. */
  readonly others: ReadonlySet<string>;
  readonly batch: number;
  /** Fires when this process leaves. */
  readonly stop: AbortSignal;
};

const OF_OTHERS: ReplayScope = { own: false, intents: true, closed: true, silent: [], isHeld: () => false };

/**
 * Of the grace: a worker that has not checked in by then, whose journal lies in this home, needs not come. Longer than a lock lives: whatever it
 * was granted before is in its journal by now, or it is not sent, since its lease has lapsed.
 */
const VOUCH_AFTER = 0.8;

/** How far a worker has come with its check-in (CHECK_IN). */
const STAGES = { sawOpen: 0, sawClosed: 1, waits: 2, hasCounted: 3 };

/** Checks in and waits for the others, within limits. */
async function untilOpen(
  edges: EpochEdges,
  { server, open, gone: atFirst, others, batch, stop }: Arrival,
): Promise<'open' | 'moved'> {
  const { redis, key, worker } = edges;
  const absence = waitForAbsent(server, edges);
  let gone = atFirst;
  let stage = open === 1 ? STAGES.sawOpen : STAGES.sawClosed;
  for (;;) {
    if (stop.aborted) throw new Error('this process is leaving the ledger');
    const args = [worker, batch, server, stage, gone.length, ...gone, ...others];
    const [state, age = '0', ...missing] = await checkIn(redis, [key], args);
    if (state === 'open' || state === 'moved') return state;
    stage = state === 'count' ? STAGES.hasCounted : STAGES.waits;
    if (state === 'count') {
      await edges.recount();
      continue;
    }
    gone = (await absence(missing, Number(age))) ?? gone;
    await sleep(POLL_MS, stop);
  }
}

/** What is done about the missing, each time they are found missing; answers those that are gone, where their journals have just been put back. */
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
    // By this process' own clock too: Redis' may jump.
    const age = Math.min(said, waited());
    if (!told) told = tellWaiting(missing, age, edges);
    // A worker that was killed while it was waited for has its journal here all the same.
    if (notAsked(missing.filter(edges.isGone)).length > 0) return edges.replay(OF_OTHERS);
    const silent = age >= VOUCH_AFTER * graceMs ? notAsked(missing) : [];
    if (silent.length > 0) await vouchFor(silent, server, edges);
    else if (age >= graceMs) await goOnWithout(missing, server, edges);
    return null;
  };
}

/** How long one has waited at each call (ms). While Redis answers nobody, the missing can't check in either: that is not counted. */
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
  await edges.recount();
  await openWithout(
    edges.redis,
    [edges.key, ...(await edges.unfinished())],
    [server, edges.worker, ...missing],
  );
}
