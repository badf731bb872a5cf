import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';

/** Changes one byte of the newest intents in the only journal of the home: of a key's digest, in text that stays JSON. */
async function changeAnIntent(home: string): Promise<void> {
  const names = await readdir(join(home, 'journal'), { recursive: true });
  const file = join(home, 'journal', names.find((name) => name.endsWith('.log')) ?? '');
  const lines = (await readFile(file, 'utf8')).split('\n');
  const at = lines.findLastIndex((line) => line.includes('"kind":"intended"'));
  const line = lines[at] ?? '';
  const changed = line.replace(
    /(."\],"outOfOrder)/,
    (found) => `${found.startsWith('x') ? 'y' : 'x'}${found.slice(1)}`,
  );
  expect(changed).not.toBe(line);
  expect(changed).toHaveLength(line.length);
  await writeFile(file, lines.with(at, changed).join('\n'));
}

test('one byte of a killed run’s journal is changed, and Redis emptied: nothing is made twice, and the run says why rows are in doubt', async () => {
  const flow = await startFlow({ faults: ['latency=30ms'] });
  const file = await flow.file('a.csv', subclientsCsv(400));
  const killed = flow.start(['run', 'subclients-create', file]);
  await until(() => flow.sandbox.stats().made.subclients > 60);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await changeAnIntent(flow.home);
  const redis = new Redis(flow.redisUrl);
  onTestFinished(() => redis.disconnect());
  await redis.flushdb();

  const { exitCode, summary, stderr } = await flow.run(['subclients-create', file]);
  expect(flow.sandbox.stats().duplicateKeys).toBe(0);
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/The journal of process \d+ on .+ is damaged \(.+\.log, line \d+\).+ are in doubt/);
  expect(summary.outcomes.created + summary.outcomes['in-doubt']).toBe(400);
});
