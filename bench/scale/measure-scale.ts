import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Bench } from '../bench.ts';
import { startRedis } from '../redis.ts';
import { median } from '../samples.ts';
import { beatCost } from './beat-cost.ts';
import { bytesPerKey } from './key-bytes.ts';
import { askRedis, clientCommandsPerRow } from './redis-usage.ts';
import { HASH_SETTINGS, type ScaleResults, type Together } from './scale-results.ts';
import { runAtOnce, workTogether } from './work-together.ts';

const WORKERS = [1, 2, 4, 8];
const MEMBERS = [10, 100, 1_000];
const KEYS = { embedded: [100_000, 1_000_000], default: [100_000] } as const;
const KEYS_IF_QUICK = [20_000];

/** Everything of scale.json but where and when. */
type Scale = Omit<ScaleResults, 'measuredAt' | 'command' | 'machine'>;

export async function measureScale(bench: Bench): Promise<Scale> {
  const together: Together[] = [];
  for (const workers of WORKERS) together.push(await workTogether(bench, workers));
  const busy = await runAtOnce(bench);
  const fsync = await fsyncMicros(await bench.folder('fsync'));
  return {
    together,
    busy,
    clientCommandsPerRow: await clientCommandsPerRow(bench),
    beats: await beatCosts(bench),
    fsyncMicros: fsync,
    keys: await keyCosts(bench),
  };
}

async function beatCosts(bench: Bench): Promise<ScaleResults['beats']> {
  const costs: ScaleResults['beats'] = [];
  for (const members of MEMBERS)
    costs.push(await onEmptyRedis(bench, 'embedded', (redis) => beatCost(redis, members)));
  bench.tell(`  signs of life: ${JSON.stringify(costs)}`);
  return costs;
}

async function keyCosts(bench: Bench): Promise<ScaleResults['keys']> {
  const costs: ScaleResults['keys'] = [];
  for (const settings of HASH_SETTINGS) {
    for (const keys of bench.options.isQuick ? KEYS_IF_QUICK : KEYS[settings]) {
      const bytes = await onEmptyRedis(bench, settings, (redis) => bytesPerKey(redis, keys));
      costs.push({ settings, keys, bytesPerKey: bytes });
      bench.tell(`  ${keys} keys, ${settings}: ${bytes.toFixed(1)} bytes each`);
    }
  }
  return costs;
}

/** As src/redis/start-server.ts has them; by the names of Redis 7. */
const COMPACT = { 'hash-max-listpack-entries': 512, 'hash-max-listpack-value': 128 };

async function onEmptyRedis<T>(
  bench: Bench,
  settings: (typeof HASH_SETTINGS)[number],
  measure: (redis: Redis) => Promise<T>,
): Promise<T> {
  const server = await startRedis(bench);
  const redis = askRedis(server.url);
  try {
    if (settings === 'embedded')
      for (const [name, value] of Object.entries(COMPACT)) await redis.config('SET', name, value);
    return await measure(redis);
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

const WRITES = 200;
/** About what the intents of a moment take in the journal. */
const WRITE_BYTES = 4_096;

/** How long a small append takes to reach the disk of a folder, median, µs. */
async function fsyncMicros(folder: string): Promise<number> {
  const file = await open(join(folder, 'fsync'), 'w');
  const block = Buffer.alloc(WRITE_BYTES, 1);
  const times: number[] = [];
  try {
    for (let n = 0; n < WRITES; n += 1) {
      const from = performance.now();
      await file.write(block);
      await file.datasync();
      times.push((performance.now() - from) * 1000);
    }
  } finally {
    await file.close();
  }
  return median(times);
}
