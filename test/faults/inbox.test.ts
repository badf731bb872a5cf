import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { runSchema } from '../../src/model/run.ts';
import { ELSEWHERE } from '../runs/inbox/files.ts';
import { ownFolder } from '../support/folder.ts';
import { fileLines, type InboxFlow, rowsOf, startInboxFlow } from '../support/inbox.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';
import { preloadEnv } from './support/killing.ts';
import { LONG, secondsSince, TIMES } from './support/times.ts';

/** Of each of many files. */
const ROWS = 3;

test.runIf(LONG)(
  '1,000 small files that come at once are each taken as one run, within a minute',
  async () => {
    const files = 1_000;
    const inbox = await startInboxFlow();
    await dropMany(inbox, files);
    const watcher = inbox.begin(['start', '--once']);
    const { made } = inbox.flow.sandbox.stats();
    await until(() => inbox.flow.sandbox.stats().made.subclients > made.subclients);
    const began = performance.now();
    const ended = await watcher.ended;
    const seconds = secondsSince(began);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(fileLines(ended)).toHaveLength(files);
    await expectAllOnce(inbox, files);
    expect(seconds).toBeLessThan(60);
  },
);

test('a second watcher of a home is refused, and says whose the inboxes are; one that is killed leaves nothing undone, torn or done twice', async () => {
  const files = LONG ? 300 : 40;
  const inbox = await startInboxFlow(undefined, { times: TIMES });
  await dropMany(inbox, files);
  const { flow } = inbox;
  const first = await whileSlow(flow.sandbox, { after: [], latency: '6s' }, async () => {
    const one = inbox.start(['start']);
    await until(async () => (await inbox.list('inbox/.processing')).length > 0);
    const second = await inbox.start(['start', '--once']).ended;
    expect(second.exitCode, second.stderr).toBe(3);
    expect(second.stderr).toContain(`process ${one.child.pid} on `);
    expect(fileLines(second)).toEqual([]);
    return one;
  });
  first.child.kill('SIGKILL');
  await first.ended;
  const ended = await inbox.start(['start', '--once']).ended;
  expect([0, 5], ended.stderr).toContain(ended.exitCode);
  expect(ended.stderr).not.toContain('Waiting up to');
  await expectAllOnce(inbox, files);
});

/** Before the n-th step of files on their way. */
const STEPS = LONG ? Array.from({ length: 40 }, (_, i) => 1 + Math.floor(i / 2)) : [5, 9, 8, 11, 10];

// Each finds what the ones before have left, and one new file with a marker beside it, by turns in an inbox of the home and
// in one on another file system.
test('a watcher that dies at any step of a file through an inbox leaves it to the next one, which takes it to its end once', async () => {
  const far = await ownFolder({}, ELSEWHERE);
  const inbox = await startInboxFlow(
    {
      near: 'operation: subclient.create\nfiles: "*.csv"\nkey: externalId\nmarker: .done\n',
      far: `operation: subclient.create\ninbox: ${far}\nkey: externalId\nmarker: .done\n`,
    },
    { times: TIMES },
  );
  const { flow } = inbox;
  for (const [i, step] of STEPS.entries()) {
    const file = join(i % 2 === 0 ? inbox.inbox : far, `f${i}.csv`);
    await writeFile(file, rowsOf(`F${i}`, 2));
    await writeFile(`${file}.done`, '');
    const env = { ...preloadEnv('crash-in-inbox'), ONBOARD_TEST_CRASH_IN_INBOX: String(step) };
    const { child, ended } = inbox.start(['start', '--once'], env);
    const { stderr } = await ended;
    expect(child.signalCode, `step ${step}: ${stderr}`).toBe('SIGKILL');
  }
  const ended = await inbox.start(['start', '--once']).ended;
  expect([0, 5], ended.stderr).toContain(ended.exitCode);
  for (const folder of [inbox.inbox, far]) {
    expect(await readdir(folder)).toEqual(['.processing']);
    expect(await readdir(join(folder, '.processing'))).toEqual([]);
  }
  const done = (await inbox.list('done')).filter((name) => !name.endsWith('.note.txt'));
  const texts = await Promise.all(done.map((name) => readFile(join(flow.home, 'done', name), 'utf8')));
  expect(texts.sort()).toEqual(STEPS.map((_, i) => rowsOf(`F${i}`, 2)).sort());
  expect(await inbox.list('failed')).toEqual([]);
  await expectRowsOnce(inbox, { files: STEPS.length, rows: 2 });
});

/** Drops files of a few rows. */
async function dropMany(inbox: InboxFlow, files: number): Promise<void> {
  const names = Array.from({ length: files }, (_, i) => `sub/subclients-${String(i).padStart(4, '0')}.csv`);
  for (const [i, name] of names.entries()) await inbox.drop(name, rowsOf(`F${i}`, ROWS));
}

/** Every file has ended in `done` with a note, no two as one run, and each has exactly its rows. */
async function expectAllOnce(inbox: InboxFlow, files: number): Promise<void> {
  const { list } = inbox;
  expect(await list('inbox/.processing')).toEqual([]);
  expect(await list('inbox/sub')).toEqual([]);
  const done = (await list('done')).filter((name) => !name.endsWith('.note.txt'));
  expect(new Set(done.map((name) => name.split('.')[0])).size, 'files in done').toBe(files);
  expect(done).toHaveLength(files);
  await expectRowsOnce(inbox, { files, rows: ROWS });
}

/** A kill leaves rows in doubt that were about to go. */
async function expectRowsOnce(
  { flow }: InboxFlow,
  { files, rows }: { readonly files: number; readonly rows: number },
): Promise<void> {
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
