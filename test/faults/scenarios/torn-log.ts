import { readFile, stat, truncate } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import { embeddedServer } from '../../support/flow.ts';
import { growingLog } from '../../support/redis-server.ts';
import { until, watchEnd } from '../../support/until.ts';
import { type Crew, startCrew, truthOf } from '../support/crew.ts';
import { createDice } from '../support/seed.ts';
import { secondsSince, TIMES } from '../support/times.ts';
import type { Truth } from '../support/truth.ts';

export type TornLogOptions = {
  readonly rows: number;
  readonly seed: number;
  /** `embedded`: the program's own server, which it starts again itself; `url`: one that starts on a torn file. */
  readonly redis: 'embedded' | 'url';
  readonly blows: number;
  readonly latencyMs: number;
};

type TornLogReport = Truth & { readonly blows: number; readonly seconds: number };

/**
 * Redis dies with the end of its append-only file within a transaction, is started, dies again and is started once more, while rows are
 * created: nothing twice, nothing lost, and no number counts double.
 */
export async function tornLog(options: TornLogOptions): Promise<TornLogReport> {
  const began = performance.now();
  const { rows, seed, redis, latencyMs, blows } = options;
  const faults = [`latency=${latencyMs}ms±${latencyMs}ms`];
  const of = redis === 'url' ? ({ redis } as const) : {};
  const crew = await startCrew({ rows, homes: 'one', ...of, times: TIMES, sandbox: { faults } });
  const isOver = watchEnd(crew.finished);
  const dice = createDice(seed);
  for (let n = 0; n < blows; n += 1) {
    const due = (rows * (n + 0.2 + 0.6 * dice.next())) / (blows + 0.5);
    await until(() => isOver() || crew.made() >= due);
    expect(isOver(), 'the run was over before all blows fell').toBe(false);
    if (redis === 'url') await tearTwice(crew);
    else await tearEmbedded(crew);
  }
  const { truth } = await truthOf(crew);
  const report = { ...truth, blows, seconds: secondsSince(began) };
  process.stderr.write(`torn-log ${JSON.stringify({ ...options, ...report })}\n`);
  return report;
}

/** The second start comes when others have written behind the torn end. */
async function tearTwice({ redis, made }: Crew): Promise<void> {
  if (redis === null) throw new Error('expected a Redis by URL');
  await redis.kill();
  await redis.tearLog();
  await redis.start();
  const before = made();
  await until(() => made() > before + 20);
  await redis.kill();
  await redis.start();
}

/** Whoever uses the server starts it again at once: the file is torn while it stands still. */
async function tearEmbedded({ flow, made }: Crew): Promise<void> {
  const server = await embeddedServer(flow.home);
  if (server === null) throw new Error('there is no server');
  const { folder, pid } = server;
  process.kill(pid, 'SIGSTOP');
  await until(async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') T '));
  const log = growingLog(folder);
  await truncate(log, (await stat(log)).size - 3);
  process.kill(pid, 'SIGKILL');
  const before = made();
  await until(() => made() > before + 20);
}
