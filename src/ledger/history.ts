/**
 * A run's history in Redis (model/history.ts): written at most once a second or where something happens, never on a row's way, and with
 * nothing to be put back where it is lost. Counters are kept as they stand, so that a sample lost or written twice harms nothing.
 */
import type { RedisConnection } from '../lib/redis-connection.ts';
import {
  type Happening,
  type History,
  happeningSchema,
  type LatencySlot,
  latestSlots,
  type Sample,
  slotOf,
} from '../model/history.ts';
import { noOutcomes, OUTCOMES } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import type { LedgerKeys, RunKeys } from './keys.ts';

const STORY_LENGTH = 500;

/** Keeps the run's counters as they stand at that time; a run that has not begun has none. */
export async function keepPulse(
  redis: RedisConnection,
  k: RunKeys,
  { startedAt, outcomes }: Pick<Run, 'startedAt' | 'outcomes'>,
  now: number,
): Promise<void> {
  if (startedAt === null) return;
  const ms = Math.max(0, now - Date.parse(startedAt));
  const counts = OUTCOMES.map((outcome) => outcomes[outcome]);
  await redis.hset(k.pulse, String(slotOf(ms / 1000)), [ms, ...counts].join(' '));
}

/** An event as the list has it. */
export function storyLine(happening: Happening): string {
  return JSON.stringify(happening);
}

/** Adds an event to the run's story, of which the latest are kept. */
export async function addToStory(redis: RedisConnection, k: RunKeys, happening: Happening): Promise<void> {
  await redis.multi().rpush(k.story, storyLine(happening)).ltrim(k.story, -STORY_LENGTH, -1).exec();
}

/** As many as a small picture has room for. */
const LATEST = 60;

/** The latest samples of a run that has been going for so many seconds, oldest first. */
export async function readPulse(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: string,
  seconds: number,
): Promise<readonly Sample[]> {
  const texts = await redis.hmget(keys.run(run).pulse, ...latestSlots(seconds, LATEST).map(String));
  return texts.flatMap((text) => (text === null ? [] : [sampleOf(text)])).sort((a, b) => a.ms - b.ms);
}

/** Oldest first; an event that this version does not know is left out. */
export async function readHistory(redis: RedisConnection, keys: LedgerKeys, run: string): Promise<History> {
  const k = keys.run(run);
  const [pulse, story] = await Promise.all([redis.hvals(k.pulse), redis.lrange(k.story, 0, -1)]);
  return {
    pulse: pulse.map(sampleOf).sort((a, b) => a.ms - b.ms),
    story: story.flatMap((text) => happeningSchema.safeParse(parsed(text)).data ?? []),
  };
}

function sampleOf(text: string): Sample {
  const [ms = 0, ...counts] = text.split(' ').map(Number);
  const outcomes = noOutcomes();
  OUTCOMES.forEach((outcome, i) => {
    outcomes[outcome] = counts[i] ?? 0;
  });
  return { ms, outcomes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a worker's attempts of the last seconds came to: how many by step of time, and by status. */
export type Attempts = {
  readonly counts: readonly number[];
  readonly statuses: ReadonlyMap<string, number>;
};

const STATUS = 's';
/** What every attempt should come to is not kept apart. */
const USUAL_STATUS = '200';

/** Adds attempts to the run's slot of that second after its start, to what other workers have added. */
export async function addAttempts(
  redis: RedisConnection,
  k: RunKeys,
  seconds: number,
  { counts, statuses }: Attempts,
): Promise<void> {
  const slot = slotOf(seconds);
  const adding = redis.pipeline();
  counts.forEach((count, step) => {
    if (count > 0) adding.hincrby(k.latency, `${slot}:${step}`, count);
  });
  for (const [status, count] of statuses)
    if (count > 0 && status !== USUAL_STATUS) adding.hincrby(k.latency, `${slot}:${STATUS}${status}`, count);
  await adding.exec();
}

/** In the order of time. */
export async function readAttempts(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: string,
): Promise<readonly LatencySlot[]> {
  const slots = new Map<number, { readonly counts: number[]; readonly statuses: Map<string, number> }>();
  for (const [field, value] of Object.entries(await redis.hgetall(keys.run(run).latency))) {
    const [slot = '', what = ''] = field.split(':');
    const found = slots.get(Number(slot)) ?? { counts: [], statuses: new Map<string, number>() };
    slots.set(Number(slot), found);
    if (what.startsWith(STATUS)) found.statuses.set(what.slice(STATUS.length), Number(value));
    else found.counts[Number(what)] = Number(value);
  }
  return [...slots]
    .sort(([a], [b]) => a - b)
    .map(([slot, { counts, statuses }]) => ({
      slot,
      counts: Array.from(counts, (count) => count ?? 0),
      statuses,
    }));
}
