/**
 * How long attempts took, counted in memory that does not grow with them: to the millisecond below 64 ms, beyond that in steps of
 * 9 %. Good enough for a picture and for percentiles in words. Pure.
 */
import type { Latency } from '../model/digest.ts';

const EXACT = 64;
const STEPS_PER_DOUBLING = 8;
const LARGEST_POWER = 24;
const SLOTS = EXACT + (LARGEST_POWER - 6) * STEPS_PER_DOUBLING;

export function createLatencyTally() {
  const slots = new Uint32Array(SLOTS);
  let rows = 0;
  let max = 0;
  return {
    add(ms: number) {
      const slot = slotOf(ms);
      slots[slot] = (slots[slot] ?? 0) + 1;
      rows += 1;
      if (ms > max) max = ms;
    },
    /** `null` where there was no attempt. */
    latency(): Latency | null {
      if (rows === 0) return null;
      const at = (share: number) => Math.min(max, percentile(slots, rows * share));
      return { rows, p50: at(0.5), p90: at(0.9), p99: at(0.99), max, buckets: bucketsOf(slots) };
    },
  };
}

function slotOf(ms: number): number {
  if (ms < EXACT) return ms;
  const step = Math.floor((Math.log2(ms) - 6) * STEPS_PER_DOUBLING);
  return Math.min(SLOTS - 1, EXACT + step);
}

/** Where a slot begins, ms. */
function startOf(slot: number): number {
  return slot < EXACT ? slot : 2 ** (6 + (slot - EXACT) / STEPS_PER_DOUBLING);
}

function percentile(slots: Uint32Array, wanted: number): number {
  let seen = 0;
  const slot = slots.findIndex((count) => {
    seen += count;
    return seen >= wanted;
  });
  return slot < EXACT ? slot : Math.round(startOf(slot + 0.5));
}

/** Two to a doubling, from the first to the last in which there are rows. */
const EDGES: readonly number[] = [
  ...new Set([0, ...Array.from({ length: 2 * LARGEST_POWER + 1 }, (_, i) => Math.round(2 ** (i / 2)))]),
];

function bucketsOf(slots: Uint32Array): Latency['buckets'] {
  const all = EDGES.slice(0, -1).map((from, i) => ({ from, to: EDGES[i + 1] ?? from, rows: 0 }));
  slots.forEach((count, slot) => {
    const start = startOf(slot);
    // The last one takes what is longer still.
    const bucket = all.find(({ to }) => start + 0.5 < to) ?? all.at(-1);
    if (bucket !== undefined) bucket.rows += count;
  });
  const first = all.findIndex(({ rows }) => rows > 0);
  const last = all.findLastIndex(({ rows }) => rows > 0);
  return all.slice(first, last + 1);
}
