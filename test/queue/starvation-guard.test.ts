import { describe, expect, test } from 'vitest';
import { chooseStarved } from '../../src/queue/starvation-guard.ts';

const ofRun = (run: string, ...numbers: readonly number[]) => numbers.map((n) => `${run}-c${n}`);

describe('with all places taken', () => {
  test.each([
    ['a run alone gets no more', ofRun('big', 9, 10), ofRun('big', 1, 2, 3, 4, 5, 6, 7, 8), []],
    ['a run of which nothing is in hand gets one', ofRun('new', 1, 2), ofRun('big', 1, 2), ['new-c1']],
    ['also behind others', [...ofRun('big', 3, 4, 5), ...ofRun('new', 1)], ofRun('big', 1, 2), ['new-c1']],
    [
      'a run with one in hand gets another',
      ofRun('new', 2, 3),
      [...ofRun('big', 1, 2), 'new-c1'],
      ['new-c2'],
    ],
    ['and no third', ofRun('new', 3), [...ofRun('big', 1, 2), ...ofRun('new', 1, 2)], []],
    ['nobody waits: nobody gets one', [], ofRun('big', 1, 2), []],
  ] as const)('%s', (_, waiting, inHand, starved) => {
    expect(chooseStarved(waiting, inHand, 10)).toEqual(starved);
  });

  test('each of many new runs gets one, in the order in which they wait', () => {
    const waiting = [...ofRun('a', 1, 2), ...ofRun('b', 1), ...ofRun('c', 1)];
    expect(chooseStarved(waiting, ofRun('big', 1, 2), 10)).toEqual(['a-c1', 'b-c1', 'c-c1']);
  });

  test('runs that have nothing in hand come first where there is not room for all', () => {
    const waiting = [...ofRun('a', 2), ...ofRun('b', 1), ...ofRun('c', 1)];
    expect(chooseStarved(waiting, [...ofRun('big', 1, 2), 'a-c1'], 2)).toEqual(['b-c1', 'c-c1']);
  });

  test('a run is told by its whole id, whatever that looks like', () => {
    expect(chooseStarved(ofRun('run-c1', 5), ofRun('run', 1, 2), 1)).toEqual(['run-c1-c5']);
  });
});
