import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { Summary } from '../../src/runs/report/summary.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { type Flow, type FlowOptions, startFlow } from '../support/flow.ts';
import { truthOf } from '../support/front.ts';
import { newestRun, summaryFrom } from '../support/run-control.ts';
import { newKey } from '../support/sealing.ts';
import { setRecord, storedRun } from '../support/stored.ts';
import { until } from '../support/until.ts';

/** No key: the column Ref is sent and is part of the content; the stand-in counts what it gets twice. */
const JOB = `operation: subclient.create
fields: { additionalInformation.crmId: Ref }
send: { canary: 0 }
`;
const WARNED = `${JOB}checks: { same_row: warn }\n`;
const HEADER = 'Ref,details.name';

const csv = (...refs: readonly string[]) =>
  [HEADER, ...refs.map((ref) => `${ref},Company ${ref}`), ''].join('\n');
const refs = (count: number) => Array.from({ length: count }, (_, i) => `R${i + 1}`);

const made = ({ sandbox }: Flow) => sandbox.stats().made.subclients;

/** Of each row: its number, outcome and code. */
const rowsOf = async (flow: Flow, summary: Summary) =>
  (await flow.results(summary)).map(({ row, outcome, code }) => `${row} ${outcome} ${code}`.trim());

/** What a file of these rows comes to. */
async function deliver(flow: Flow, job: string, ...rows: readonly string[]) {
  const { summary } = await flow.load(job, csv(...rows));
  return { summary, rows: await rowsOf(flow, summary) };
}

const resolve = (flow: Flow, { run }: Pick<Summary, 'run'>, row: number, ...as: readonly string[]) =>
  flow.look(['resolve', run, String(row), ...as]);

/** As if the run had ended long ago. */
async function purge(flow: Flow, { run }: Pick<Summary, 'run'>) {
  const redis = new Redis(flow.redisUrl);
  atTestEnd(() => redis.disconnect());
  const finishedAt = new Date(Date.now() - 100 * 86_400_000).toISOString();
  await setRecord(redis, await storedRun(redis, run), { finishedAt });
  expect(await flow.look(['purge', '--run', run, '--open'])).toContain('Purged: 1 run');
}

/** In the flow, a first file of which B is in doubt, and was created or not. */
async function oneInDoubt(fault: 'reset-after-create' | 'reset-before', options: FlowOptions = {}) {
  const flow = await startFlow({ ...options, faults: [`${fault}=always;key=B`] });
  const first = await deliver(flow, JOB, 'A', 'B', 'C');
  expect(first.rows).toEqual(['1 created', '2 in-doubt connection_lost', '3 created']);
  flow.sandbox.setFaults([]);
  return { flow, summary: first.summary };
}

test('rows that were delivered are skipped in the next file, in any order and among others', async () => {
  const flow = await startFlow();
  await deliver(flow, JOB, 'A', 'B');
  const next = await deliver(flow, JOB, 'B', 'C', 'A');
  expect(next.rows).toEqual(['1 skipped key_known', '2 created', '3 skipped key_known']);
  expect(made(flow)).toBe(3);
  // What is sent says what a row is, not how its file is written.
  const { summary } = await flow.load(JOB, 'details.name,Ref\nCompany A,A\nCompany A Ltd,A\n');
  expect(await rowsOf(flow, summary)).toEqual(['1 skipped key_known', '2 created']);
});

test('a file that has a row twice creates one and holds back the other, across chunks and in every later file', async () => {
  const flow = await startFlow();
  const long = [...refs(120), 'R1', 'R1'];
  const { summary, rows } = await deliver(flow, JOB, ...long);
  expect(summary.outcomes).toMatchObject({ created: 120, invalid: 2 });
  expect(rows.slice(-2)).toEqual(['121 invalid same_row', '122 invalid same_row']);
  const [told] = (await flow.results(summary)).slice(-1);
  expect([told?.message, told?.advice]).toEqual([
    'row 1 of this file says the same',
    expect.stringContaining('same_row: warn'),
  ]);
  const again = await deliver(flow, JOB, 'R1', 'R1');
  expect(again.rows).toEqual(['1 skipped key_known', '2 invalid same_row']);
  expect([made(flow), flow.sandbox.stats().duplicateKeys]).toEqual([120, 0]);
});

