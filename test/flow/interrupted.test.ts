import { expect, test } from 'vitest';
import { startFlow, subclientsCsv, until } from '../support/flow.ts';

test.each([1, 2, 3])(
  'a run killed in the middle is finished by the same command, nothing twice, nothing lost (%i)',
  async () => {
    const flow = await startFlow({ faults: ['latency=5ms'] });
    const file = await flow.file('a.csv', subclientsCsv(2000));
    const killed = flow.start(['run', 'subclients-create', file]);
    await until(() => flow.sandbox.stats().made.subclients > 400);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const { exitCode, summary } = await flow.run(['subclients-create', file]);
    const { outcomes } = summary;
    expect(outcomes.created + outcomes['in-doubt']).toBe(2000);
    expect(exitCode).toBe(outcomes['in-doubt'] > 0 ? 5 : 0);
    // In flight: at most what one process may have on the wire, and what it had settled but not yet recorded.
    expect(outcomes['in-doubt']).toBeLessThanOrEqual(40);
    const stats = flow.sandbox.stats();
    expect(stats.duplicateKeys).toBe(0);
    expect(stats.made.subclients).toBeGreaterThanOrEqual(outcomes.created);
    const made = new Set([...flow.sandbox.entities('subclient')].map(({ key }) => key));
    for (const result of await flow.results(summary)) {
      if (result.outcome === 'created') expect(made).toContain(result.key);
    }
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s lets the rows in flight settle, names the command that goes on, and leaves nothing in doubt',
  async (signal) => {
    const flow = await startFlow({ faults: ['latency=20ms'] });
    const file = await flow.file('a.csv', subclientsCsv(1000));
    const run = flow.start(['run', 'subclients-create', file]);
    await until(() => flow.sandbox.stats().made.subclients > 100);
    run.child.kill(signal);
    const ended = await run.ended;
    expect(ended.exitCode).toBe(4);
    expect(ended.stderr).toContain(`onboard run subclients-create ${file}`);
    expect(ended.stdout).toContain('interrupted');
    const made = flow.sandbox.stats().made.subclients;
    expect(made).toBeLessThan(1000);
    const { exitCode, summary } = await flow.run(['subclients-create', file]);
    expect([exitCode, summary.outcomes.created, summary.outcomes['in-doubt']]).toEqual([0, 1000, 0]);
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 1000 }, duplicateKeys: 0 });
  },
);

test('two commands on the same file at once are one run: nothing is sent twice', async () => {
  const flow = await startFlow({ faults: ['latency=5ms'] });
  const file = await flow.file('a.csv', subclientsCsv(1000));
  const [one, two] = await Promise.all([
    flow.run(['subclients-create', file]),
    flow.run(['subclients-create', file]),
  ]);
  expect([one.exitCode, two.exitCode]).toEqual([0, 0]);
  expect(one.summary.run).toBe(two.summary.run);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 1000 }, duplicateKeys: 0 });
});

test('a worker beside the run shares its rows, and when it is killed the run ends all the same', async () => {
  const flow = await startFlow({ faults: ['latency=10ms'] });
  const file = await flow.file('a.csv', subclientsCsv(3000));
  const worker = flow.start(['work']);
  const run = flow.run(['subclients-create', file]);
  await until(() => flow.sandbox.stats().made.subclients > 600);
  worker.child.kill('SIGKILL');
  await worker.ended;
  const { summary } = await run;
  expect(summary.outcomes.created + summary.outcomes['in-doubt']).toBe(3000);
  expect(flow.sandbox.stats().duplicateKeys).toBe(0);
});
