/** Which requests meet which fault, and what a fault does to the connection. */

import { type Answer, bareAnswer, errorAnswer, isObject } from './answer.ts';
import type { AfterRule, BeforeRule, FaultRule, LatencyRule, When } from './fault-rules.ts';
import type { SandboxCall } from './options.ts';

/** What of a request the rules look at. */
export type FaultTarget = { readonly call: SandboxCall; readonly key: string };

/**
 * The rules of a phase are asked in order until one hits; a rule counts the requests that it aims
 * at. Rules of the phase `after` are asked only about requests that were carried out.
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

/** The answer of a fault before anything is carried out. */
export function answerBefore(rule: BeforeRule): Answer {
  switch (rule.name) {
    case '503':
    case '503-retry-after':
    case '429':
      return bareAnswer(Number(rule.name.slice(0, 3)), retryAfter(rule.retryAfterSeconds));
    case '500':
    case '401':
    case '403':
    case '404':
      return errorAnswer(Number(rule.name), 'a fault that was asked for');
    case 'reset-before':
      return { kind: 'close' };
    case 'hang-before':
      return { kind: 'hang' };
    default:
      return rule.name satisfies never;
  }
}

/** The answer of a fault in the place of `answer`, whose request has been carried out. */
export function answerAfter(rule: AfterRule, answer: Extract<Answer, { kind: 'response' }>): Answer {
  switch (rule.name) {
    case '303-after-create':
      return bareAnswer(303, { location: '/' });
    case '503-after-create':
      return bareAnswer(503);
    case '500-after-create':
      return errorAnswer(500, 'a fault that was asked for');
    case 'reset-after-create':
      return { kind: 'reset' };
    case 'hang':
      return { kind: 'hang' };
    case 'cut-answer':
      return { kind: 'cut', status: answer.status, body: answer.body };
    case 'not-json':
      return { ...answer, headers: { 'content-type': 'text/html' }, body: '<html><body>OK</body></html>' };
    case 'no-id':
      return { ...answer, body: JSON.stringify(withoutId(JSON.parse(answer.body))) };
    default:
      return rule.name satisfies never;
  }
}

function retryAfter(seconds: number | null): Readonly<Record<string, string>> {
  return seconds === null ? {} : { 'retry-after': String(seconds) };
}

function withoutId(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutId);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id'));
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