describe('of a job for which like rows are meant', () => {
  test('each is created once, and a later file creates only what goes beyond', async () => {
    const flow = await startFlow();
    const first = await deliver(flow, WARNED, 'A', 'B', 'A');
    expect([first.rows, first.summary.topWarnings]).toEqual([
      ['1 created', '2 created', '3 created'],
      expect.arrayContaining([expect.objectContaining({ code: 'same_row', count: 1 })]),
    ]);
    const same = await deliver(flow, WARNED, 'A', 'A', 'B');
    expect(same.rows).toEqual(['1 skipped key_known', '2 skipped key_known', '3 skipped key_known']);
    const more = await deliver(flow, WARNED, 'A', 'A', 'A');
    expect(more.rows).toEqual(['1 skipped key_known', '2 skipped key_known', '3 created']);
    expect(made(flow)).toBe(4);
  });

  test('one that failed keeps its number in a corrected file and in a rerun', async () => {
    const flow = await startFlow({ faults: ['404=every:2'] });
    const job = WARNED.replace('canary: 0', 'canary: 0, concurrency: 1');
    const first = await deliver(flow, job, 'A', 'A', 'A', 'A');
    expect(first.rows).toEqual(['1 created', '2 failed http_404', '3 created', '4 failed http_404']);
    flow.sandbox.setFaults([]);
    const [header, , fourth] = (await flow.report(first.summary, 'failed.csv')).trim().split('\n');
    // Alone in its file it would be the first of its content, which is known.
    const corrected = await flow.load(job, `${header}\n${fourth}\n`);
    expect([corrected.summary.outcomes.created, made(flow)]).toEqual([1, 3]);
    const { summary } = await summaryFrom(flow, ['rerun', first.summary.run]);
    expect([summary.outcomes.created, made(flow)]).toEqual([1, 4]);
    const all = await deliver(flow, job, 'B', 'A', 'A', 'A', 'A');
    expect(all.summary.outcomes).toMatchObject({ created: 1, skipped: 4 });
  });

  test('one that failed and is edited goes by what it says now, and by no number of what it said', async () => {
    const flow = await startFlow({ faults: ['404=every:2'] });
    const job = WARNED.replace('canary: 0', 'canary: 0, concurrency: 1');
    const first = await deliver(flow, job, 'A', 'A');
    expect(first.rows).toEqual(['1 created', '2 failed http_404']);
    flow.sandbox.setFaults([]);
    const edited = (await flow.report(first.summary, 'failed.csv')).replace('Company A', 'Company A Ltd');
    expect((await flow.load(job, edited)).summary.outcomes.created).toBe(1);
    const { summary } = await flow.load(job, `${HEADER}\nA,Company A Ltd\n`);
    expect([summary.outcomes.skipped, made(flow)]).toEqual([1, 2]);
  });

  test('those that were held back before can be sent by a rerun', async () => {
    const flow = await startFlow();
    const { summary } = await deliver(flow, JOB, 'A', 'A', 'A');
    const job = await flow.file('warned.yaml', WARNED);
    const rerun = await summaryFrom(flow, ['rerun', summary.run, '--job-file', job]);
    expect([rerun.summary.outcomes.created, made(flow)]).toEqual([2, 3]);
    const all = await deliver(flow, WARNED, 'A', 'A', 'A');
    expect(all.summary.outcomes.skipped).toBe(3);
  });
});

test('what was held back stays open, though the row before it is at the service', async () => {
  const flow = await startFlow();
  const { summary } = await deliver(flow, JOB, 'A', 'A', 'A');
  const rerun = await summaryFrom(flow, ['rerun', summary.run]);
  expect(await rowsOf(flow, rerun.summary)).toEqual(['2 skipped key_known', '3 invalid same_row']);
  expect((await deliver(flow, JOB, 'A')).summary.outcomes.skipped).toBe(1);
  const account = JSON.parse(await flow.look(['account', summary.run, '--json']));
  expect(account).toMatchObject({ atService: 1, open: 2, holds: true });
});

describe.each([
  ['in clear', { ONBOARD_ENCRYPTION_KEY: '' }],
  ['sealed', { ONBOARD_ENCRYPTION_KEY: newKey() }],
])('a row in doubt, in a ledger %s', (_, env) => {
  test('is held back in the next file, until somebody says that it was created', async () => {
    const { flow, summary } = await oneInDoubt('reset-after-create', { env });
    const next = await deliver(flow, JOB, 'B', 'A');
    expect(next.rows).toEqual(['1 invalid key_in_doubt', '2 skipped key_known']);
    const [id = ''] = truthOf(flow.sandbox).get('B') ?? [];
    await resolve(flow, summary, 2, '--created', id);
    const later = await deliver(flow, JOB, 'C', 'B');
    expect(later.rows).toEqual(['1 skipped key_known', '2 skipped key_known']);
    expect([made(flow), flow.sandbox.stats().duplicateKeys]).toEqual([3, 0]);
    expect(JSON.parse(await flow.look(['account', next.summary.run, '--json']))).toMatchObject({
      atService: 2,
      open: 0,
    });
  });

  test('that was not created goes with the next file, which closes it; a purge changes nothing of that', async () => {
    const { flow, summary } = await oneInDoubt('reset-before', { env });
    await resolve(flow, summary, 2, '--not-created');
    await purge(flow, summary);
    const next = await deliver(flow, JOB, 'A', 'B', 'C');
    expect(next.rows).toEqual(['1 skipped key_known', '2 created', '3 skipped key_known']);
    const account = JSON.parse(await flow.look(['account', summary.run, '--json']));
    expect(account).toMatchObject({ atService: 3, open: 0, holds: true });
    await purge(flow, next.summary);
    expect((await deliver(flow, JOB, 'B', 'A')).summary.outcomes.skipped).toBe(2);
    expect([made(flow), flow.sandbox.stats().duplicateKeys]).toEqual([3, 0]);
  });
});

