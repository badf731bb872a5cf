import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { Started } from '../../support/flow.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';
import { type Kill, keepProcess, killLoop } from '../support/killing.ts';
import { createDice } from '../support/seed.ts';

/** The naive programs under test/faults/naive/. */
export type NaiveWorker = 'chunk-from-start' | 'done-mark';

const CHUNK_ROWS = 100;
const PROCESSES = ['token-a', 'token-b'] as const;

/** Takes rows through two naive workers that are killed again and again, and answers what the service saw. */
export async function runNaiveWorkers(options: {
  readonly worker: NaiveWorker;
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
}): Promise<{ readonly stats: ReturnType<Sandbox['stats']>; readonly kills: readonly Kill[] }> {
  const sandbox = await startSandbox({ tokens: PROCESSES, faults: ['latency=100ms±50ms'] });
  onTestFinished(sandbox.close);
  const { url } = await startRedisServer();
  const queue = new Queue('naive', { connection: { url } });
  onTestFinished(() => queue.close());
  const chunks = chunksOf(options.rows);
  await queue.addBulk(chunks.map((keys, n) => ({ name: 'chunk', data: { keys }, opts: { jobId: `c${n}` } })));
  const victims = PROCESSES.map((token, index) =>
    keepProcess(
      token,
      () => start(options.worker, { REDIS_URL: url, SERVICE_URL: sandbox.url, SERVICE_TOKEN: token }),
      () => sandbox.stats().tokens[index]?.requests ?? 0,
    ),
  );
  const { kills, seed } = options;
  const dice = createDice(seed);
  // A job that was stalled too often fails in BullMQ without having run.
  const isDone = async () => (await queue.getJobCountByTypes('completed', 'failed')) === chunks.length;
  const over = until(isDone);
  const done = await killLoop({ victims, kills, requestsMax: 60, dice, over });
  await over;
  return { stats: sandbox.stats(), kills: done };
}

function chunksOf(rows: number): string[][] {
  return Array.from({ length: Math.ceil(rows / CHUNK_ROWS) }, (_, n) =>
    Array.from(
      { length: Math.min(CHUNK_ROWS, rows - n * CHUNK_ROWS) },
      (_, i) => `K${n * CHUNK_ROWS + i + 1}`,
    ),
  );
}

function start(worker: NaiveWorker, env: Readonly<Record<string, string>>): Started {
  const program = fileURLToPath(new URL(`../naive/${worker}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'close').then(() => ({ exitCode: child.exitCode, stdout: '', stderr: '' }));
  return { child, ended };
}
