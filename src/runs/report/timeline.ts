/**
 * How a run went over time, and how long the service took, in slots that double where there are too
 * many: memory doesn't grow with the run. A row counts when its chunk was closed. Pure.
 */
import { z } from 'zod';
import { OUTCOMES, type Outcome, outcomeSchema } from '../../model/outcome.ts';
import type { SettledChunk } from '../../model/settlement.ts';
import type { Told } from '../../model/story.ts';

const count = z.number().int().nonnegative();

export const latencySchema = z.object({
  rows: count,
  p50: count,
  p90: count,
  p99: count,
  max: count,
});
export type Latency = z.infer<typeof latencySchema>;

/** What ended between two moments (s since the start), and how long it took, ms. */
export const momentSchema = z.object({
  from: z.number().nonnegative(),
  to: z.number().positive(),
  rows: z.partialRecord(outcomeSchema, count),
  took: latencySchema.nullable(),
});
type Moment = z.infer<typeof momentSchema>;

/** A chunk has up to a hundred rows: in shorter slots rates would jump. */
const FIRST_SLOT_MS = 1_000;
/** As many as a picture has room for. */
const MOST_SLOTS = 160;

/** How many rows took so many ms. */
type Times = Map<number, number>;
type Slot = { readonly rows: Map<Outcome, number>; readonly times: Times };

export function createTimeline(startedAt: number) {
  let slotMs = FIRST_SLOT_MS;
  let slots = new Map<number, Slot>();
  const slotAt = (ms: number): Slot => {
    while (ms >= MOST_SLOTS * slotMs) {
      slots = halved(slots);
      slotMs *= 2;
    }
    const at = Math.floor(ms / slotMs);
    const slot = slots.get(at) ?? { rows: new Map(), times: new Map() };
    slots.set(at, slot);
    return slot;
  };
  return {
    /** The rows of an open chunk have no time yet. */
    add({ closedAt, settlements }: SettledChunk) {
      if (closedAt === null) return;
      const afterMs = Math.max(0, closedAt - startedAt);
      const { rows, times } = slotAt(afterMs);
      for (const { outcome, attempts, ms } of settlements) {
        add(rows, outcome, 1);
        if (attempts > 0) add(times, threeDigits(ms), 1);
      }
    },
    moments: (): readonly Moment[] =>
      [...slots]
        .sort(([a], [b]) => a - b)
        .map(([at, { rows, times }]) => ({
          from: (at * slotMs) / 1000,
          to: ((at + 1) * slotMs) / 1000,
          rows: Object.fromEntries(rows),
          took: latencyOf(times),
        })),
    /** `null`: there was no attempt. */
    latency(): Latency | null {
      const all: Times = new Map();
      for (const { times } of slots.values()) for (const [ms, n] of times) add(all, ms, n);
      return latencyOf(all);
    },
  };
}

function add<Kind>(counts: Map<Kind, number>, kind: Kind, n: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + n);
}

function halved(slots: ReadonlyMap<number, Slot>): Map<number, Slot> {
  const fewer = new Map<number, Slot>();
  for (const [at, { rows, times }] of slots) {
    const into = fewer.get(at >> 1) ?? { rows: new Map(), times: new Map() };
    fewer.set(at >> 1, into);
    for (const [outcome, n] of rows) add(into.rows, outcome, n);
    for (const [ms, n] of times) add(into.times, ms, n);
  }
  return fewer;
}

export type Stretch = ReturnType<typeof stretchesOf>[number];

/** A moment's rows came since the one before, or since the run went on. */
export function stretchesOf(moments: readonly Moment[], story: readonly Told[]) {
  const resumed = story.filter(({ what }) => what === 'resumed').map(({ seconds }) => seconds);
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

/** More are not shown, and so few times are different ones. */
function threeDigits(ms: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(ms)) - 2);
  return Math.round(ms / step) * step;
}

/** Each time is one that a row took; `null`: there is none. */
function latencyOf(times: Times): Latency | null {
  let rows = 0;
  const upTo = [...times]
    .sort(([a], [b]) => a - b)
    .map(([ms, n]) => {
      rows += n;
      return { ms, rows };
    });
  const within = (share: number) => upTo.find((one) => 100 * one.rows >= share * rows)?.ms ?? 0;
  return rows === 0
    ? null
    : { rows, p50: within(50), p90: within(90), p99: within(99), max: upTo.at(-1)?.ms ?? 0 };
}
