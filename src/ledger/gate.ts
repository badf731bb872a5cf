import { z } from 'zod';
import { createRecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { sleep, withDeadline } from '../lib/waiting.ts';
import { BEAT, GATED, LEAVE } from './lua/gate.ts';
import { type Script, type SentArguments, script } from './script.ts';
import { type GateEdges, LET_GO_MS, type Memory, verifyLedger } from './verify-ledger.ts';

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
