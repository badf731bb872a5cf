import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChunkJob } from '../../../src/engine/queue/chunk-job.ts';
import { joinEmbeddedRedis } from '../../../src/engine/redis/embedded.ts';

export const PREFIX = 'onboard:{t}:queue';

/** Chunk 1 of run-1, of one row. */
export const CHUNK: ChunkJob = {
  run: 'run-1',
  chunk: 1,
  rows: [{ row: { kind: 'cells', row: 1, line: 2, cells: ['K1'] }, claim: { kind: 'claimed' } }],
};

/** A server that one test may stop, beside those of concurrent ones; `leave` ends it. */
export async function ownServer() {
  const home = await mkdtemp(join(tmpdir(), 'onboard-worker-'));
  const server = await joinEmbeddedRedis(home);
  const leave = async () => {
    await server.close();
    await rm(home, { recursive: true, force: true });
  };
  return { home, server, leave };
}
