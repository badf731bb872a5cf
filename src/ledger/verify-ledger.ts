import { z } from 'zod';
import type { RecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { SHIPPED_TIMES } from '../lib/times.ts';
import { sleep } from '../lib/waiting.ts';
import { CHECK_IN, LOOK, OPEN_WITHOUT, WORKING } from './lua/gate.ts';
import { script } from './script.ts';

export type GateEdges = {
  readonly redis: RedisConnection;
  /** The gate's key. */
  readonly key: string;
  /** This process; never used twice. */
  readonly member: string;
  /** Puts back what the journals at hand know, and answers the members that are gone and whose journals those were. */
  replay(what: ReplayScope): Promise<readonly string[]>;
  /** Whether a member's process is known to have ended; its journal may be at hand. */
  isGone(member: string): boolean;
  /** Other members that the server knows to be connected. */
  connected(): Promise<readonly string[]>;
  /** How long a member that doesn't check in is waited for; default: the shipped time. */
  readonly graceMs?: number;
  /** Records of the target's unfinished runs. */
  unfinished(): Promise<readonly string[]>;
  /** Something that the user should know, in a sentence. */
  onNotice(text: string): void;
  onTrouble(what: string, fields: Readonly<Record<string, string | number>>): void;
};

export type ReplayScope = {
  /** This member's own journal too: Redis has lost something of it. */
  readonly own: boolean;
  /** Open intents too: the ledger is closed, so nobody takes a row meanwhile. */
  readonly intents: boolean;
  /** Marks of this member's intents of which it is not known yet whether they were granted: left out. */
  readonly isHeld: (mark: string) => boolean;
};

const POLL_MS = 200;
const TELL_AFTER_MS = 1_000;
/** How often a member that replays a long journal says so. */
const WORKING_MS = 1_000;

const look = script(
  LOOK,
  z.tuple([z.string(), z.number(), z.coerce.number(), z.number(), z.coerce.number()]),
);
const working = script(WORKING, z.number());
const checkIn = script(CHECK_IN, z.tuple([z.enum(['open', 'moved', 'closed'])]).rest(z.string()));
const openWithout = script(OPEN_WITHOUT, z.number());

/** On one and the same server run nothing is lost: a member that is gone this long is no longer asked for. */
export const LET_GO_MS = 60_000;

/** What a member knows of its own batches, and of the others. */
export type Memory = {
  sent: number;
  /** The highest batch that is known to be recorded. */
  recorded: number;
  recoveries: number;
  /** The members that there have been lately, and when each was last one (ms). */
  readonly seen: RecentMap<string, number>;
  /** Marks of intents that have been asked for and not been granted yet. */
  readonly held: Set<string>;
};

/** Replays the journals and checks in, where the ledger is not verified or has forgotten what this member did. */
export async function verifyLedger(edges: GateEdges, memory: Memory, stop: AbortSignal): Promise<void> {
  const { redis, key, member } = edges;
  for (;;) {
    const [server, open, last, known, silence] = await look(redis, [key], [member]);
    if (open === 1 && last >= memory.recorded) return;
    // A gate that nobody has checked in at: a new ledger, or one that was emptied while others were at work.
    const connected = known === 0 ? await edges.connected() : [];
    const others = new Set([...connected, ...forgotten(memory, last, silence)]);
    others.delete(member);
    const isNew = memory.sent === 0;
    if (!isNew) {
      edges.onNotice('Redis was restarted, replaced or emptied: the ledger is checked against the journals.');
    }
    const scope = {
      // What is recorded of this member's batches is all there up to the last: Redis loses only its latest writes.
      own: !isNew && last < memory.recorded,
      intents: open === 0 || !isNew,
      isHeld: (mark: string) => memory.held.has(mark),
    };
    const gone = await whileWorking(() => edges.replay(scope), { ...edges, server });
    const arrival = { server, gone, others, batch: memory.sent, stop };
    if ((await untilOpen(edges, arrival)) === 'moved') continue;
    if (!isNew) memory.recoveries += 1;
    return;
  }
}

async function whileWorking<T>(
  work: () => Promise<T>,
  { redis, key, member, server }: GateEdges & { readonly server: string },
): Promise<T> {
  const tell = () => void working(redis, [key], [member, server]).catch(() => undefined);
  const telling = setInterval(tell, WORKING_MS);
  tell();
  try {
    return await work();
  } finally {
    clearInterval(telling);
  }
}

/**
 * Members that Redis may have forgotten: where it has not lost what this member had recorded, it has the others' too.
 * One that had left long before is only forgotten, with all it did, by a Redis that was emptied.
 */
function forgotten({ seen, recorded }: Memory, last: number, silence: number): string[] {
  if (last >= recorded) return [];
  // A copy of long ago knows nothing of those who came since: reckoned from its own time.
  const since = last < 0 ? Number.NEGATIVE_INFINITY : performance.now() - Math.max(silence, 0) - LET_GO_MS;
  return [...seen].flatMap(([member, at]) => (at >= since ? [member] : []));
}

type Arrival = {
  readonly server: string;
  readonly gone: readonly string[];
  /** Members that Redis may have forgotten. */
  readonly others: ReadonlySet<string>;
  readonly batch: number;
  /** Fires when this process leaves. */
  readonly stop: AbortSignal;
};

const OF_OTHERS: ReplayScope = { own: false, intents: true, isHeld: () => false };

/** Checks in and waits for the others, within limits. */
async function untilOpen(
  edges: GateEdges,
  { server, gone: atFirst, others, batch, stop }: Arrival,
): Promise<'open' | 'moved'> {
  const { redis, key, member } = edges;
  let gone = atFirst;
  const asked = new Set<string>();
  let told = false;
  for (;;) {
    if (stop.aborted) throw new Error('this process is leaving the ledger');
    const args = [member, batch, server, gone.length, ...gone, ...others];
    const [state, age = '0', ...missing] = await checkIn(redis, [key], args);
    if (state !== 'closed') return state;
    const graceMs = edges.graceMs ?? SHIPPED_TIMES.graceMs;
    if (!told && Number(age) > TELL_AFTER_MS) {
      told = true;
      const seconds = Math.ceil(graceMs / 1000);
      edges.onNotice(`Waiting up to ${seconds} s for other workers to replay theirs: ${missing.join(', ')}.`);
    }
    // One that was killed while it was waited for has its journal here all the same.
    const killed = missing.filter((other) => edges.isGone(other) && !asked.has(other));
    for (const other of killed) asked.add(other);
    if (killed.length > 0) gone = await edges.replay(OF_OTHERS);
    else if (Number(age) >= graceMs) await goOnWithout(missing, server, edges);
    await sleep(POLL_MS, stop);
  }
}

async function goOnWithout(missing: readonly string[], server: string, edges: GateEdges): Promise<void> {
  edges.onNotice(
    `Workers that are gone did not check in: rows that may be theirs are in doubt (${missing.join(', ')}).`,
  );
  await openWithout(edges.redis, [edges.key, ...(await edges.unfinished())], [server, ...missing]);
}
