import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TIMES } from '../faults/support/times.ts';
import type { AtTestEnd } from '../support/at-test-end.ts';
import { createJob, type Flow, startFlow, subclientsCsv } from '../support/flow.ts';
import { newestRun, statusOf, summaryFrom } from '../support/run-control.ts';
import { until } from '../support/until.ts';

/**
 * A run of so many rows, 20 of them at a time in flight, once more than `made` of them are there. Then the service takes
 * its time: commands are given before the run's end, on a slow machine too.
 */
async function busy<T>(flow: Flow, of: Busy, begin: (args: readonly string[]) => T) {
  const file = await flow.file('a.csv', subclientsCsv(of.rows));
  const run = begin(['run', 'subclients-create', file, '--json']);
  await until(() => flow.sandbox.stats().made.subclients > of.made);
  flow.sandbox.setFaults(['latency=1s']);
  return { file, run, id: await newestRun(flow) };
}

type Busy = { readonly rows: number; readonly made: number };

/** What happened by itself, as the audit has it. */
async function happenedTo(flow: Flow, id: string) {
  const { stdout } = await flow.onboard(['audit', '--run', id, '--json']);
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => entrySchema.parse(JSON.parse(line)));
  return entries.flatMap(({ what, of }) => (HAPPENED.has(what) ? [[what, of] as const] : []));
}

const HAPPENED = new Set(['process-lost', 'taken-over', 'redis-away']);
const entrySchema = z.object({ what: z.string(), of: z.record(z.string(), z.unknown()) });

const startSlow = (atEnd?: AtTestEnd) => startFlow({ times: TIMES, faults: ['latency=40ms'] }, atEnd);
const NO_SERVICE = { MSB_BASE_URL: '', MSB_TOKEN: '' };

test('a run is paused by a command, names the one that goes on, and is gone on with where its file and service are those that it had', async () => {
  const flow = await startSlow();
  const { file, run, id } = await busy(flow, { rows: 600, made: 20 }, flow.begin);
  const meanwhile = await flow.onboard(['resume', id]);
  expect([meanwhile.exitCode, meanwhile.stdout]).toEqual([0, expect.stringContaining(String(process.pid))]);
  const paused = await flow.onboard(['pause', id, '--reason', 'a new file comes'], { ONBOARD_ACTOR: 'Ann' });
  const madeByThen = flow.sandbox.stats().made.subclients;
  expect([paused.exitCode, paused.stdout]).toEqual([0, expect.stringContaining(`onboard resume ${id}`)]);
  const ended = await run.ended;
  expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining(`onboard resume ${id}`)]);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    state: 'paused',
    reason: 'requested',
    request: { by: 'Ann', why: 'a new file comes' },
  });
  const again = await flow.onboard(['pause', id]);
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('paused (requested) already')]);
  expect((await flow.onboard(['status', id])).stdout).toContain(`    onboard resume ${id}\n`);
  const made = flow.sandbox.stats().made.subclients;
  // What was on the wire, and what went out until its process had looked at the run again.
  expect(made - madeByThen).toBeLessThan((600 - madeByThen) / 2);
  expect(made).toBe((await statusOf(flow, id)).outcomes.created);

  flow.sandbox.setFaults([]);
  const refused = async (said: string, env = {}) => {
    const { exitCode, stderr } = await flow.onboard(['resume', id], env);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(said)]);
    return stderr;
  };
  const elsewhere = await refused('http://127.0.0.1:9', { MSB_BASE_URL: 'http://127.0.0.1:9' });
  expect(elsewhere).toContain(flow.sandbox.url);
  await flow.file('a.csv', subclientsCsv(599));
  await refused('is not the file that run');
  await rm(file);
  await refused(file);
  expect(await statusOf(flow, id)).toMatchObject({ state: 'paused', reason: 'requested' });
  await flow.file('a.csv', subclientsCsv(600));
  const resumed = await summaryFrom(flow, ['resume', id]);
  expect(resumed).toMatchObject({ exitCode: 0, summary: { run: id, outcomes: { created: 600 } } });
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 600 }, duplicateKeys: 0 });
  for (const command of ['pause', 'resume']) {
    const late = await flow.onboard([command, id]);
    expect([late.exitCode, late.stderr]).toEqual([3, expect.stringContaining(`Run ${id} is finished`)]);
  }
});

test('a rehearsal that is resumed starts its stand-in by itself', async () => {
  const flow = await startFlow();
  const file = await flow.file('a.csv', subclientsCsv(150));
  const slow = await flow.file('slow.yaml', createJob('rate: 30/s'));
  const run = flow.begin(['run', '--job-file', slow, file, '--sandbox'], NO_SERVICE);
  await until(async () => (await flow.look(['runs', '--json'])).includes('"created":'));
  const id = await newestRun(flow);
  await until(async () => (await statusOf(flow, id)).outcomes.created > 0);
  await flow.onboard(['pause', id]);
  await run.ended;
  const resumed = await summaryFrom(flow, ['resume', id], NO_SERVICE);
  expect(resumed).toMatchObject({ exitCode: 0, summary: { outcomes: { created: 150 } } });
});

