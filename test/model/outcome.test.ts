import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countSettled,
  countUnsuccessful,
  noOutcomes,
  OUTCOMES,
  type OutcomeCounts,
  wasAccepted,
} from '../../src/model/outcome.ts';

const counts: fc.Arbitrary<OutcomeCounts> = fc
  .array(fc.nat(1000), { minLength: OUTCOMES.length, maxLength: OUTCOMES.length })
  .map((numbers) => ({
    ...noOutcomes(),
    ...Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, numbers[i] ?? 0])),
  }));

test('the service carried out what was created, updated, drafted or listed, and nothing else', () => {
  expect(OUTCOMES.filter(wasAccepted)).toEqual(['created', 'updated', 'drafted', 'listed']);
});

test('the control total is the sum over all outcomes, and those without success are part of it', () => {
  fc.assert(
    fc.property(counts, (c) => {
      const sum = Object.values(c).reduce((a, b) => a + b, 0);
      expect(countSettled(c)).toBe(sum);
      const good = c.created + c.updated + c.drafted + c.listed + c.adopted + c.skipped;
      expect(countUnsuccessful(c)).toBe(sum - good);
    }),
  );
});
