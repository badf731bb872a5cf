import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { joinEmbeddedRedis } from '../../src/engine/redis/embedded.ts';
import type { Summary } from '../../src/runs/report/summary.ts';
import { TIMES } from '../faults/support/times.ts';
import { createJob, type Flow, type FlowOptions, startFlow, subclientsCsv } from '../support/flow.ts';
import { ownFolder } from '../support/folder.ts';
import { newestRun, summaryFrom } from '../support/run-control.ts';
import { until } from '../support/until.ts';

const rowsOf = async (flow: Flow, summary: Summary) =>
  (await flow.results(summary)).map(({ row, line, key, outcome }) => [row, line, key, outcome].join(' '));

/** A run of so many rows that all failed, and a service that now takes its time and accepts them. */
async function allFailed(rows: number, options: FlowOptions = {}) {
  const flow = await startFlow({ times: TIMES, faults: ['404=always'], ...options });
  const file = await flow.file('a.csv', subclientsCsv(rows));
  const job = await flow.file('job.yaml', `${createJob()}stopAfter: 100%\n`);
  const { summary } = await flow.run(['--job-file', job, file]);
  expect(summary.outcomes.failed).toBe(rows);
  flow.sandbox.setFaults(['latency=50ms']);
  await rm(file);
  return { flow, parent: summary.run };
}

describe('the rows of a run that did not succeed', () => {
  test('are sent by a rerun, with their numbers and lines, without the file; what succeeded is not', async () => {
    const flow = await startFlow({ faults: ['404=always;key=B', '403=always;key=D'] });
    const file = await flow.file(
      'a.csv',
      'externalId,details.name\nA1,One\nB2,Two\nA3,Three\n,Keyless\nB5,Five\nA6,Six\nD7,Seven\nA8,Eight\n',
    );
    const parent = await flow.run(['subclients-create', file]);
    expect(parent.summary.outcomes).toMatchObject({ created: 4, failed: 2, denied: 1, invalid: 1 });
    flow.sandbox.setFaults([]);
    await rm(file);
    const elsewhere = await flow.onboard(['rerun', parent.summary.run, '--sandbox']);
    expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
      3,
      expect.stringContaining('leave out --sandbox'),
    ]);
    const child = await summaryFrom(flow, ['rerun', parent.summary.run]);
    expect(child.exitCode).toBe(1);
    expect(child.summary).toMatchObject({
      parent: parent.summary.run,
      rows: 4,
      sha256: parent.summary.sha256,
      outcomes: { created: 3, invalid: 1 },
    });
    expect(await rowsOf(flow, child.summary)).toEqual([
      '2 3 B2 created',
      '4 5  invalid',
      '5 6 B5 created',
      '7 8 D7 created',
    ]);
    expect(await flow.report(child.summary, 'failed.csv')).toContain(
      `,Keyless,${child.summary.run},4,invalid`,
    );
    const status = await flow.onboard(['status', child.summary.run]);
    expect(status.stdout).toContain(`parent  ${parent.summary.run}`);
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 7 }, duplicateKeys: 0 });
  });

  test('can be taken through a mended definition, and their file still names the first run', async () => {
    const flow = await startFlow();
    const header = 'externalId,name,email,accounts.0.accountNumber\n';
    const rows = 'P1,One,a@example.com,1\nP2,Two,broken,2\nP3,Three,broken,3\n';
    const file = await flow.file('p.csv', header + rows);
    const lines = 'operation: counterparty.draft\nkey: externalId\nfields: { alias: externalId }\n';
    const job = await flow.file('j.yaml', lines);
    const parent = await flow.run(['--job-file', job, file]);
    expect(parent.summary.outcomes).toMatchObject({ drafted: 1, rejected: 2 });

    const unfit = await flow.file('unfit.yaml', `${lines}required: [nmae]\n`);
    expect((await flow.onboard(['rerun', parent.summary.run, '--job-file', unfit])).exitCode).toBe(3);
    const other = await flow.file('other.yaml', 'operation: subclient.create\nkey: externalId\n');
    const refused = await flow.onboard(['rerun', parent.summary.run, '--job-file', other]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      3,
      expect.stringContaining('is for subclient.create, and run'),
    ]);
    expect((await flow.onboard(['runs', '--json'])).stdout.trim().split('\n')).toHaveLength(1);
    const mended = await flow.file('mended.yaml', `${lines}ignore: [email]\n`);
    const child = await summaryFrom(flow, ['rerun', parent.summary.run, '--job-file', mended]);
    expect(child).toMatchObject({ exitCode: 0, summary: { job: 'mended', outcomes: { drafted: 2 } } });
    const again = await flow.run(['--job-file', job, file]);
    expect([again.exitCode, again.summary.run]).toEqual([1, parent.summary.run]);
    expect(flow.sandbox.stats()).toMatchObject({ made: { drafts: 3 }, duplicateKeys: 0 });
  });

  test('are refused again where Excel has swapped their date, in their file until it is another', async () => {
    const flow = await startFlow();
    const days = ['13/04/2015', new Date('2015-03-04'), '31/12/2012', new Date('2015-05-04')];
    const book = join(await ownFolder(), 'book.xlsx');
    const table = [['externalId', 'details.name', 'On'], ...days.map((day, i) => [`K${i}`, 'A', day])];
    await writeXlsxFile(table, { dateFormat: 'dd/mm/yyyy' }).toFile(book);
    const field = 'kyc.details.incorporationDate: { column: On, pattern: dd/MM/yyyy }';
    const job = await flow.file('job.yaml', createJob().replace('fields: {', `fields: { ${field},`));
    const { summary } = await flow.run(['--job-file', job, book]);
    const again = await summaryFrom(flow, ['rerun', summary.run]);
    const failed = await flow.report(summary, 'failed.csv');
    const load = async (name: string, text: string) =>
      (await flow.run(['--job-file', job, await flow.file(name, text)])).summary;
    const same = await load('same.csv', failed);
    const mended = await load('mended.csv', failed.replace('2015-03-04', '03/04/2015'));
    const outcomes = [summary, again.summary, same, mended].map((one) => one.outcomes);
    const refused = { created: 0, invalid: 2 };
    expect(outcomes).toMatchObject([{ created: 2 }, refused, refused, { created: 1, invalid: 1 }]);
  });

  test('are chosen by their outcome, and none is taken twice', async () => {
    const flow = await startFlow({ faults: ['404=always;key=B'] });
    const file = await flow.file('a.csv', 'externalId,details.name\nA1,One\nB2,Two\n,Three\nB4,Four\n');
    const { run } = (await flow.run(['subclients-create', file])).summary;
    const failed = await summaryFrom(flow, ['rerun', run, '--only', 'failed']);
    expect(failed.summary).toMatchObject({ rows: 2, outcomes: { failed: 2 } });
    const rest = await summaryFrom(flow, ['rerun', run]);
    expect(await rowsOf(flow, rest.summary)).toEqual(['3 4  invalid']);
    const nothing = await flow.onboard(['rerun', run]);
    expect(nothing.exitCode).toBe(0);
    expect(nothing.stdout).toContain(`onboard account ${run}`);

    flow.sandbox.setFaults([]);
    const third = await summaryFrom(flow, ['rerun', failed.summary.run]);
    expect(third).toMatchObject({ exitCode: 0, summary: { parent: failed.summary.run } });
    expect(await rowsOf(flow, third.summary)).toEqual(['2 3 B2 created', '4 5 B4 created']);
  });

  test('are skipped where their key was created meanwhile, and left out where they are in doubt', async () => {
    const flow = await startFlow({ faults: ['404=always;key=B', 'reset-after-create=always;key=C'] });
    const file = await flow.file('a.csv', 'externalId,details.name\nA1,One\nB2,Two\nC3,Three\n');
    const { run } = (await flow.run(['subclients-create', file])).summary;
    flow.sandbox.setFaults([]);
    await flow.load('subclients-create', 'externalId,details.name\nB2,Two\n');
    const child = await summaryFrom(flow, ['rerun', run]);
    expect(child).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`1 row of run ${run} is in doubt`),
      summary: { rows: 1, outcomes: { skipped: 1 } },
    });
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 3 }, duplicateKeys: 0 });
  });
});

