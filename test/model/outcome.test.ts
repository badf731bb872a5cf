import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countSettled,
  countUnsuccessful,
  noOutcomes,
  OUTCOMES,
  type Outcome,
  type OutcomeCounts,
  outcomeCountsSchema,
  outcomeSchema,
  REMAINDER,
  succeeded,
  wasAccepted,
} from '../../src/model/outcome.ts';

const counts: fc.Arbitrary<OutcomeCounts> = fc
  .array(fc.nat(1000), { minLength: OUTCOMES.length, maxLength: OUTCOMES.length })
  .map((numbers) => ({
    ...noOutcomes(),
    ...Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, numbers[i] ?? 0])),
  }));

/** Which report file carries the row again, and whether all is well with it. */
const TABLE: ReadonlyArray<readonly [Outcome, string, boolean]> = [
  ['created', 'none', true],
  ['updated', 'none', true],
  ['drafted', 'none', true],
  ['listed', 'none', true],
  ['skipped', 'none', true],
  ['invalid', 'failed', false],
  ['rejected', 'rejected', false],
  ['denied', 'failed', false],
  ['failed', 'failed', false],
  ['in-doubt', 'in-doubt', false],
  ['cancelled', 'none', false],
];

test.each(TABLE)('%s: its record goes to %s, success: %s', (outcome, remainder, success) => {
  expect(REMAINDER[outcome]).toBe(remainder);
  expect(succeeded(outcome)).toBe(success);
});

test('the table speaks of every outcome, and so do the counters', () => {
  expect(TABLE.map(([outcome]) => outcome)).toEqual([...OUTCOMES]);
  expect(Object.keys(noOutcomes())).toEqual([...OUTCOMES]);
  expect(countSettled(noOutcomes())).toBe(0);
});

test('the service carried out what was created, updated, drafted or listed, and nothing else', () => {
  expect(OUTCOMES.filter(wasAccepted)).toEqual(['created', 'updated', 'drafted', 'listed']);
});

test('two counts from zero share nothing', () => {
  const one = noOutcomes();
  one.created += 1;
  expect(noOutcomes().created).toBe(0);
});

test('the control total is the sum over all outcomes, and those without success are part of it', () => {
  fc.assert(
    fc.property(counts, (c) => {
      const sum = Object.values(c).reduce((a, b) => a + b, 0);
      expect(countSettled(c)).toBe(sum);
      const good = c.created + c.updated + c.drafted + c.listed + c.skipped;
      expect(countUnsuccessful(c)).toBe(sum - good);
    }),
  );
});

test.each([
  ['an outcome that is left out', (c: OutcomeCounts) => Object.fromEntries(Object.entries(c).slice(1))],
  ['an outcome that there is not', (c: OutcomeCounts) => ({ ...c, lost: 1 })],
  ['half a row', (c: OutcomeCounts) => ({ ...c, failed: 0.5 })],
])('%s is refused in counters', (_, damage) => {
  expect(outcomeCountsSchema.safeParse(noOutcomes()).success).toBe(true);
  expect(outcomeCountsSchema.safeParse(damage(noOutcomes())).success).toBe(false);
});

test('an outcome is one of the eleven words, in lower case', () => {
  expect(outcomeSchema.options).toHaveLength(11);
  for (const word of ['', 'Created', 'in doubt', 'success']) {
    expect(outcomeSchema.safeParse(word).success).toBe(false);
  }
});
