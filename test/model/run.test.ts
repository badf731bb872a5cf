import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/model/exit.ts';
import { noOutcomes, OUTCOMES, type OutcomeCounts, succeeded } from '../../src/model/outcome.ts';
import {
  chunksOf,
  isOver,
  pendingRows,
  RUN_STATES,
  RUN_TRANSITIONS,
  type RunState,
  rowsBefore,
  rowsOfChunk,
  runSchema,
} from '../../src/model/run.ts';

const ENDS: readonly RunState[] = ['cancelled', 'finished'];

describe('transitions', () => {
  test('only a running run is stopped by its error limit, and only from there or from queued it pauses', () => {
    const leadingTo = (to: RunState) => RUN_STATES.filter((from) => RUN_TRANSITIONS[from].includes(to));
    expect(leadingTo('stopped')).toEqual(['running']);
    expect(leadingTo('paused')).toEqual(['queued', 'running']);
    expect(leadingTo('running')).toEqual(['queued', 'paused', 'stopped']);
  });

  test('any walk along the arrows can be brought to an end, and stays there', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (choices) => {
        let state: RunState = 'queued';
        for (const choice of choices) {
          const to: readonly RunState[] = RUN_TRANSITIONS[state];
          if (ENDS.includes(state)) expect(to).toEqual([]);
          else expect(to.some((next) => ENDS.includes(next))).toBe(true);
          state = to[choice % Math.max(to.length, 1)] ?? state;
        }
      }),
    );
  });
});

describe('the exit status', () => {
  const one = (over: Partial<OutcomeCounts>): OutcomeCounts => ({ ...noOutcomes(), ...over });
  const finished = (outcomes: OutcomeCounts, rows: number) =>
    exitCodeOf({ state: 'finished', reason: null, rows, outcomes });

  test('for any finished run it follows from the counters alone', () => {
    const numbers = fc.array(fc.nat(3), { minLength: OUTCOMES.length, maxLength: OUTCOMES.length });
    fc.assert(
      fc.property(numbers, fc.integer({ min: -1, max: 1 }), (list, off) => {
        const outcomes = one(Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, list[i] ?? 0])));
        const rows = list.reduce((a, b) => a + b, 0) + off;
        const bad = OUTCOMES.some((outcome) => !succeeded(outcome) && outcomes[outcome] > 0);
        const expected = off !== 0 ? 3 : outcomes['in-doubt'] > 0 ? 5 : bad ? 1 : 0;
        expect(finished(outcomes, rows)).toBe(expected);
      }),
    );
  });

  const unfinished = RUN_STATES.filter((state) => state !== 'finished').flatMap((state) =>
    [null, ...runSchema.shape.reason.unwrap().options].map((reason) => ({
      state,
      reason,
      exitCode: reason === 'interrupted' ? 4 : 2,
    })),
  );

  test.each(unfinished)('of a $state run ($reason): $exitCode, any rows', ({ state, reason, exitCode }) => {
    for (const outcomes of [noOutcomes(), one({ created: 2 }), one({ failed: 1, 'in-doubt': 1 })]) {
      expect(exitCodeOf({ state, reason, rows: 2, outcomes })).toBe(exitCode);
    }
  });
});

test.each([
  [0, 100, 0],
  [1, 100, 1],
  [100, 100, 1],
  [101, 100, 2],
  [1_000_000, 100, 10_000],
  [3, 2, 2],
])('%i rows in chunks of %i are %i chunks', (rows, chunkRows, chunks) => {
  expect(chunksOf({ rows, chunkRows, chunkEnds: null })).toBe(chunks);
});

test('pending rows are those without an outcome', () => {
  expect(pendingRows({ rows: 10, outcomes: { ...noOutcomes(), created: 3, invalid: 2 } })).toBe(5);
});

test.each([
  [1, 100],
  [2, 100],
  [3, 50],
])('chunk %i of 250 rows has %i', (n, rows) => {
  expect(rowsOfChunk({ rows: 250, chunkRows: 100, chunkEnds: null }, n)).toBe(rows);
});

test.each(RUN_STATES)('a run that is %s is over only where nothing more happens to it', (state) => {
  expect(isOver({ state, chunks: 3, closedChunks: 3 })).toBe(ENDS.includes(state));
  // A finished run with open chunks is a defect; a cancelled one is being wound up.
  expect(isOver({ state, chunks: 3, closedChunks: 2 })).toBe(state === 'finished');
});

describe('chunks that end where groups of rows end', () => {
  const run = { rows: 250, chunkRows: 100, chunkEnds: [103, 210, 250] };
  test('are as many as it has ends', () => expect(chunksOf(run)).toBe(3));
  test.each([
    [1, 0, 103],
    [2, 103, 107],
    [3, 210, 40],
  ])('chunk %i has %i rows before it and %i of its own', (n, before, rows) => {
    expect(rowsBefore(run, n)).toBe(before);
    expect(rowsOfChunk(run, n)).toBe(rows);
  });
});