describe('a rerun', () => {
  test('that is cancelled gives its rows back to be taken up by a rerun of it', async () => {
    const { flow, parent } = await allFailed(200);
    const running = flow.begin(['rerun', parent, '--json']);
    await until(() => flow.sandbox.stats().made.subclients > 20);
    // The commands below are given before it ends, on a slow machine too.
    flow.sandbox.setFaults(['latency=2s']);
    const child = await newestRun(flow);
    const unfinished = await flow.onboard(['rerun', child]);
    expect([unfinished.exitCode, unfinished.stderr]).toEqual([
      3,
      expect.stringContaining('expected one that is over'),
    ]);
    const cancelled = await summaryFrom(flow, ['cancel', child]);
    expect((await running.ended).exitCode).toBe(2);
    const made = flow.sandbox.stats().made.subclients;
    expect(cancelled.summary.outcomes).toMatchObject({ created: made, cancelled: 200 - made });
    flow.sandbox.setFaults([]);
    const rest = await summaryFrom(flow, ['rerun', child, '--only', 'cancelled']);
    expect(rest).toMatchObject({ exitCode: 0, summary: { outcomes: { created: 200 - made } } });
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 200 }, duplicateKeys: 0 });
  });

  test('of which Redis has forgotten the rows is found again, cancelled, and its rows are the parent’s to take up', async () => {
    const rows = 300;
    const { flow, parent } = await allFailed(rows, { redis: 'embedded' });
    const [present, past] = [join(flow.home, 'redis'), join(flow.home, 'past')];
    await (await joinEmbeddedRedis(flow.home)).close();
    await cp(present, past, { recursive: true });
    const killed = flow.start(['rerun', parent]);
    await until(() => flow.sandbox.stats().made.subclients > 100);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const child = await newestRun(flow);
    // Redis goes back to before the rerun.
    await (await joinEmbeddedRedis(flow.home)).close();
    await rm(present, { recursive: true });
    await cp(past, present, { recursive: true });
    flow.sandbox.setFaults([]);

    const sayings = expect.stringMatching(
      new RegExp(`lost from Redis.*onboard cancel ${child}.*onboard rerun ${parent}`),
    );
    for (const args of [
      ['rerun', parent],
      ['resume', child],
    ]) {
      const refused = await flow.onboard(args);
      expect([refused.exitCode, refused.stderr]).toEqual([3, sayings]);
    }
    const made = flow.sandbox.stats().made.subclients;
    const cancelled = await summaryFrom(flow, ['cancel', child]);
    const doubts = cancelled.summary.outcomes['in-doubt'];
    const unsent = cancelled.summary.outcomes.cancelled;
    expect([cancelled.exitCode, cancelled.summary]).toMatchObject([0, { rows, parent, pending: 0 }]);
    expect(unsent).toBeGreaterThan(0);
    expect(cancelled.summary.outcomes.created + doubts).toBeGreaterThanOrEqual(made);

    const rest = await summaryFrom(flow, ['rerun', parent]);
    expect(rest.summary).toMatchObject({ parent, rows: unsent, outcomes: { created: unsent } });
    expect(cancelled.summary.outcomes.created + doubts + unsent).toBe(rows);
    expect(flow.sandbox.stats().duplicateKeys).toBe(0);
  });
});
