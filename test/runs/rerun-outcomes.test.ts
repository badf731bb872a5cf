import { expect, test } from 'vitest';
import { RERUN_OUTCOMES, rerunOutcomes } from '../../src/runs/rerun-outcomes.ts';

test.each([
  [[], RERUN_OUTCOMES],
  [['failed'], ['failed']],
  [
    ['failed, rejected', 'cancelled'],
    ['rejected', 'failed', 'cancelled'],
  ],
] as const)('--only %j takes %j', (only, outcomes) => {
  expect([...rerunOutcomes(only)]).toEqual(outcomes);
});

test.each([
  ['faild', 'Did you mean "failed"?'],
  ['created', 'expected some of rejected, failed, denied, invalid, cancelled'],
  ['in-doubt', '`onboard resolve` settles them first'],
  ['', 'expected some of'],
])('--only "%s" is refused', (name, hint) => {
  expect(() => rerunOutcomes([`failed,${name}`])).toThrow(hint);
});
