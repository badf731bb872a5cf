import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noOutcomes, OUTCOMES, type OutcomeCounts } from '../../src/model/outcome.ts';
import { gained, isOverLimit } from '../../src/runs/error-limit.ts';

const counts = (over: Partial<OutcomeCounts>): OutcomeCounts => ({ ...noOutcomes(), ...over });

test.each([
  ['no limit', undefined, counts({ failed: 1_000_000 }), false],
  ['a count, one below', 5, counts({ rejected: 2, failed: 2, created: 100 }), false],
  ['a count, reached over several outcomes', 5, counts({ rejected: 2, failed: 2, invalid: 1 }), true],
  ['a count, passed', 5, counts({ denied: 9 }), true],
  ['rows in doubt count', 1, counts({ 'in-doubt': 1 }), true],
  [
    'rows that succeeded or were skipped don’t',
    1,
    counts({ created: 9, updated: 9, skipped: 9, listed: 9 }),
    false,
  ],
  ['a share, below', '20%', counts({ created: 81, failed: 19 }), false],
  ['a share, reached', '20%', counts({ created: 80, failed: 20 }), true],
  ['a share with a fraction', '2.5%', counts({ created: 975, failed: 25 }), true],
  ['a share with a fraction, below', '2.5%', counts({ created: 976, failed: 24 }), false],
  ['a share of too few rows means nothing', '20%', counts({ failed: 19 }), false],
  ['a share of just enough rows', '20%', counts({ failed: 20 }), true],
  ['all of them', '100%', counts({ failed: 50 }), true],
  ['all but one', '100%', counts({ created: 1, failed: 99 }), false],
  ['0%: nothing has failed', '0%', counts({ created: 500 }), false],
  ['0%: one has', '0%', counts({ created: 500, failed: 1 }), true],
  ['nothing has ended yet', '20%', noOutcomes(), false],
] as const)('%s', (_, stopAfter, outcomes, isOver) => {
  expect(isOverLimit(outcomes, stopAfter)).toBe(isOver);
});

test('a run whose rows all succeed is never stopped, whatever its limit', () => {
  const limit = fc.oneof(
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 0, max: 100 }).map((share) => `${share}%`),
  );
  fc.assert(
    fc.property(limit, fc.nat(1000), (stopAfter, created) => {
      expect(isOverLimit(counts({ created }), stopAfter)).toBe(false);
    }),
  );
});

test('what came since a run was taken up is the difference, outcome by outcome', () => {
  const before = counts({ created: 10, failed: 5, 'in-doubt': 2 });
  // A row that was in doubt has got its definite outcome.
  const after = counts({ created: 31, failed: 5, rejected: 1, 'in-doubt': 1 });
  expect(gained(after, before)).toEqual(counts({ created: 21, rejected: 1 }));
  expect(gained(before, before)).toEqual(noOutcomes());
});

test('once over the limit, one more row without success leaves it so', () => {
  const numbers = fc.array(fc.nat(30), { minLength: OUTCOMES.length, maxLength: OUTCOMES.length });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 0, max: 100 }), (list, share) => {
      const outcomes = counts(Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, list[i] ?? 0])));
      fc.pre(isOverLimit(outcomes, `${share}%`));
      expect(isOverLimit({ ...outcomes, failed: outcomes.failed + 1 }, `${share}%`)).toBe(true);
    }),
  );
});
