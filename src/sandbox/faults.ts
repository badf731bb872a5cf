/** Which requests meet which fault. */
import type { FaultRule, When } from './fault-rules.ts';
import type { SandboxCall } from './received.ts';

/** What of a request the rules look at. */
export type FaultTarget = { readonly call: SandboxCall; readonly key: string };

type Of<K extends FaultRule['kind']> = Extract<FaultRule, { kind: K }>;

/** Rules of a kind are asked in order until one hits; a rule counts the requests it aims at. */
export type FaultPlan = {
  /** How long the answer is held back. */
  delayMs(target: FaultTarget): number;
  before(target: FaultTarget): Of<'before'> | null;
  /** Asked only of requests that were carried out. */
  after(target: FaultTarget): Of<'after'> | null;
  /** How often each fault has hit, by name. */
  hits(): Record<string, number>;
};

/** Each rule draws from a generator of its own: its hits don't move another's. */
export function createFaultPlan(rules: readonly FaultRule[], seed: number): FaultPlan {
  const armed = rules.map((rule, i) => ({ rule, hit: hitter(rule.when, seededRandom(seed + i)) }));
  const random = seededRandom(seed - 1);
  const counts: Record<string, number> = {};
  const choose = <K extends FaultRule['kind']>(kind: K, target: FaultTarget): Of<K> | null => {
    for (const { rule, hit } of armed) {
      if (!isOf(rule, kind) || !aimsAt(rule, target) || !hit()) continue;
      counts[rule.name] = (counts[rule.name] ?? 0) + 1;
      return rule;
    }
    return null;
  };

  return {
    delayMs: (target) => delayOf(choose('latency', target), random),
    before: (target) => choose('before', target),
    after: (target) => choose('after', target),
    hits: () => ({ ...counts }),
  };
}

function isOf<K extends FaultRule['kind']>(rule: FaultRule, kind: K): rule is Of<K> {
  return rule.kind === kind;
}

function aimsAt(rule: FaultRule, target: FaultTarget): boolean {
  return (rule.call === null || rule.call === target.call) && target.key.startsWith(rule.keyPrefix);
}

function hitter(when: When, random: () => number): () => boolean {
  let asked = 0;
  switch (when.kind) {
    case 'always':
      return () => true;
    case 'share':
      return () => random() < when.share;
    case 'every':
      return () => ++asked % when.n === 0;
    case 'first':
      return () => ++asked <= when.n;
    default:
      return when satisfies never;
  }
}

function delayOf(rule: Of<'latency'> | null, random: () => number): number {
  if (rule === null) return 0;
  return rule.spreadMs === 0 ? rule.ms : rule.ms + (random() * 2 - 1) * rule.spreadMs;
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