test('a row that is written off, and comes again, is told', async () => {
  const flow = await startFlow({ faults: ['404=always;key=B'] });
  const { summary } = await deliver(flow, JOB, 'A', 'B');
  await flow.look(['write-off', summary.run, '2', '--reason', 'left']);
  flow.sandbox.setFaults([]);
  const next = await flow.load(JOB, csv('C', 'B'));
  expect(next.stderr).toContain(`2 (row 2 of run ${summary.run})`);
});

test('a row that does not map claims nothing: corrected, it is another row', async () => {
  const flow = await startFlow();
  const job = `${JOB}required: [details.name]\n`;
  const { summary } = await flow.load(job, `${HEADER}\nA,\nA,\nB,Bay\n`);
  expect(await rowsOf(flow, summary)).toEqual([
    '1 invalid missing_required',
    '2 invalid missing_required',
    '3 created',
  ]);
  const failed = await flow.report(summary, 'failed.csv');
  const corrected = await flow.load(job, failed.replaceAll('\nA,,', '\nA,Acme,'));
  expect(await rowsOf(flow, corrected.summary)).toEqual(['1 created', '2 invalid same_row']);
  expect((await flow.load(job, `${HEADER}\nB,Bay\nA,Acme\n`)).summary.outcomes.skipped).toBe(2);
});

test('killed in the middle, a run goes on with the identities that its rows had, and another one at a time creates nothing twice', async () => {
  const flow = await startFlow({ redis: 'embedded', faults: ['latency=20ms'] });
  const job = await flow.file('job.yaml', WARNED);
  const rows = [...refs(300), ...refs(60)];
  const file = await flow.file('a.csv', csv(...rows));
  const killed = flow.start(['run', '--job-file', job, file]);
  await until(() => made(flow) > 150);
  killed.child.kill('SIGKILL');
  await killed.ended;
  flow.sandbox.setFaults([]);
  const { summary } = await summaryFrom(flow, ['resume', await newestRun(flow)]);
  const { created, 'in-doubt': inDoubt } = summary.outcomes;
  expect([created + inDoubt, summary.outcomes.invalid]).toEqual([360, 0]);
  const sent = made(flow);
  expect(sent).toBeGreaterThanOrEqual(created);
  // The same rows in another order: what is in doubt is held back, all else is known.
  const next = await deliver(flow, WARNED, ...rows.toReversed());
  expect(next.summary.outcomes).toMatchObject({ created: 0, skipped: created, invalid: inDoubt });
  expect(made(flow)).toBe(sent);
});

test('rows of a cancelled run are free again, whether they map or were held back', async () => {
  const flow = await startFlow();
  const job = await flow.file('job.yaml', WARNED);
  const file = await flow.file('a.csv', csv('A', 'B', 'A'));
  const refused = await flow.onboard(['run', '--job-file', job, file], { MSB_TOKEN: 'wrong' });
  expect([refused.exitCode, made(flow)]).toEqual([2, 0]);
  const run = await newestRun(flow);
  expect((await deliver(flow, WARNED, 'B', 'A')).rows).toEqual(['1 invalid key_held', '2 invalid key_held']);
  expect((await flow.onboard(['cancel', run])).exitCode).toBe(0);
  expect((await deliver(flow, WARNED, 'A', 'A', 'B')).summary.outcomes.created).toBe(3);
});

test('two files at once with the same rows create each row once', async () => {
  const flow = await startFlow({ faults: ['latency=5ms'] });
  const job = await flow.file('job.yaml', JOB);
  const files = await Promise.all(
    [refs(150), refs(150).toReversed()].map((rows, i) => flow.file(`${i}.csv`, csv(...rows))),
  );
  const runs = await Promise.all(files.map((file) => flow.run(['--job-file', job, file])));
  const total = (outcome: 'created' | 'skipped' | 'invalid') =>
    runs.reduce((sum, { summary }) => sum + summary.outcomes[outcome], 0);
  expect([total('created'), total('skipped') + total('invalid')]).toEqual([150, 150]);
  expect([made(flow), flow.sandbox.stats().duplicateKeys]).toEqual([150, 0]);
});

