import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startRedisNode } from './redis-node.ts';

/*
 * The Redis of the flows: one server for each of vitest's workers, so that one file has it at a time, and a database in it
 * for each flow. It keeps everything as the program wants it, and lives as long as the tests: starting one for every flow
 * took longer than most of them. What is about a server's life or settings starts its own (`startRedisServer`).
 */

declare module 'vitest' {
  interface ProvidedContext {
    readonly flowRedis: readonly number[];
  }
}

const DATABASES = 10_000;
// A rewrite would take time from whichever test is under way.
const LINES = [`databases ${DATABASES}`, 'auto-aof-rewrite-percentage 0'];
/** In the first database: how many were taken. */
const TAKEN = 'taken';

/** A database that nobody else uses; `empty` gives its room back. */
export type FlowRedis = { readonly url: string; empty(): Promise<void> };

/** The next database of this worker's server. */
export async function takeDatabase(): Promise<FlowRedis> {
  const ports = inject('flowRedis');
  const port = ports[Number(process.env.VITEST_POOL_ID ?? 1) % ports.length];
  if (port === undefined)
    throw new Error('the configuration of the tests has no flow-redis.ts as globalSetup');
  const taken = await ask(port, 0, (redis) => redis.incr(TAKEN));
  if (taken >= DATABASES) throw new Error(`more than ${DATABASES} flows`);
  return {
    url: `redis://127.0.0.1:${port}/${taken}`,
    async empty() {
      await ask(port, taken, (redis) => redis.flushdb());
    },
  };
}

async function ask<T>(port: number, db: number, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(port, '127.0.0.1', { db });
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

/** Vitest's `globalSetup`: starts the servers, and answers how to end them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ends: Array<() => Promise<void>> = [];
  const workers = Array.from({ length: project.vitest.config.maxWorkers ?? 1 });
  const nodes = await Promise.all(
    workers.map(() => startRedisNode({ lines: LINES }, (end) => void ends.push(end))),
  );
  project.provide(
    'flowRedis',
    nodes.map(({ port }) => port),
  );
  return async () => {
    for (const end of ends) await end();
  };
}
