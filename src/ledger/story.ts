/**
 * What happened to a run, for people who look. No number of a report comes from here, and a lost
 * story is not put back.
 */
import type { RedisConnection } from '../lib/redis-connection.ts';
import { type Happening, happeningSchema } from '../model/story.ts';
import type { LedgerKeys, RunKeys } from './keys.ts';

const STORY_LENGTH = 500;

export function storyLine(happening: Happening): string {
  return JSON.stringify(happening);
}

export async function addToStory(redis: RedisConnection, k: RunKeys, happening: Happening): Promise<void> {
  await redis.multi().rpush(k.story, storyLine(happening)).ltrim(k.story, -STORY_LENGTH, -1).exec();
}

/** Oldest first; unknown events are left out. */
export async function readStory(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: string,
): Promise<readonly Happening[]> {
  const story = await redis.lrange(keys.run(run).story, 0, -1);
  return story.flatMap((text) => happeningSchema.safeParse(parsed(text)).data ?? []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
