import { expect, test } from 'vitest';
import type { Outcome } from '../../src/model/outcome.ts';
import type { Told } from '../../src/model/story.ts';
import { createTimeline, stretchesOf } from '../../src/report/timeline.ts';
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

test('of a run that ended at once the rate is that of its own time', () => {
  const moments = timelineOf([0.05, 'created', 'created', 'created']).moments();
  expect(stretchesOf(moments, [])).toMatchObject([{ to: 0.05, parts: [{ value: 60 }] }]);
});

test('while a run stood still no rows came: they have come since it went on', () => {
  const wentOn: Told = { n: 1, seconds: 9, at: 0, what: 'running', words: 'went on' };
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

test('how long the service took is told to a tenth', () => {
  const timeline = createTimeline(START);
  for (let ms = 0; ms <= 1_000; ms += 1)
    timeline.add(asChunk([settled(ms + 1, 'created', { ms })], { closedAt: START + 10 * ms }));
  const latency = timeline.latency();
  expect(latency).toMatchObject({ rows: 1_001, max: 1_000 });
  for (const [told, ms] of [
    [latency?.p50, 500],
    [latency?.p90, 900],
    [latency?.p99, 990],
  ] as const)
    expect(Math.abs((told ?? 0) - ms) / ms).toBeLessThan(0.1);
});
