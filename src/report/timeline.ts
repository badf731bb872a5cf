/**
 * How a run went over time, and how long the service took, in slots that double where there are too
 * many: memory doesn't grow with the run. A row counts when its chunk was closed. Pure.
 */
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

type Slot = { readonly rows: Map<Outcome, number>; readonly times: Times };

export function createTimeline(startedAt: number) {
  let slotMs = FIRST_SLOT_MS;
  let slots = new Map<number, Slot>();
  let lastMs = 1;
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
        if (attempts > 0) addTime(times, ms);
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
          took: within(times),
        })),
    /** `null`: there was no attempt. */
    latency(): Latency | null {
      const all = noTimes();
      for (const { times } of slots.values()) addTimes(all, times);
      const took = within(all);
      return took === null ? null : { rows: all.count, ...took, max: all.max };
    },
  };
}

function halved(slots: ReadonlyMap<number, Slot>): Map<number, Slot> {
  const fewer = new Map<number, Slot>();
  for (const [at, slot] of slots) {
    const into = fewer.get(at >> 1) ?? { rows: new Map(), times: noTimes() };
    fewer.set(at >> 1, into);
    for (const [outcome, rows] of slot.rows) into.rows.set(outcome, (into.rows.get(outcome) ?? 0) + rows);
    addTimes(into.times, slot.times);
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

const STEPS_PER_DOUBLING = 8;
const STEPS = 24 * STEPS_PER_DOUBLING;

/** How many attempts took how long, in steps of 9 %. */
type Times = { readonly steps: Uint32Array; count: number; max: number };

function noTimes(): Times {
  return { steps: new Uint32Array(STEPS), count: 0, max: 0 };
}

function addTime(times: Times, ms: number): void {
  const at = Math.min(STEPS - 1, Math.floor(Math.log2(Math.max(1, ms)) * STEPS_PER_DOUBLING));
  times.steps[at] = (times.steps[at] ?? 0) + 1;
  times.count += 1;
  times.max = Math.max(times.max, ms);
}

function addTimes(times: Times, others: Times): void {
  times.steps.set(times.steps.map((n, step) => n + (others.steps[step] ?? 0)));
  times.count += others.count;
  times.max = Math.max(times.max, others.max);
}

function within({ steps, count: all, max }: Times): Moment['took'] {
  if (all === 0) return null;
  const at = (share: number) => {
    let seen = 0;
    const step = steps.findIndex((n) => {
      seen += n;
      return seen >= all * share;
    });
    return Math.min(max, Math.round(2 ** ((step + 0.5) / STEPS_PER_DOUBLING)));
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
