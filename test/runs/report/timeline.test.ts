import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { Told } from '../../../src/model/story.ts';
import { createTimeline, stretchesOf } from '../../../src/runs/report/timeline.ts';
import { asChunk, settled } from './make-report.ts';

const START = 1_000_000;

/** `closed`: so many seconds after the start. */
function timelineOf(...closed: ReadonlyArray<readonly [seconds: number, ...outcomes: readonly Outcome[]]>) {
  const timeline = createTimeline(START);
  for (const [seconds, ...outcomes] of closed) {
    const rows = outcomes.map((outcome, i) => settled(i + 1, outcome, { ms: 10 * (i + 1) }));
    timeline.add(asChunk(rows, { closedAt: START + 1_000 * seconds }));
  }
  return timeline;
}

test('rows count when their chunk was closed, whichever came first, and have come since the moment before', () => {
  const timeline = timelineOf([2.1, 'created', 'created', 'rejected'], [0.3, 'created']);
  timeline.add(asChunk([settled(9, 'created')], { closedAt: null }));
  const moments = timeline.moments();
  expect(moments).toMatchObject([
    { from: 0, to: 1, rows: { created: 1 }, took: { p50: 10 } },
    { from: 2, to: 3, rows: { created: 2, rejected: 1 }, took: { p50: 20, p99: 30 } },
  ]);
  expect(stretchesOf(moments, [])).toEqual([
    { from: 0, to: 1, parts: [{ kind: 'created', value: 1 }] },
    {
      from: 1,
      to: 3,
      parts: [
        { kind: 'created', value: 1 },
        { kind: 'rejected', value: 0.5 },
      ],
    },
  ]);
});

test('while a run stood still no rows came: they have come since it went on', () => {
  const wentOn: Told = { n: 1, seconds: 9, at: 0, what: 'resumed', words: 'went on' };
  const moments = timelineOf([1, 'created'], [10, 'created']).moments();
  expect(stretchesOf(moments, [wentOn]).map(({ from, to }) => [from, to])).toEqual([
    [0, 2],
    [9, 11],
  ]);
});

test('a run of any length has a bounded number of moments, and none of its rows is left out', () => {
  const day = 86_400;
  const timeline = timelineOf(
    ...Array.from({ length: 5_000 }, (_, i) => [(i * 30 * day) / 5_000, 'created'] as const),
  );
  const moments = timeline.moments();
  expect(moments.length).toBeGreaterThan(80);
  expect(moments.length).toBeLessThanOrEqual(160);
  expect(moments.reduce((sum, { rows }) => sum + (rows.created ?? 0), 0)).toBe(5_000);
  expect(moments.at(-1)?.to).toBeGreaterThan(29 * day);
});

test('how long the service took is a time that some row took, in each moment and in all, to three digits', () => {
  const timeline = createTimeline(START);
  const add = (seconds: number, ...times: readonly number[]) => {
    const rows = times.map((ms, i) => settled(i + 1, 'created', { ms }));
    timeline.add(asChunk(rows, { closedAt: START + 1_000 * seconds }));
  };
  add(0, 0, 300, 300, 300);
  add(1, 1_000, 1_000, 1_000, 30_049);
  expect(timeline.moments()).toMatchObject([
    { took: { rows: 4, p50: 300, p90: 300, p99: 300, max: 300 } },
    { took: { rows: 4, p50: 1_000, p90: 30_000, p99: 30_000, max: 30_000 } },
  ]);
  // As many on either side, and of a thousand the one that a hundred are above.
  expect(timeline.latency()).toMatchObject({ rows: 8, p50: 300, max: 30_000 });
  const even = createTimeline(START);
  for (let ms = 0; ms < 1_000; ms += 1)
    even.add(asChunk([settled(ms + 1, 'created', { ms })], { closedAt: START + 1_000 * ms }));
  expect(even.latency()).toEqual({ rows: 1_000, p50: 499, p90: 899, p99: 989, max: 999 });
});
