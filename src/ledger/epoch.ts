import { z } from 'zod';
import { createRecentMap, type RecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import { BEAT, CHECK_IN, GATED, LEAVE, LOOK, OPEN_WITHOUT, UNAWARE, WORKING } from './lua/epoch.ts';
import { type Script, type SentArguments, script } from './script.ts';

/**
 * A member's way to the ledger of one target. The ledger is verified once for each run of the Redis server: every member
 * replays its journal and checks in, then the gate opens. Until then, and where a member finds its own recorded batches gone,
 * nothing is claimed, intended or settled; what was asked for waits.
 */
export type LedgerGate = {
  readonly redis: RedisConnection;
  readonly member: string;
  /** Carries a gated script out, as often as it takes until the ledger is verified. */
  call<Answer>(run: Script<Answer>, keys: readonly string[], args: SentArguments): Promise<Answer>;
  /** Resolves when the ledger is verified and this process is a member. */
  verify(): Promise<void>;
  /** Keeps intents out of a replay until they are released, by their marks. */
  hold(marks: readonly string[]): () => void;
  /** How often this process has found the ledger unverified and replayed its journal. */
  recoveries(): number;
  /** Nobody waits for a member any longer that is gone and has nothing to put back. */
  letGo(member: string): Promise<void>;
  /** Leaves; what still waits at the gate fails. */
  close(): Promise<void>;
};

const CLOSE_WAIT_MS = 200;
/** Fewer than a script can answer in one list; a process is told of whoever is at work each second. */
const MEMBERS_KEPT = 4_000;
/** Who comes later waits for the next one of each: see become-known.ts. */
const BEAT_MS = 1_000;

/** How often some member looks at all of them, for those that are not heard of any longer. */
export const SWEEP_MS = 5_000;
/** A process that has left properly need not be replayed for: longer than its journal is kept. */
const LEFT_MS = 7 * 86_400_000;

const leave = script(LEAVE, z.number());
const beat = gated(BEAT, z.tuple([z.string()]).rest(z.string()));

/** A script that waits at the gate; see lua/gate.ts for what it adds to KEYS and ARGV. */
export function gated<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  return script(GATED + lua, answer);
}

/** Checks in and keeps the membership alive until it is closed. */
export async function openGate(edges: GateEdges): Promise<LedgerGate> {
  const stop = new AbortController();
  const gate = createGate(edges, stop.signal);
  await gate.verify();
  const beating = keepBeating(gate, edges, stop.signal);
  return {
    ...gate,
    async close() {
      stop.abort();
      await withDeadline(beating, CLOSE_WAIT_MS);
      await leave(edges.redis, [edges.key], [edges.member, gate.recorded()]);
    },
  };
}

async function keepBeating(gate: OwnGate, { onTrouble }: GateEdges, stop: AbortSignal): Promise<void> {
  let roster = '';
  let members: readonly string[] = [];
  while (!stop.aborted) {
    try {
      const [name, ...all] = await gate.call(beat, [], [LET_GO_MS, LEFT_MS, SWEEP_MS, roster]);
      roster = name;
      if (all.length > 0) members = all;
      gate.see(members);
    } catch (error) {
      if (stop.aborted) return;
      onTrouble('a sign of life could not be given', {
        problem: error instanceof Error ? error.message : String(error),
      });
    }
    await sleep(BEAT_MS, stop);
  }
}

type OwnGate = LedgerGate & {
  /** The members of now. */
  see(members: readonly string[]): void;
  /** The highest batch that is known to be recorded. */
  recorded(): number;
};

function createGate(edges: GateEdges, stop: AbortSignal): OwnGate {
  const { redis, key, member } = edges;
  const seen = createRecentMap<string, number>(MEMBERS_KEPT);
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
      return [...(typeof args === 'function' ? args() : args), member, memory.recorded, batch];
    };
    const answer = await run(redis, [...keys, key], sent);
    memory.recorded = Math.max(memory.recorded, batch);
    return answer;
  };

  return {
    redis,
    member,
    verify,
    recoveries: () => memory.recoveries,
    letGo: async (other) => void (await leave(redis, [key], [other, 0])),
    hold(marks) {
      for (const mark of marks) memory.held.add(mark);
      return () => {
        for (const mark of marks) memory.held.delete(mark);
      };
    },
    see(members) {
      for (const other of members) seen.set(other, performance.now());
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
  /** How long a member that doesn't check in is waited for, ms; 15,000 by default. */
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

/** A member that does not answer for this long after Redis came back is not waited for. */
const GRACE_MS = 15_000;
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
type Memory = {
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
    if (!told) told = tellWaiting(missing, Number(age), edges);
    // One that was killed while it was waited for has its journal here all the same.
    const killed = missing.filter((other) => edges.isGone(other) && !asked.has(other));
    for (const other of killed) asked.add(other);
    if (killed.length > 0) gone = await edges.replay(OF_OTHERS);
    else if (Number(age) >= (edges.graceMs ?? GRACE_MS)) await goOnWithout(missing, server, edges);
    await sleep(POLL_MS, stop);
  }
}

/** Whether the user was told. */
function tellWaiting(missing: readonly string[], age: number, { onNotice }: GateEdges): boolean {
  if (age <= TELL_AFTER_MS) return false;
  onNotice(`Waiting up to 15 s for other workers to replay theirs: ${missing.join(', ')}.`);
  return true;
}

async function goOnWithout(missing: readonly string[], server: string, edges: GateEdges): Promise<void> {
  edges.onNotice(
    `Workers that are gone did not check in: rows that may be theirs are in doubt (${missing.join(', ')}).`,
  );
  await openWithout(edges.redis, [edges.key, ...(await edges.unfinished())], [server, ...missing]);
}

const unaware = script(UNAWARE, z.tuple([z.string()]).rest(z.string()));

const KNOWN_POLL_MS = 50;
/** Some signs of life: a member that gives none for so long is not asked for. */
const ALIVE_MS = 5_000;

/**
 * Resolves when every living member of the gate has been told of this one, after a few seconds at most. A Redis that goes back in time
 * forgets its latest member with all it sent, and where that one is gone too nobody else would know that there is anything to wait for.
 */
export async function becomeKnown(
  redis: RedisConnection,
  gate: string,
  { member, isGone }: { readonly member: string; readonly isGone: (member: string) => boolean },
): Promise<void> {
  let since = '0';
  for (
    const deadline = performance.now() + ALIVE_MS;
    performance.now() < deadline;
    await sleep(KNOWN_POLL_MS)
  ) {
    const [asked, ...others] = await unaware(redis, [gate], [member, ALIVE_MS, since]);
    if (others.every(isGone)) return;
    since = asked;
  }
}