describe('a run that is cancelled', () => {
  test('while it is busy, with a worker beside it: rows in flight are settled, all others cancelled, their keys free', async () => {
    const flow = await startSlow();
    const worker = flow.start(['work']);
    const { run, id } = await busy(flow, { rows: 1200, made: 100 }, flow.start);
    const cancelled = await summaryFrom(flow, ['cancel', id]);
    expect(cancelled.exitCode).toBe(0);
    const ended = await run.ended;
    expect([ended.exitCode, JSON.parse(ended.stdout).state]).toEqual([2, 'cancelled']);
    const made = flow.sandbox.stats().made.subclients;
    const { summary } = cancelled;
    expect(summary).toMatchObject({
      state: 'cancelled',
      pending: 0,
      exitCode: 2,
      outcomes: { created: made },
    });
    expect(summary.outcomes.cancelled).toBe(1200 - made);
    const results = await flow.results(summary);
    expect(results.map((r) => r.row)).toEqual(Array.from({ length: 1200 }, (_, i) => String(i + 1)));
    expect(results.filter((r) => r.outcome === 'cancelled' && r.line === '')).toEqual([]);

    const other = await flow.file('b.csv', `${subclientsCsv(1200)}\n`);
    flow.sandbox.setFaults([]);
    const next = await flow.run(['subclients-create', other]);
    expect(next.summary.outcomes).toMatchObject({ created: 1200 - made, skipped: made });
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 1200 }, duplicateKeys: 0 });
    worker.child.kill('SIGTERM');
    await worker.ended;
  });

  test('while its rows wait for a service that asked to be left alone ends all the same, a worker beside it too', async () => {
    const flow = await startFlow({ faults: ['429=always;retry-after=3600'] });
    const worker = flow.begin(['work']);
    const run = flow.begin([
      'run',
      'subclients-create',
      await flow.file('a.csv', subclientsCsv(300)),
      '--json',
    ]);
    await until(() => (flow.sandbox.stats().faults['429'] ?? 0) > 0);
    // Far sooner than it was asked for: what was waited for is over in an hour.
    const cancelled = await summaryFrom(flow, ['cancel', await newestRun(flow)]);
    expect([cancelled.exitCode, (await run.ended).exitCode]).toEqual([0, 2]);
    expect(cancelled.summary).toMatchObject({ state: 'cancelled', pending: 0, outcomes: { cancelled: 300 } });
    worker.interrupt();
    await worker.ended;
  });
});

// Their rows wait until the lease of the dead has lapsed: they do so together.
describe.concurrent('what a process leaves that is killed', () => {
  test('is in doubt, where it was in flight, when its run is cancelled', async ({ onTestFinished }) => {
    const flow = await startSlow(onTestFinished);
    const { run, id } = await busy(flow, { rows: 600, made: 100 }, flow.start);
    run.child.kill('SIGKILL');
    await run.ended;
    const { exitCode, summary } = await summaryFrom(flow, ['cancel', id], NO_SERVICE);
    const { outcomes } = summary;
    expect([exitCode, outcomes.created + outcomes['in-doubt'] + outcomes.cancelled]).toEqual([0, 600]);
    expect(outcomes['in-doubt']).toBeLessThanOrEqual(40);
    const made = new Set([...flow.sandbox.entities('subclient')].map(({ key }) => key));
    expect((await flow.onboard(['status'])).stdout).toContain(`${outcomes.cancelled} rows not sent`);
    const results = await flow.results(summary);
    for (const { key = '', outcome } of results) {
      if (outcome === 'created') expect(made).toContain(key);
      if (outcome === 'cancelled') expect(made).not.toContain(key);
    }
    const lost = expect.stringMatching(new RegExp(`^process ${run.child.pid} on `));
    const found = expect.stringMatching(new RegExp(`^process ${process.pid} on `));
    expect(await happenedTo(flow, id)).toEqual([
      ['process-lost', { who: lost, heard: expect.any(String), foundBy: found }],
      ['taken-over', { who: found, after: lost }],
    ]);
  });

  test('is told once, by a worker that goes on, too', async ({ onTestFinished }) => {
    const flow = await startSlow(onTestFinished);
    const worker = flow.begin(['work']);
    const { run, id } = await busy(flow, { rows: 600, made: 100 }, flow.start);
    run.child.kill('SIGKILL');
    await run.ended;
    const lost = expect.stringMatching(new RegExp(`^process ${run.child.pid} on `));
    await until(async () => (await happenedTo(flow, id)).length > 0);
    flow.sandbox.setFaults([]);
    const resumed = await summaryFrom(flow, ['resume', id]);
    expect(resumed.summary.pending).toBe(0);
    const told = await happenedTo(flow, id);
    expect(told.filter(([what]) => what === 'process-lost')).toMatchObject([
      [expect.anything(), { who: lost }],
    ]);
    worker.interrupt();
    await worker.ended;
  });

  test('of a cancelling that nobody else works for, and whose file is gone, is wound up by the same command: every row has an outcome', async ({
    onTestFinished,
  }) => {
    const rows = 9_000;
    const flow = await startSlow(onTestFinished);
    const { file, run, id } = await busy(flow, { rows, made: 100 }, flow.begin);
    await flow.onboard(['pause', id]);
    await run.ended;
    flow.sandbox.setFaults([]);
    await rm(file);
    const made = flow.sandbox.stats().made.subclients;
    const first = flow.start(['cancel', id], NO_SERVICE);
    await until(async () => (await statusOf(flow, id)).outcomes.cancelled > 0);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await summaryFrom(flow, ['cancel', id], NO_SERVICE);
    expect(second).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('without line and key'),
      summary: { state: 'cancelled', outcomes: { created: made, cancelled: rows - made } },
    });
    const results = await flow.results(second.summary);
    expect(results).toHaveLength(rows);
    expect(results.at(-1)).toMatchObject({ row: String(rows), line: '', key: '', outcome: 'cancelled' });
    // What was in the queue is known still.
    expect(results[2000]).toMatchObject({ row: '2001', line: '2002', key: 'K2001', outcome: 'cancelled' });
    const again = await flow.onboard(['cancel', id]);
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('cancelled already')]);
    for (const command of ['pause', 'resume']) expect((await flow.onboard([command, id])).exitCode).toBe(3);
  });
});
