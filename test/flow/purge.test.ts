import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { filesIn, kindsIn, mark, valuesIn } from '../faults/support/marked.ts';
import { createJob, type Flow, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { startInboxFlow } from '../support/inbox.ts';
import { makeOld, withRedis } from '../support/old-runs.ts';
import { newKey } from '../support/sealing.ts';

/** Stands in each value of a row and in its file's name, and in nothing else. */
/** What is to go must be seen first. */
const IN_CLEAR = { ONBOARD_ENCRYPTION_KEY: '' };
const MARK = mark('omma', 1);
const JOB =
  'operation: counterparty.draft\nkey: externalId\nfields: { alias: externalId }\nsend: { canary: 0 }\n';
const OPEN_TOO = ['--older-than', '90d', '--open'];
const HEADER = 'externalId,name,email,accounts.0.accountNumber\n';
const rowOf = (key: string, email = `${MARK}@example.com`) =>
  `${key}-${MARK},${MARK} ${key} Ltd,${email},${MARK}-${key}\n`;

const toldSchema = z.object({
  runs: z.array(z.object({ run: z.string() })),
  notPurged: z.array(z.object({ run: z.string(), why: z.string() })),
});

/** What `onboard purge … --json` says: the runs that it purged, and why it kept others. */
async function purge(flow: Flow, args: readonly string[]) {
  const { exitCode, stdout, stderr } = await flow.onboard(['purge', ...args, '--json']);
  if (stdout === '') throw new Error(stderr);
  const { runs, notPurged } = toldSchema.parse(JSON.parse(stdout));
  const kept = notPurged.map(({ run, why }) => [run, why]);
  return { exitCode, purged: runs.map(({ run }) => run), kept };
}

/** Marks in the names and values of Redis' keys. */
function marksKept(flow: Flow): Promise<string[]> {
  return withRedis(flow, async (redis) => kindsIn(...(await valuesIn(redis))));
}

/** Files of the home with the mark, or with it in their name, but for those of the test. */
async function markedFiles(flow: Flow): Promise<string[]> {
  const files = [...(await filesIn(flow.home))].filter(([name]) => name.includes('/'));
  return files.flatMap(([name, content]) => (kindsIn(name, content).length > 0 ? [name] : []));
}

/** A run with every outcome, one of them settled from in doubt, and a row cancelled in another. */
async function everyOutcome(env: Readonly<Record<string, string>> = IN_CLEAR) {
  const faults = ['404=always;key=F', '403=always;key=D', 'reset-after-create=always;key=R'];
  const flow = await startFlow({ env, faults });
  const job = await flow.file('job.yaml', JOB);
  const [a, b, keyless] = [rowOf('A'), rowOf('B', `${MARK}-broken`), rowOf('').slice(MARK.length + 1)];
  const rows = [a, b, rowOf('F'), rowOf('D'), a, keyless, rowOf('R')];
  const file = await flow.file(`${MARK}.csv`, HEADER + rows.join(''));
  const { summary } = await flow.run(['--job-file', job, file]);
  flow.sandbox.setFaults([]);
  return { flow, job, file, run: summary.run, outcomes: summary.outcomes };
}

const reportOf = (flow: Flow, run: string) => readdir(join(flow.home, 'reports', run));

describe('a purged run', () => {
  test.each([
    ['in clear', IN_CLEAR],
    ['sealed', { ONBOARD_ENCRYPTION_KEY: newKey() }],
  ])(
    '%s has nothing of its rows anywhere, keeps its keys known, and says when and by whom',
    async (how, env) => {
      const { flow, job, file, run, outcomes } = await everyOutcome(env);
      const { drafted, rejected, failed, denied, invalid, 'in-doubt': inDoubt } = outcomes;
      expect([drafted, rejected, failed, denied, invalid, inDoubt]).toEqual([1, 1, 1, 1, 2, 1]);
      await makeOld(flow, run);
      const keptWith = (why: string) => ({ purged: [], kept: [[run, expect.stringContaining(why)]] });
      expect(await purge(flow, ['--older-than', '90d'])).toMatchObject(keptWith('1 row in doubt'));
      await flow.look(['resolve', run, '7', '--not-created']);
      expect(await purge(flow, ['--run', run])).toMatchObject({
        exitCode: 3,
        ...keptWith('6 rows of its file'),
      });
      const before = JSON.parse(await flow.look(['account', run, '--json']));
      const made = flow.sandbox.stats().made;
      expect((await marksKept(flow)).length > 0).toBe(how === 'in clear');
      const done = { exitCode: 0, purged: [run], kept: [] };
      expect(await purge(flow, [...OPEN_TOO, '--dry-run'])).toEqual(done);
      expect(await markedFiles(flow)).not.toEqual([]);

      expect(await purge(flow, OPEN_TOO)).toEqual(done);
      expect(await marksKept(flow)).toEqual([]);
      expect(await markedFiles(flow)).toEqual([]);
      expect(await reportOf(flow, run)).toEqual(['digest.json', 'summary.json']);
      expect(await purge(flow, ['--older-than', '90d'])).toMatchObject({ purged: [], kept: [] });
      expect(await flow.look(['purge', '--run', run])).toMatch(
        /^Purged: 0 runs\nRun \S+ was purged by \S+@\S+, \d{4}-.* UTC\.\n$/,
      );

      const after = JSON.parse(await flow.look(['account', run, '--json']));
      expect(after).toMatchObject({ open: before.open, purgedRows: 6, holds: true });
      expect(await flow.look(['account', run])).toContain('6 purged: their cells are gone');
      expect(await flow.look(['status', run])).toMatch(/^ {2}rows {4}purged by \S+@\S+, \d{4}-/m);
      const again = withSummary(await flow.onboard(['run', '--job-file', job, file, '--json']));
      expect([again.summary.run, flow.sandbox.stats().made]).toEqual([run, made]);
      const writing = await flow.onboard(['account', run, '--open', join(flow.home, 'open.csv')]);
      const rerun = await flow.onboard(['rerun', run]);
      expect([writing.exitCode, rerun.exitCode, rerun.stderr]).toEqual([
        3,
        3,
        expect.stringContaining('purged by'),
      ]);

      await flow.look(['report', run]);
      const lines = (await flow.report({ run }, 'results.csv')).trim().split('\n');
      expect([lines.length, lines[1]]).toEqual([
        8,
        expect.stringMatching(/^1,2,,drafted,200,[^,]+,1,\d+,,,$/),
      ]);
      expect(
        lines.filter((line) => line.endsWith('The run was purged: the cells of its rows are gone.')),
      ).toHaveLength(6);
      const report = await flow.look(['report', run]);
      expect(report).toContain('The run was purged');
      expect(report).not.toMatch(/Correct|failed\.csv/);
      expect(await flow.look(['status'])).toContain('6 rows open, their cells purged');
      expect(await reportOf(flow, run)).not.toContain('failed.csv');
      await flow.look(['write-off', run, '--only', 'failed,rejected,denied,invalid', '--reason', 'purged']);
      expect(JSON.parse(await flow.look(['account', run, '--json']))).toMatchObject({
        open: 0,
        writtenOff: 6,
      });
      expect(await markedFiles(flow)).toEqual([]);
      // Its keys are known by their digests.
      const named = `${HEADER.trim()},onboard_run,onboard_row\n${rowOf('f').trim()},${run},3\n`;
      const naming = await flow.onboard(['run', '--job-file', job, await flow.file('named.csv', named)]);
      expect(naming.stderr).toContain('which is written off');
      const back = await flow.load(job, HEADER + rowOf('F'));
      expect(back.stderr).toContain(`keys of rows that are written off`);
      expect(JSON.parse(await flow.look(['account', run, '--json']))).toMatchObject({ writtenOff: 5 });
    },
  );
});

test('a purge of one run names the others that hold rows of its file', async () => {
  const flow = await startFlow({ env: IN_CLEAR, faults: ['404=always;key=B'] });
  const job = await flow.file('job.yaml', JOB);
  const file = await flow.file(`${MARK}.csv`, HEADER + rowOf('A') + rowOf('B'));
  const { run } = (await flow.run(['--job-file', job, file])).summary;
  const rerun = withSummary(await flow.onboard(['rerun', run, '--json'])).summary.run;
  await makeOld(flow, run, rerun);
  const named = (id: string) =>
    `Run ${id} holds rows of its file, too: \`onboard purge --run ${id} --open\`\n`;
  expect(await flow.look(['purge', '--run', run, '--open', '--dry-run'])).toContain(named(rerun));
  expect(await flow.look(['purge', '--run', run, '--open'])).toContain(named(rerun));
  expect(await flow.look(['purge', '--run', rerun, '--open'])).not.toContain('holds rows');
  expect(await marksKept(flow)).toEqual([]);
});

test('a purge that is killed, wherever it is, goes on with the next one; then not even Redis’ files have the rows', async () => {
  const flow = await startFlow({ env: IN_CLEAR, redis: 'embedded', faults: ['404=always;key=B'] });
  const job = await flow.file('job.yaml', JOB);
  const file = await flow.file(`${MARK}.csv`, HEADER + rowOf('A') + rowOf('B'));
  const { summary } = await flow.run(['--job-file', job, file]);
  expect((await markedFiles(flow)).join()).toContain('appendonlydir');
  await makeOld(flow, summary.run);
  let waited = 0;
  for (let ms = 100, isKilled = true; isKilled; ms *= 1.2) {
    const { child, ended } = flow.start(['purge', ...OPEN_TOO]);
    const killing = setTimeout(() => child.kill('SIGKILL'), ms + waited);
    const { exitCode, stderr } = await ended;
    isKilled = exitCode === null;
    clearTimeout(killing);
    // One that was killed as it took the home has not said whose it was: the next waits for 20 s.
    waited = stderr.includes('has had this home') ? 20_000 : 0;
  }
  expect(await purge(flow, OPEN_TOO)).toEqual({ exitCode: 0, purged: [], kept: [] });
  expect(await markedFiles(flow)).toEqual([]);
  expect(await marksKept(flow)).toEqual([]);
  const again = withSummary(await flow.onboard(['run', '--job-file', job, file, '--json']));
  expect([again.summary.run, again.summary.outcomes]).toEqual([summary.run, summary.outcomes]);
});

test('a watcher with ONBOARD_RETENTION purges what is old enough, with its delivered file, and takes what comes', async () => {
  const { flow, drop, begin, list } = await startInboxFlow();
  const env = { ONBOARD_RETENTION: '90d' };
  await drop('subclients.csv', subclientsCsv(2).replaceAll('Company', MARK));
  expect((await begin(['start', '--once']).ended).exitCode).toBe(0);
  const [run = ''] = await list('reports');
  expect(await list('done')).toHaveLength(2);
  await makeOld(flow, run);
  await drop('subclients-2.csv', subclientsCsv(3, 'L'));
  const second = await begin(['start', '--once'], env).ended;
  expect([second.exitCode, second.stderr]).toEqual([
    0,
    expect.stringContaining('Purged 1 run, as ONBOARD_RETENTION says.'),
  ]);
  const left = await list('done');
  expect([left.length, left.join().includes(run)]).toEqual([2, false]);
  expect(await marksKept(flow)).toEqual([]);
});

test('a purge asks for an age or a run, and changes nothing without', async () => {
  const flow = await startFlow();
  const { summary } = await flow.run([
    '--job-file',
    await flow.file('job.yaml', createJob()),
    await flow.file('a.csv', subclientsCsv(1)),
  ]);
  for (const [args, problem] of [
    [[], 'expected --older-than, such as 90d'],
    ...['3w', '11m', '12h', '0d', '90'].map(
      (age) => [['--older-than', age], `--older-than ${age}: expected`] as const,
    ),
    [['--run', 'latest'], ''],
  ] as const)
    expect(await flow.onboard(['purge', ...args])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(problem),
    });
  expect(await flow.look(['purge', '--older-than', '1d'])).toBe('Purged: 0 runs\n');
  expect(await flow.look(['status', summary.run])).not.toContain('purged');
});
