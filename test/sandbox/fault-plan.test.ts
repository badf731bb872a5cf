import { expect, test } from 'vitest';
import type { FaultPlan } from '../../src/sandbox/fault-plan.ts';
import { createFaultPlan } from '../../src/sandbox/fault-plan.ts';
import { parseFaults } from '../../src/sandbox/parse-fault.ts';

const CREATE = { call: 'subclient.create', key: 'K-1' } as const;

function planOf(specs: readonly string[], seed = 1): FaultPlan {
  return createFaultPlan(parseFaults(specs), seed);
}

function namesOf(plan: FaultPlan, requests: number): (string | null)[] {
  return Array.from({ length: requests }, () => plan.before(CREATE)?.name ?? null);
}

test('every:3 hits each third request', () => {
  expect(namesOf(planOf(['500=every:3']), 7)).toEqual([null, null, '500', null, null, '500', null]);
});

test('first:2 hits the first two requests', () => {
  expect(namesOf(planOf(['500=first:2']), 4)).toEqual(['500', '500', null, null]);
});

test('a second rule is asked only where the first did not hit', () => {
  expect(namesOf(planOf(['500=first:1', '503=first:2']), 4)).toEqual(['500', '503', '503', null]);
});

test('a share hits about that share, the same requests for the same seed', () => {
  const hits = namesOf(planOf(['500=5%'], 7), 10_000);
  expect(hits).toEqual(namesOf(planOf(['500=5%'], 7), 10_000));
  expect(hits).not.toEqual(namesOf(planOf(['500=5%'], 8), 10_000));
  const count = hits.filter((hit) => hit !== null).length;
  expect(count).toBeGreaterThan(400);
  expect(count).toBeLessThan(600);
});

test('a rule that aims counts only the requests it aims at', () => {
  const plan = planOf(['500=first:1;key=K-7']);
  expect(plan.before(CREATE)).toBeNull();
  expect(plan.before({ ...CREATE, key: 'K-77' })?.name).toBe('500');
  expect(plan.before({ ...CREATE, key: 'K-77' })).toBeNull();
});

test('a rule for one call leaves the others alone', () => {
  const plan = planOf(['500=always;call=counterparty.draft']);
  expect(plan.before(CREATE)).toBeNull();
  expect(plan.before({ call: 'counterparty.draft', key: '' })?.name).toBe('500');
});

test('hits are counted by name, over both phases and latency', () => {
  const plan = planOf(['hang=always', '500=first:1', 'latency=5ms']);
  plan.after(CREATE);
  plan.after(CREATE);
  plan.before(CREATE);
  plan.before(CREATE);
  plan.delayMs(CREATE);
  expect(plan.hits()).toEqual({ hang: 2, '500': 1, latency: 1 });
});

test('latency stays within its spread', () => {
  const plan = planOf(['latency=50ms±20ms']);
  const delays = Array.from({ length: 1000 }, () => plan.delayMs(CREATE));
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(30);
  expect(Math.max(...delays)).toBeLessThanOrEqual(70);
  expect(new Set(delays).size).toBeGreaterThan(900);
});
