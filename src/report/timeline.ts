/**
 * How a run went over time, and how long the service took, in slots that double where there are too
 * many: memory doesn't grow with the run. A row counts when its chunk was closed. Pure.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { z } from 'zod';
import { OUTCOMES, type Outcome, outcomeSchema } from '../model/outcome.ts';
import type { SettledChunk } from '../model/settlement.ts';
import type { Told } from '../model/story.ts';

const count = z.number().int().nonnegative();

/** What ended between two moments (s since the start), and how long it took, ms. */
export const momentSchema = z.object({
  from: z.number().nonnegative(),
  to: z.number().positive(),
  rows: z.partialRecord(outcomeSchema, count),
  took: z.object({ p50: count, p90: count, p99: count }).nullable(),
});
type Moment = z.infer<typeof momentSchema>;

export const latencySchema = z.object({
  rows: count,
  p50: count,
  p90: count,
  p99: count,
  max: count,
});
export type Latency = z.infer<typeof latencySchema>;

/** A chunk has up to a hundred rows: in shorter slots rates would jump. */
const FIRST_SLOT_MS = 1_000;
/** As many as a picture has room for. */
const MOST_SLOTS = 160;

type Slot = { readonly rows: Map<Outcome, number>; readonly times: RecordableHistogram };

export function createTimeline(startedAt: number) {
  let slotMs = FIRST_SLOT_MS;
  let slots = new Map<number, Slot>();
  let lastMs = 1;
  let longestMs = 0;
  const slotAt = (ms: number): Slot => {
    while (ms >= MOST_SLOTS * slotMs) {
      slots = halved(slots);
      slotMs *= 2;
    }
    const at = Math.floor(ms / slotMs);
    const slot = slots.get(at) ?? { rows: new Map(), times: noTimes() };
    slots.set(at, slot);
    return slot;
  };
  return {
    /** The rows of an open chunk have no time yet. */
    add({ closedAt, settlements }: SettledChunk) {
      if (closedAt === null) return;
      const afterMs = Math.max(0, closedAt - startedAt);
      const { rows, times } = slotAt(afterMs);
      lastMs = Math.max(lastMs, afterMs);
      for (const { outcome, attempts, ms } of settlements) {
        rows.set(outcome, (rows.get(outcome) ?? 0) + 1);
        if (attempts === 0) continue;
        times.record(Math.max(1, Math.min(ms, LONGEST_MS)));
        longestMs = Math.max(longestMs, ms);
      }
    },
    moments: (): readonly Moment[] =>
      [...slots]
        .sort(([a], [b]) => a - b)
        .map(([at, { rows, times }]) => ({
          from: (at * slotMs) / 1000,
          // A run shorter than a slot has its own end.
          to: (slots.size === 1 ? lastMs : (at + 1) * slotMs) / 1000,
          rows: Object.fromEntries(rows),
          took: times.count === 0 ? null : shares(times, longestMs),
        })),
    /** `null`: there was no attempt. */
    latency(): Latency | null {
      const all = noTimes();
      for (const { times } of slots.values()) all.add(times);
      if (all.count === 0) return null;
      return { rows: all.count, ...shares(all, longestMs), max: longestMs };
    },
  };
}

function halved(slots: ReadonlyMap<number, Slot>): Map<number, Slot> {
  const fewer = new Map<number, Slot>();
  for (const [at, slot] of slots) {
    const into = fewer.get(at >> 1) ?? { rows: new Map(), times: noTimes() };
    fewer.set(at >> 1, into);
    for (const [outcome, rows] of slot.rows) into.rows.set(outcome, (into.rows.get(outcome) ?? 0) + rows);
    into.times.add(slot.times);
  }
  return fewer;
}

export type Stretch = ReturnType<typeof stretchesOf>[number];

/** A moment's rows came since the one before, or since the run went on. */
export function stretchesOf(moments: readonly Moment[], story: readonly Told[]) {
  const resumed = story.filter(({ what }) => what === 'running').map(({ seconds }) => seconds);
  return moments.map((moment, i) => {
    const before = moments[i - 1]?.to ?? 0;
    const from = Math.max(before, ...resumed.filter((at) => at <= moment.from));
    /** Rows per second. */
    const parts = OUTCOMES.flatMap((kind) => {
      const rows = moment.rows[kind] ?? 0;
      return rows === 0 ? [] : [{ kind, value: rows / (moment.to - from) }];
    });
    return { from, to: moment.to, parts };
  });
}

const LONGEST_MS = 3_600_000;

/** To a hundredth. */
function noTimes(): RecordableHistogram {
  return createHistogram({ highest: LONGEST_MS, figures: 2 });
}

/** The histogram rounds up. */
function shares(times: RecordableHistogram, longestMs: number): NonNullable<Moment['took']> {
  const within = (share: number) => Math.min(longestMs, times.percentile(share));
  return { p50: within(50), p90: within(90), p99: within(99) };
}
