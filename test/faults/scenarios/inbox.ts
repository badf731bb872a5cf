import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import { runSchema } from '../../../src/model/run.ts';
import { fileLines, type InboxFlow, rowsOf, startInboxFlow } from '../../support/inbox.ts';
import { until } from '../../support/until.ts';
import { whileSlow } from '../../support/while-slow.ts';
import { createDice } from '../support/seed.ts';
import { momentLater, TIMES } from '../support/times.ts';

export type InboxFaultOptions = { readonly files: number; readonly rows: number };

/** A watcher that lives for `LIFE_MAX_MS` after its first row gets few files done, however quick the machine is. */
const SMALL = { latencyMs: 100 };
const LIFE_MAX_MS = 200;

/** Drops files of a few rows; answers their names. */
async function dropMany(inbox: InboxFlow, { files, rows }: InboxFaultOptions): Promise<string[]> {
  const names = Array.from({ length: files }, (_, i) => `sub/subclients-${String(i).padStart(4, '0')}.csv`);
  for (const [i, name] of names.entries()) await inbox.drop(name, rowsOf(`F${i}`, rows));
  return names;
}

/** Every file has ended in `done` with a note, no two as one run, and each has exactly its rows. */
async function expectAllOnce(inbox: InboxFlow, options: InboxFaultOptions): Promise<void> {
  const { files, rows } = options;
  const { flow, list } = inbox;
  // A watcher that was killed when it had just begun a claim leaves an empty folder, which a later start removes.
  const claims = await list('processing');
  expect((await Promise.all(claims.map((id) => list(`processing/${id}`)))).flat()).toEqual([]);
  expect(await list('inbox/sub')).toEqual([]);
  const done = (await list('done')).filter((name) => !name.endsWith('.note.txt'));
  expect(new Set(done.map((name) => name.split('.')[0])).size, 'files in done').toBe(files);
  expect(done).toHaveLength(files);
  const listed = await flow.onboard(['runs', '--limit', String(2 * files), '--json']);
  const runs = listed.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => RUN.parse(JSON.parse(line)));
  expect(runs).toHaveLength(files);
  expect(new Set(runs.map(({ sha256 }) => sha256)).size).toBe(files);
  expect(runs.filter((run) => run.rows !== rows || run.state !== 'finished')).toEqual([]);
  const { made, duplicateKeys } = flow.sandbox.stats();
  expect(duplicateKeys).toBe(0);
  const created = runs.reduce((sum, { outcomes }) => sum + outcomes.created, 0);
  const inDoubt = runs.reduce((sum, { outcomes }) => sum + outcomes['in-doubt'], 0);
  expect(created + inDoubt).toBe(files * rows);
  expect(made.subclients).toBeGreaterThanOrEqual(created);
  expect(made.subclients).toBeLessThanOrEqual(files * rows);
}

const RUN = runSchema.pick({ sha256: true, rows: true, state: true, outcomes: true });

/** Many small files at once; answers how long they took, from the first row on. */
export async function manyFiles(options: InboxFaultOptions): Promise<number> {
  const inbox = await startInboxFlow();
  await dropMany(inbox, options);
  const watcher = inbox.begin(['start', '--once']);
  const { made } = inbox.flow.sandbox.stats();
  await until(() => inbox.flow.sandbox.stats().made.subclients > made.subclients);
  const began = performance.now();
  const ended = await watcher.ended;
  const seconds = (performance.now() - began) / 1000;
  process.stderr.write(`inbox ${JSON.stringify({ ...options, seconds: Math.round(seconds * 10) / 10 })}\n`);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(fileLines(ended)).toHaveLength(options.files);
  await expectAllOnce(inbox, options);
  return seconds;
}

/** Files that a watcher takes at a time. */
const RUNS = 32;

/** Two watchers on one folder: each file is taken by one of them. */
export async function twoWatchers(options: InboxFaultOptions): Promise<void> {
  const inbox = await startInboxFlow();
  await dropMany(inbox, options);
  const watchers = await whileSlow(inbox.flow.sandbox, { after: [], latency: '6s' }, async () => {
    const start = () => inbox.start(['start', '--once']);
    const both = [start(), start()];
    // Files that wait for the service are more than one of them has: the other one is there.
    await until(async () => (await inbox.list('processing')).length > RUNS);
    return both;
  });
  const ended = await Promise.all(watchers.map((one) => one.ended));
  const lines = ended.map((one) => fileLines(one).length);
  expect(
    lines.reduce((a, b) => a + b, 0),
    ended.map(({ stderr }) => stderr).join('\n'),
  ).toBe(options.files);
  expect(Math.min(...lines), 'files of the one that had fewer').toBeGreaterThan(0);
  await expectAllOnce(inbox, options);
}

/** A watcher is killed again and again while it takes files; the last one finds what all of them left. */
export async function killedWatchers(
  options: InboxFaultOptions & { readonly kills: number; readonly seed: number },
): Promise<void> {
  const { kills, seed } = options;
  const inbox = await startInboxFlow(undefined, {
    times: TIMES,
    faults: [`latency=${SMALL.latencyMs}ms`],
  });
  await dropMany(inbox, options);
  const dice = createDice(seed);
  for (let kill = 0; kill < kills; kill += 1) {
    const { made } = inbox.flow.sandbox.stats();
    const watcher = inbox.start(['start']);
    await until(() => inbox.flow.sandbox.stats().made.subclients > made.subclients);
    await momentLater(dice.between(0, LIFE_MAX_MS));
    watcher.child.kill('SIGKILL');
    await watcher.ended;
  }
  expect((await inbox.list('done')).length, 'all was done before all kills').toBeLessThan(2 * options.files);
  inbox.flow.sandbox.setFaults([]);
  const ended = await inbox.start(['start', '--once']).ended;
  expect([0, 5], ended.stderr).toContain(ended.exitCode);
  await expectAllOnce(inbox, options);
}
