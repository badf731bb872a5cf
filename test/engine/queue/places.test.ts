import { expect, test } from 'vitest';
import { firstsOfOthers } from '../../../src/engine/queue/chunk-worker.ts';

const ofRun = (run: string, ...numbers: readonly number[]) => numbers.map((n) => `${run}-c${n}`);

test.each([
  ['a run that has chunks in hand gets no place', ofRun('big', 9, 10), ['big'], []],
  ['one that has none gets one', ofRun('new', 1, 2), ['big'], ['new-c1']],
  ['also behind others', [...ofRun('big', 3, 4, 5), ...ofRun('new', 1)], ['big'], ['new-c1']],
  [
    'each of several gets one, in the order in which they wait',
    [...ofRun('a', 1, 2), ...ofRun('b', 1)],
    ['big'],
    ['a-c1', 'b-c1'],
  ],
  ['nobody waits: nobody gets one', [], ['big'], []],
  ['a run is told by its whole id, whatever that looks like', ofRun('run-c1', 5), ['run'], ['run-c1-c5']],
] as const)('%s', (_, waiting, inHand, firsts) => {
  expect(firstsOfOthers(waiting, new Set(inHand))).toEqual(firsts);
});
