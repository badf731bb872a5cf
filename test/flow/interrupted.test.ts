import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { endServer } from '../../src/engine/redis/server-process.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { embeddedServer, startFlow, subclientsCsv } from '../support/flow.ts';
import { newestRun, statusOf } from '../support/run-control.ts';
import { until } from '../support/until.ts';

test('SIGINT to a run and SIGHUP to a worker let the rows in flight settle, names the command that goes on, and leaves nothing in doubt', async () => {
  const flow = await startFlow({ faults: ['latency=200ms'] });
  const file = await flow.file('a.csv', subclientsCsv(500));
  const [run, worker] = [flow.start(['run', 'subclients-create', file]), flow.start(['work'])];
  await until(() => flow.sandbox.stats().made.subclients > 50);
  run.child.kill('SIGINT');
  worker.child.kill('SIGHUP');
  const ended = await run.ended;
  expect([ended.exitCode, (await worker.ended).exitCode]).toEqual([4, 4]);
  expect(ended.stderr.match(/rows in flight are being settled, at most 30 s/g)).toHaveLength(1);
  // The command that goes on is said once.
  expect(`${ended.stdout}${ended.stderr}`.split(`onboard run subclients-create ${file}`)).toHaveLength(2);
  expect(ended.stdout).toContain('interrupted');
  const made = flow.sandbox.stats().made.subclients;
  expect(made).toBeLessThan(500);
  const left = await statusOf(flow, await newestRun(flow));
  expect(left).toMatchObject({ state: 'paused', reason: 'interrupted' });
  expect(left.outcomes).toEqual({ ...noOutcomes(), created: made });
  flow.sandbox.setFaults([]);
  const { exitCode, summary } = await flow.run(['subclients-create', file]);
  expect([exitCode, summary.outcomes.created, summary.outcomes['in-doubt']]).toEqual([0, 500, 0]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 500 }, duplicateKeys: 0 });
});

test('a signal that comes while the program is still being loaded ends it at once, with the status of an interruption', async () => {
  const flow = await startFlow();
  const file = await flow.file('a.csv', subclientsCsv(1));
  const preload = fileURLToPath(new URL('../support/signal-while-loading.mjs', import.meta.url));
  const run = flow.start(['run', 'subclients-create', file], { NODE_OPTIONS: `--import=${preload}` });
  expect(await run.ended).toEqual({ exitCode: 4, stdout: '', stderr: '' });
});

test('a command that ends leaves the rows of another run alone, also those it had in hand', async () => {
  const flow = await startFlow({ faults: ['latency=40ms'] });
  const runOf = async (name: string, rows: number) => {
    const file = await flow.file(`${name}.csv`, subclientsCsv(rows, name));
    return flow.run(['subclients-create', file]);
  };
  const [short, long] = [runOf('A', 100), runOf('B', 400)];
  expect((await short).summary.outcomes.created).toBe(100);
  const { exitCode, summary } = await long;
  expect([exitCode, summary.outcomes.created, summary.outcomes['in-doubt']]).toEqual([0, 400, 0]);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 500 }, duplicateKeys: 0 });
});

test('a run whose home is removed ends without naming a command that would send every row once more', async () => {
  const flow = await startFlow({ faults: ['latency=500ms'], redis: 'embedded' });
  const file = await flow.file('a.csv', subclientsCsv(1000));
  const run = flow.start(['run', 'subclients-create', file]);
  await until(() => flow.sandbox.stats().made.subclients > 10);
  const server = await embeddedServer(flow.home);
  if (server === null) throw new Error('the run has no Redis of its own');
  // Without the folder nobody finds the server, should the run not end it.
  atTestEnd(() => endServer(server.folder, server.pid, 'SIGKILL'));
  await rm(flow.home, { recursive: true, force: true, maxRetries: 5 });
  const { exitCode, stdout, stderr } = await run.ended;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('onboard: This ONBOARD_HOME was removed while it was in use');
  expect(`${stdout}${stderr}`).not.toMatch(/To go on|onboard resume/);
});
