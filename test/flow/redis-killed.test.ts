import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFlow, subclientsCsv, until } from '../support/flow.ts';

test('the embedded Redis killed again and again while a run is under way is revived: nothing twice, nothing lost', async () => {
  const flow = await startFlow({ faults: ['latency=10ms'] });
  const run = flow.run(['subclients-create', await flow.file('a.csv', subclientsCsv(3000))]);
  const made = () => flow.sandbox.stats().made.subclients;
  for (const rows of [300, 900, 1800]) {
    await until(() => made() > rows);
    const pid = Number(await readFile(join(flow.home, 'redis', 'redis.pid'), 'utf8'));
    process.kill(pid, 'SIGKILL');
  }
  const { exitCode, summary } = await run;
  expect([exitCode, summary.outcomes.created, summary.outcomes['in-doubt']]).toEqual([0, 3000, 0]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 3000 }, duplicateKeys: 0 });
});
