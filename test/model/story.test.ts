import { describe, expect, test } from 'vitest';
import { type Happening, tellStory } from '../../src/model/story.ts';

describe('the story', () => {
  const startedAt = '2026-11-21T11:00:00.000Z';
  const start = Date.parse(startedAt);
  const happening = (seconds: number, what: Happening['what'], why = '', by = ''): Happening => ({
    at: start + seconds * 1_000,
    what,
    why,
    by,
  });

  test('is numbered and in words, in the order of its times', () => {
    const story = [
      happening(-1, 'registered', '', 'ops-2'),
      happening(0, 'began'),
      happening(10, 'paused', 'lunch', 'ops-1'),
      happening(60, 'ended'),
      happening(20, 'resumed'),
      happening(30, 'service-away', 'connection refused'),
    ];
    expect(tellStory({ startedAt }, story).map(({ n, seconds, words }) => [n, seconds, words])).toEqual([
      [1, 0, 'registered by ops-2'],
      [2, 0, 'began'],
      [3, 10, 'paused by ops-1: lunch'],
      [4, 20, 'went on'],
      [5, 30, 'the service is away: connection refused'],
      [6, 60, 'ended'],
    ]);
  });

  test('of a run that has not begun says who registered it', () => {
    const told = tellStory({ startedAt: null }, [happening(-1, 'registered', '', 'ops-2')]);
    expect(told.map(({ seconds, words }) => [seconds, words])).toEqual([[0, 'registered by ops-2']]);
  });
});
