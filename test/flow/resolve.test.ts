import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { summarySchema } from '../../src/runs/report/summary.ts';
import { createJob, type Flow, startFlow, subclientsCsv } from '../support/flow.ts';
import { startFront, truthOf } from '../support/front.ts';

const CREATE = createJob();

function resolutionOf(truth: ReadonlyMap<string, readonly string[]>, key: string): string {
  const [id] = truth.get(key) ?? [];
  return id === undefined ? 'not-created' : `created:${id}`;
}

/** Fills in every line as the truth is. */
function filled(csv: string, truth: ReadonlyMap<string, readonly string[]>): string {
  const [header = '', ...lines] = csv.trimEnd().split('\n');
  const decided = lines.map((line) => line + resolutionOf(truth, line.slice(0, line.indexOf(','))));
  return [header, ...decided, ''].join('\n');
}

async function resolve(flow: Flow, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ended = await flow.onboard(['resolve', ...args, '--json'], env);
  expect(ended.stdout, ended.stderr).not.toBe('');
  return { ...ended, answer: JSON.parse(ended.stdout) };
}

test('two hundred rows in doubt, half of them created: settled by command and by file, each as it was', async () => {
  const flow = await startFlow({ faults: ['reset-before=every:4', 'reset-after-create=every:3'] });
  const job = await flow.file('create.yaml', CREATE);
  const { exitCode, summary } = await flow.load(job, subclientsCsv(400));
  expect(exitCode).toBe(5);
  expect(summary.outcomes).toMatchObject({ created: 200, 'in-doubt': 200 });
  flow.sandbox.setFaults([]);
  const truth = truthOf(flow.sandbox);
  expect(truth.size).toBe(300);

  const inDoubt: Array<Record<string, string>> = parse(await flow.report(summary, 'in-doubt.csv'), {
    columns: true,
    bom: true,
  });
  const made = inDoubt.find(({ externalId = '' }) => truth.has(externalId));
  const lost = inDoubt.find(({ externalId = '' }) => !truth.has(externalId));
  const id = truth.get(made?.externalId ?? '')?.[0] ?? '';
  expect((await resolve(flow, [summary.run, made?.onboard_row ?? '', '--created', id])).exitCode).toBe(0);
  const byHand = await resolve(flow, [summary.run, lost?.onboard_row ?? '', '--not-created'], {
    ONBOARD_ACTOR: 'Ann',
  });
  expect(byHand.answer).toMatchObject({ by: 'Ann', notCreated: 1, inDoubt: 198 });

  const path = join(flow.home, 'reports', summary.run, 'in-doubt.csv');
  await writeFile(path, filled(await readFile(path, 'utf8'), truth));
  const again = join(flow.home, 'kept.csv');
  await copyFile(path, again);
  const byFile = await resolve(flow, [summary.run, '--file', path]);
  expect(byFile).toMatchObject({
    exitCode: 0,
    answer: { created: 99, notCreated: 99, undecided: 0, refused: [], inDoubt: 0, exitCode: 1, kept: null },
  });

  const results = await flow.results(summary);
  expect(results).toHaveLength(400);
  for (const { key = '', outcome, id: reported, message } of results) {
    const known = truth.get(key)?.[0];
    expect([key, outcome, reported]).toEqual([key, known === undefined ? 'failed' : 'created', known ?? '']);
    if (outcome === 'failed') expect(message).toMatch(/^resolved as not created by \S+ at 20\d\d-/);
  }
  const after = summarySchema.parse(JSON.parse(await flow.report(summary, 'summary.json')));
  expect(after).toMatchObject({
    outcomes: { created: 300, failed: 100, 'in-doubt': 0 },
    controlTotal: { rows: 400, settled: 400, holds: true },
    exitCode: 1,
  });
  expect(after.files).not.toContain('in-doubt.csv');

  const text = await flow.report(summary, 'results.csv');
  const twice = await resolve(flow, [summary.run, '--file', again]);
  expect(twice).toMatchObject({
    exitCode: 0,
    answer: { created: 0, notCreated: 0, unchanged: 198, refused: [] },
  });
  expect(await flow.report(summary, 'results.csv')).toBe(text);

  // What was not created may be sent now, and only that: the keys of the others are known.
  const failed = await flow.file('failed.csv', await flow.report(summary, 'failed.csv'));
  const sent = await flow.run(['--job-file', job, failed]);
  expect(sent).toMatchObject({ exitCode: 0, summary: { outcomes: { created: 100 } } });
  const all = await flow.load(job, `${subclientsCsv(400)}\n`);
  expect(all.summary.outcomes).toMatchObject({ skipped: 400, created: 0 });
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 400 }, duplicateKeys: 0 });
});

