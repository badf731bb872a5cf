import { expect, test } from 'vitest';
import { cannotGoOn } from '../../src/cli/control.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { sampleRun } from './sample-run.ts';

const NOTHING = 'Nothing is left to be done; `onboard report r` shows it.';

test.each([
  ['finished', { created: 9, skipped: 1 }, NOTHING],
  ['finished', { created: 9, rejected: 1 }, '`onboard rerun r` takes up the rows that did not succeed.'],
  ['finished', { created: 9, 'in-doubt': 1 }, '`onboard resolve r` settles its rows in doubt.'],
  [
    'cancelled',
    { created: 9 },
    '`onboard cancel r` winds it up; then `onboard rerun r --only cancelled` takes',
  ],
  ['cancelled', { created: 9, cancelled: 1 }, 'go on. `onboard rerun r --only cancelled` takes up what was'],
  ['cancelled', { created: 10 }, NOTHING],
] as const)('a run that is %s with %j: what is left to be done is named', (state, counts, words) => {
  const outcomes = { ...noOutcomes(), ...counts };
  expect(cannotGoOn(sampleRun({ id: 'r', state, outcomes }))).toContain(words);
});
