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