test('a key in doubt of a row that was not created can be sent again, without a key by its report file', async () => {
  const flow = await startFlow({ faults: ['reset-before=first:1'] });
  const job = await flow.file('j.yaml', 'operation: subclient.create\n');
  const { summary } = await flow.load(job, 'details.name\nOne\n');
  await resolve(flow, [summary.run, '1', '--not-created']);
  const failed = await flow.file('failed.csv', await flow.report(summary, 'failed.csv'));
  expect((await flow.run(['--job-file', job, failed])).summary.outcomes.created).toBe(1);
  expect(flow.sandbox.stats().made.subclients).toBe(1);
});

const lookupOf = (over = '') =>
  `${CREATE}lookup: { path: "/v1/things?ref={key}", match: /data/items, id: /record/id${over} }\n`;

/** Rows that are made and lost (A), lost before (B), made twice as far as the look-up tells (D), and others (C). */
function mixedCsv(): string {
  const keys = ['A1', 'C1', 'B1', 'C2', 'D1', 'C3', 'A 2/ä', 'C4', 'B2', 'C5', 'C6'];
  return ['externalId,details.name', ...keys.map((key) => `${key},Company ${key}`), ''].join('\n');
}

async function startMixed() {
  const flow = await startFlow({
    times: { ...SHIPPED_TIMES, lookUpAfterMs: 1_000 },
    faults: [
      'reset-after-create=always;key=A',
      'reset-before=always;key=B',
      'reset-after-create=always;key=D',
    ],
  });
  const front = await startFront(flow.sandbox, (key) => (key.startsWith('D') ? 'another' : null));
  return { flow, ...front, file: await flow.file('mixed.csv', mixedCsv()) };
}

describe('the look-up', () => {
  test('settles at the end of the run what was found, and leaves what proves nothing', async () => {
    const { flow, seen, env, file } = await startMixed();
    seen.trouble = 2;
    const job = await flow.file('j.yaml', lookupOf());
    const { exitCode, summary, stderr } = await flow.run(['--job-file', job, file], env);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('Looked up 5 rows in doubt: 2 created, 0 not created, 3 still in doubt.');
    expect(summary.outcomes).toMatchObject({ created: 8, 'in-doubt': 3 });
    // The run has ended a moment after the last create, and from then on it waits.
    expect(seen.firstLookUpAt - seen.lastCreateAt).toBeGreaterThan(1_000);
    expect(seen.lookUps).toBe(7);
    const rows = new Map((await flow.results(summary)).map((row) => [row.key, row]));
    const truth = truthOf(flow.sandbox);
    for (const key of ['A1', 'A 2/ä']) {
      expect(rows.get(key)).toMatchObject({ outcome: 'created', id: truth.get(key)?.[0] });
      expect(rows.get(key)?.message).toMatch(/^resolved as created by lookup at /);
    }
    expect(rows.get('B1')?.message).toContain('not found, which is no proof');
    expect(rows.get('D1')).toMatchObject({ outcome: 'in-doubt', code: 'found_twice' });
    expect(rows.get('D1')?.message).toContain(`found 2 times, as ${truth.get('D1')?.[0]}, another`);
  });

  test('on demand, with absence as proof: what is not found was not created, and may be sent', async () => {
    const { flow, seen, env, file } = await startMixed();
    const plain = await flow.file('plain.yaml', CREATE);
    const { summary } = await flow.run(['--job-file', plain, file], env);
    expect([summary.outcomes['in-doubt'], seen.lookUps]).toEqual([5, 0]);
    // Written once there are rows in doubt, in the job that the run goes by.
    await flow.file('plain.yaml', lookupOf(', absence: proof'));
    const jobs = { ONBOARD_JOBS: flow.home };
    const looked = await resolve(flow, [summary.run, '--lookup'], { ...env, ...jobs });
    expect(looked).toMatchObject({
      exitCode: 0,
      answer: { by: 'lookup', created: 2, notCreated: 2, undecided: 1, inDoubt: 1, exitCode: 5 },
    });
    const id = truthOf(flow.sandbox).get('D1')?.[0] ?? '';
    expect((await resolve(flow, [summary.run, '5', '--created', id])).answer.inDoubt).toBe(0);
    flow.sandbox.setFaults([]);
    const failed = await flow.file('failed.csv', await flow.report(summary, 'failed.csv'));
    expect((await flow.run(['--job-file', plain, failed], env)).summary.outcomes.created).toBe(2);
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 11 }, duplicateKeys: 0 });
  });
});
