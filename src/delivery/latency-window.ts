/** What answers took lately, ms: a quarter of them less than `ms`; over `lastedMs`. */
export type LatencyWindow = { readonly ms: number; readonly lastedMs: number };

const WINDOW_MS = 250;
const WINDOW_SAMPLES = 32;
/** So that a moment in which this process stood still, with many answers coming at its end, is one of many. */
const SLOT_MS = 8;
const SLOT_SAMPLES = 4;

/** Gathers what answers take over a quarter of a second or more, of requests that were begun within it. */
export function createLatencyWindow() {
  let samples: number[] = [];
  let from: number | null = null;
  let begunSince = Number.NEGATIVE_INFINITY;
  let slotEndsAt = Number.NEGATIVE_INFINITY;
  let inSlot = 0;
  const isTaken = (now: number): boolean => {
    if (now >= slotEndsAt) [slotEndsAt, inSlot] = [now + SLOT_MS, 0];
    inSlot += 1;
    return inSlot <= SLOT_SAMPLES;
  };
  return {
    /** `null`: it is not full yet. */
    add(now: number, tookMs: number): LatencyWindow | null {
      // What was begun before, perhaps under another limit, says nothing of this one.
      if (now - tookMs < begunSince || !isTaken(now)) return null;
      samples.push(tookMs);
      from ??= now;
      if (samples.length < WINDOW_SAMPLES || now - from < WINDOW_MS) return null;
      const sorted = samples.toSorted((a, b) => a - b);
      const lastedMs = now - from;
      samples = [];
      [from, begunSince] = [now, now];
      // Those that were held up on the way, or here, don't move the lower quartile.
      return { ms: sorted[Math.floor(sorted.length / 4)] ?? 0, lastedMs };
    },
  };
}