describe('a definition that was changed', () => {
  const loaded = async (flow: Flow, job: string, ...rows: readonly string[]) => {
    const definition = await flow.file('portfolio.yaml', job);
    const file = await flow.file(`${rows.join('')}.csv`, csv(...rows));
    return flow.onboard(['run', '--job-file', definition, file, '--yes']);
  };

  test('so that something else is sent has the file wait, since nothing of it would be known', async () => {
    const flow = await startFlow();
    expect((await loaded(flow, JOB, 'A', 'B')).exitCode).toBe(0);
    const otherwise = `${JOB}ignore: [nothing]\nsend: { canary: 0, concurrency: 3 }\n`.replace(
      'send: { canary: 0 }\n',
      '',
    );
    expect((await loaded(flow, otherwise, 'B', 'A')).exitCode).toBe(0);
    const last = await newestRun(flow);
    const changed = JOB.replace('Ref }', 'Ref, details.alias: details.name }');
    const waiting = await loaded(flow, changed, 'A', 'C');
    expect([waiting.exitCode, made(flow)]).toEqual([2, 2]);
    const id = await newestRun(flow);
    for (const words of [
      'paused (unusual)',
      'what earlier files have created would be created again',
      `Since run ${last}`,
      `resume ${id} --yes`,
    ])
      expect(waiting.stdout.replaceAll(/\s+/g, ' ')).toContain(words);
    // Given up, it counts for nothing; let go, it is what the next is compared with.
    expect((await flow.onboard(['cancel', id])).exitCode).toBe(0);
    expect((await loaded(flow, changed, 'C', 'B')).exitCode).toBe(2);
    expect((await flow.onboard(['resume', await newestRun(flow), '--yes'])).exitCode).toBe(0);
    expect(made(flow)).toBe(4);
    expect((await loaded(flow, changed, 'B', 'D')).exitCode).toBe(0);
    expect(made(flow)).toBe(5);
  });

  test('is measured by a run that was cancelled, too, where some of its rows had gone', async () => {
    const flow = await startFlow({ faults: ['latency=20ms'] });
    const job = JOB.replace('canary: 0', 'canary: 0, concurrency: 1');
    const definition = await flow.file('portfolio.yaml', job);
    const file = await flow.file('a.csv', csv(...refs(200)));
    const run = flow.begin(['run', '--job-file', definition, file]);
    await until(() => made(flow) > 0);
    run.interrupt();
    expect((await run.ended).exitCode).toBe(4);
    expect((await flow.onboard(['cancel', await newestRun(flow)])).exitCode).toBe(0);
    const before = made(flow);
    const changed = job.replace('Ref }', 'Ref, details.alias: details.name }');
    expect([(await loaded(flow, changed, 'R1')).exitCode, made(flow)]).toEqual([2, before]);
  });

  test('is only told where the job says so, and so is a key that was taken out', async () => {
    const flow = await startFlow();
    const keyed = `${JOB}key: Ref\nunusual: warn\n`;
    expect((await loaded(flow, keyed, 'A')).exitCode).toBe(0);
    const { exitCode, stderr } = await loaded(flow, keyed.replace('key: Ref\n', ''), 'B');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('without a key a record is known by that'),
    ]);
  });
});

test('the check foresees what a file would come to', async () => {
  const flow = await startFlow();
  const { summary } = await deliver(flow, WARNED, 'A', 'A', 'B');
  expect(summary.outcomes.created).toBe(3);
  const counts = async (job: string, ...rows: readonly string[]) => {
    const definition = await flow.file('check.yaml', job);
    const file = await flow.file('check.csv', csv(...rows));
    const { stdout } = await flow.onboard(['check', '--job-file', definition, file, '--json']);
    const { invalid, skipped, sendable } = JSON.parse(stdout);
    return { invalid, skipped, sendable };
  };
  expect(await counts(WARNED, 'A', 'A', 'A', 'C')).toEqual({ invalid: 0, skipped: 2, sendable: 2 });
  expect(await counts(JOB, 'A', 'A', 'A', 'C')).toEqual({ invalid: 2, skipped: 1, sendable: 1 });
});

test('like rows can be meant only where no key tells them apart', async () => {
  const flow = await startFlow();
  const job = await flow.file('job.yaml', `${WARNED}key: Ref\n`);
  const file = await flow.file('a.csv', csv('A'));
  const { exitCode, stderr } = await flow.onboard(['run', '--job-file', job, file]);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('checks.same_row: expected error')]);
});
