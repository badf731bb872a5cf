import { describe, expect, test } from 'vitest';
import { type Happening, ratesOf, tellStory } from '../../src/model/history.ts';
import { noOutcomes } from '../../src/model/outcome.ts';

const sample = (ms: number, created: number, rejected = 0) => ({
  ms,
  outcomes: { ...noOutcomes(), created, rejected },
});

describe('rows per second', () => {
  test('are what each outcome gained in the time since the sample before', () => {
    expect(ratesOf([sample(2_000, 10), sample(4_000, 14, 6), sample(9_000, 14, 6)])).toEqual([
      { from: 0, to: 2, rates: [{ outcome: 'created', perSecond: 5 }] },
      {
        from: 2,
        to: 4,
        rates: [
          { outcome: 'created', perSecond: 2 },
          { outcome: 'rejected', perSecond: 3 },
        ],
      },
      { from: 4, to: 9, rates: [] },
    ]);
  });

  test('never fall below none where rows change their outcome', () => {
    expect(ratesOf([sample(1_000, 0, 5), sample(2_000, 5, 0)]).at(-1)).toEqual({
      from: 1,
      to: 2,
      rates: [{ outcome: 'created', perSecond: 5 }],
    });
  });

  test('of a long run are drawn together, and none of its rows is left out', () => {
    const pulse = Array.from({ length: 1_500 }, (_, i) => sample((i + 1) * 1_000, i + 1));
    const stretches = ratesOf(pulse);
    expect(stretches.length).toBeLessThanOrEqual(161);
    expect(stretches.at(-1)?.to).toBe(1_500);
    const rows = stretches.reduce(
      (sum, { from, to, rates }) => sum + (rates[0]?.perSecond ?? 0) * (to - from),
      0,
    );
    expect(Math.round(rows)).toBe(1_500);
  });

  test('of a run that ended at once are told', () => {
    expect(ratesOf([sample(50, 3)])).toEqual([
      { from: 0, to: 0.05, rates: [{ outcome: 'created', perSecond: 60 }] },
    ]);
  });
});

describe('the story', () => {
  const startedAt = '2026-11-21T11:00:00.000Z';
  const start = Date.parse(startedAt);
  const happening = (seconds: number, what: Happening['what'], why = '', by = ''): Happening => ({
    at: start + seconds * 1_000,
    what,
    why,
    by,
  });

  test('is numbered and in words, with its end where nobody told it', () => {
    const run = { startedAt, finishedAt: '2026-11-21T11:01:00.000Z', state: 'finished' } as const;
    const story = [
      happening(0, 'running'),
      happening(10, 'paused', 'lunch', 'ops-1'),
      happening(20, 'running'),
      happening(30, 'service-away', 'connection refused'),
    ];
    expect(tellStory(run, story).map(({ n, seconds, words }) => [n, seconds, words])).toEqual([
      [1, 0, 'began'],
      [2, 10, 'paused by ops-1: lunch'],
      [3, 20, 'went on'],
      [4, 30, 'the service is away: connection refused'],
      [5, 60, 'finished'],
    ]);
    expect(tellStory(run, [happening(60, 'finished')])).toHaveLength(1);
  });

  test('of a run that has not begun is empty', () => {
    expect(tellStory({ startedAt: null, finishedAt: null, state: 'queued' }, [])).toEqual([]);
  });
});
