import type { Call } from '../model/operation.ts';
import type { AfterRule, BeforeRule, FaultRule, LatencyRule, When } from './fault-rule.ts';
import { seededRandom } from './seeded-random.ts';

/** What a request is about, for rules that aim. */
export type FaultTarget = { readonly call: Call; readonly key: string };

/**
 * Which fault hits which request. Rules of a phase are asked in order until one hits; a rule counts the requests
 * that it was asked about and that it aims at. Rules of the phase `after` are asked only about what was carried out.
 */
export type FaultPlan = {
  /** Milliseconds to hold the answer back. */
  delayMs(target: FaultTarget): number;
  before(target: FaultTarget): BeforeRule | null;
  after(target: FaultTarget): AfterRule | null;
  /** How often each fault has hit, by name. */
  hits(): Record<string, number>;
};

/** Each rule draws from a generator of its own, so that one rule's hits don't move another's. */
export function createFaultPlan(rules: readonly FaultRule[], seed: number): FaultPlan {
  const armed = rules.map((rule, i) => ({ rule, hit: hitter(rule.when, seededRandom(seed + i)) }));
  const latency = armed.flatMap(({ rule, hit }) => (rule.kind === 'latency' ? [{ rule, hit }] : []));
  const before = armed.flatMap(({ rule, hit }) => (rule.kind === 'before' ? [{ rule, hit }] : []));
  const after = armed.flatMap(({ rule, hit }) => (rule.kind === 'after' ? [{ rule, hit }] : []));
  const random = seededRandom(seed - 1);
  const counts: Record<string, number> = {};

  return {
    delayMs: (target) => delayOf(choose(latency, target, counts), random),
    before: (target) => choose(before, target, counts),
    after: (target) => choose(after, target, counts),
    hits: () => ({ ...counts }),
  };
}

type Armed<R> = { readonly rule: R; readonly hit: () => boolean };

function choose<R extends FaultRule>(
  armed: readonly Armed<R>[],
  target: FaultTarget,
  counts: Record<string, number>,
): R | null {
  for (const { rule, hit } of armed) {
    if (!aimsAt(rule, target) || !hit()) continue;
    counts[rule.name] = (counts[rule.name] ?? 0) + 1;
    return rule;
  }
  return null;
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

function delayOf(rule: LatencyRule | null, random: () => number): number {
  if (rule === null) return 0;
  return rule.spreadMs === 0 ? rule.ms : rule.ms + (random() * 2 - 1) * rule.spreadMs;
}
