import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { readingArguments, readingIn } from '../../src/page/reading.tsx';
import { summarize } from '../../src/report/summary.ts';
import { onboard } from '../cli/memory-io.ts';
import { sampleRun } from '../cli/sample-run.ts';
import { ownFolder } from '../support/folder.ts';
import { useOwnRedis } from '../support/redis.ts';
import { csvSource } from '../support/source.ts';
import { until } from '../support/until.ts';
import { look, openOwnDesk, textOf } from './own-desk.ts';

const own = useOwnRedis();

async function* pieces() {
  yield Buffer.from('externalId,details.name\nK1,Acme\n');
}

/** An upload, what processes are started with for it, and its pages; `printed`: what each process says. */
async function openFiles(printed = '', target = 'sandbox', rehearsed = '') {
  const { desk } = await openOwnDesk(own());
  const started: (readonly [options: readonly string[], operands: readonly string[]])[] = [];
  const page = {
    ...{ ...desk, target, ask: null },
    runChild: async (options: readonly string[], operands: readonly string[]) => {
      started.push([options, operands]);
      const stdout = options[0] === 'run' ? rehearsed : printed;
      return { exitCode: printed === '' ? 3 : 0, stdout, problems: ['as it was asked'] };
    },
  };
  const upload = await desk.uploads.receive('-<b>.csv', 'ops-1', pieces());
  const path = `/uploads/${upload.id}`;
  return {
    started,
    upload,
    path,
    uploads: desk.uploads,
    get: (at: string) => look(page, at),
    post: (at: string, form = {}) => look(page, at, { method: 'POST', form }),
  };
}

test.each([
  '--job-file=/etc/hostname',
  '--out=/tmp/made',
  '-h',
  'no-such-job',
  '../jobs/subclients-create',
  '',
])('the name %j is none of a job: no process is started for it', async (job) => {
  const { post, path, started } = await openFiles();
  await expect(post(`${path}/check`, { job })).rejects.toThrow(UsageError);
  await expect(post(`${path}/rehearse`, { job })).rejects.toThrow(UsageError);
  expect(started).toEqual([]);
});

test('a job of the list and a file are operands of the process that checks, rehearses or reads', async () => {
  const { get, post, path, started, upload } = await openFiles();
  const job = 'subclients-create';
  await post(`${path}/check`, { job });
  await post(`${path}/rehearse`, { job });
  const { html: shown } = await get(`${path}?encoding=--out=/tmp/made`);
  expect(shown).toContain('-&lt;b&gt;.csv');
  expect(shown).toContain('as it was asked');
  await until(() => started.length === 3);
  expect(started).toEqual([
    [
      ['check', '--json', '--sandbox'],
      [job, upload.path],
    ],
    [
      ['run', '--sandbox', '--again', '--json'],
      [job, upload.path],
    ],
    [['map', '--json', '--format=encoding=--out=/tmp/made'], [upload.path]],
  ]);
});

test('a rehearsal counts rows that were skipped apart from those that succeeded, and says since when', async () => {
  const given = await ownFolder();
  const file = join(given, 'a.csv');
  await writeFile(file, 'externalId,details.name\nK1,Acme\n');
  const { stdout } = await onboard(['check', '--json', 'subclients-create', file], { ONBOARD_HOME: given });
  const notes = ['Known since run R1, sent with another job.'];
  const outcomes = { ...noOutcomes(), created: 5, skipped: 4, rejected: 1 };
  const run = sampleRun({ state: 'finished', outcomes, source: csvSource({ notes }) });
  const summary = JSON.stringify(summarize(run, new Date()));
  const { get, post, path } = await openFiles(stdout, 'http://127.0.0.1:9', summary);
  const job = 'subclients-create';
  for (const act of ['check', 'rehearse']) await post(`${path}/${act}`, { job });
  const shown = async () => textOf((await get(`${path}/check?job=${job}`)).html);
  await until(async () => (await shown()).includes('Rehearsed: '));
  expect(await shown()).toContain(
    `Rehearsed: 5 of 10 rows succeeded at the stand-in, 4 skipped since their keys were known (exit status 1). ${notes[0]}`,
  );
});

test('of a wide file the pages show 300 columns as text, count the rest, and say which job takes it', async () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => `<i>Column ${i + 1}`);
  const row = { kind: 'cells', row: 1, line: 2, cells: columns };
  const printed = JSON.stringify({ source: csvSource({ columns }), rows: [row], format: {} });
  const { get, path } = await openFiles(printed);
  for (const at of [path, `${path}/map`]) {
    const { html } = await get(at);
    expect(html).toContain('&lt;i&gt;Column 300<');
    expect(html).not.toMatch(/Column 301<|<i>/);
    expect(html).toContain('700 columns more');
  }
  expect((await get(path)).html).toContain('that can&#39;t take it, and why');
});

test('what is discarded is an upload, and nothing that a path leads to', async () => {
  const { post, path, upload, uploads } = await openFiles();
  for (const id of ['..', `../uploads/${upload.id}`, '']) {
    await post(`/uploads/${encodeURIComponent(id)}/discard`);
    expect(await uploads.list()).toEqual([upload]);
  }
  await post(`${path}/discard`);
  expect(await uploads.list()).toEqual([]);
});

test('a job is shown as its file has it, beside a template of the form that is asked for', async () => {
  const { get } = await openFiles();
  expect((await get('/jobs')).html).toContain('<a href="/jobs/subclients-create">');
  expect((await get('/jobs/subclients-create')).html).toContain('operation: subclient.create');
  const { reply } = await get('/jobs/subclients-create/template?as=json');
  expect(reply).toMatchObject({ kind: 'download', name: 'subclients-create.json' });
  expect((await get('/jobs/..%2fjobs%2fsubclients-create')).kind).toBe('missing');
});

test('settings are those of the form and no others, and become arguments that stand for themselves', () => {
  const reading = readingIn(new URLSearchParams('header=2&delimiter=%3B&encoding=&job=x&sheet=--json'));
  expect(reading).toEqual({ header: '2', delimiter: ';', sheet: '--json' });
  expect(readingArguments(reading)).toEqual([
    '--format=header=2',
    '--format=delimiter=;',
    '--format=sheet=--json',
  ]);
});
