import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { keysOf } from '../support/flow.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { keepProcess, killLoop } from './support/killing.ts';
import { createDice, SEED } from './support/seed.ts';
import { duplicateProblems } from './support/truth.ts';

const PROGRAM = fileURLToPath(new URL('./support/naive-worker.mjs', import.meta.url));
const TOKENS = ['token-a', 'token-b'] as const;
const CHUNKS = 5;
const KILLS = 2;

function start(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(() => ({ exitCode: child.exitCode, stdout: '', stderr: '' }));
  return { child, ended };
}

// A harness that can't fail proves nothing: this program is known to create twice.
test(`a program that marks rows once they are done creates twice when it is killed, and that is seen (seed ${SEED})`, async () => {
  const sandbox = await startSandbox({ tokens: TOKENS, faults: ['latency=100ms±50ms'] });
  onTestFinished(sandbox.close);
  const { url } = await startRedisServer();
  const queue = new Queue('naive', { connection: { url } });
  onTestFinished(() => queue.close());
  await queue.addBulk(
    Array.from({ length: CHUNKS }, (_, n) => ({
      name: 'chunk',
      data: { keys: keysOf(100, `C${n}-`) },
      opts: { jobId: `c${n}` },
    })),
  );
  const victims = TOKENS.map((token, i) =>
    keepProcess(
      token,
      () => start({ REDIS_URL: url, SERVICE_URL: sandbox.url, SERVICE_TOKEN: token }),
      () => sandbox.stats().tokens[i]?.requests ?? 0,
    ),
  );
  // A job that was stalled too often fails in BullMQ without having run.
  const over = until(async () => (await queue.getJobCountByTypes('completed', 'failed')) === CHUNKS);
  const kills = await killLoop({ victims, kills: KILLS, requestsMax: 60, dice: createDice(SEED), over });
  await over;
  expect(kills).toBe(KILLS);
  expect(sandbox.stats().duplicateKeys).toBeGreaterThan(0);
  expect(duplicateProblems(sandbox.stats())).not.toEqual([]);
});
