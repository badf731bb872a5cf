import { expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import { checkRoutes } from '../../src/page/checking.tsx';
import { filesRoutes } from '../../src/page/files.tsx';
import { jobsRoutes } from '../../src/page/jobs.tsx';
import { mappingRoutes } from '../../src/page/mapping.tsx';
import { inFormWords, readingArguments, readingIn, readingProposed } from '../../src/page/reading.tsx';
import { useOwnRedis } from '../support/redis.ts';
import { csvSource } from '../support/source.ts';
import { until } from '../support/until.ts';
import { OPERATOR, openOwnDesk } from './own-desk.ts';

const own = useOwnRedis();

async function* pieces() {
  yield Buffer.from('externalId,details.name\nK1,Acme\n');
}

/** An upload, what processes are started with for it, and pages about it; `printed`: what each process says. */
async function openFiles(printed = '') {
  const { desk } = await openOwnDesk(own());
  const started: (readonly [options: readonly string[], operands: readonly string[]])[] = [];
  const page = {
    ...{ ...desk, target: 'sandbox', ask: null },
    standing: () => Promise.reject(new Error('not asked for')),
    runChild: async (options: readonly string[], operands: readonly string[]) => {
      started.push([options, operands]);
      return { exitCode: printed === '' ? 3 : 0, stdout: printed, problems: ['as it was asked'] };
    },
  };
  const upload = await desk.uploads.receive('-<b>.csv', 'ops-1', pieces());
  const answer = async (method: 'GET' | 'POST', path: string, fields: Record<string, string> = {}) => {
    const route = [...filesRoutes, ...checkRoutes, ...mappingRoutes, ...jobsRoutes].find(
      (one) => one.method === method && one.path === path,
    );
    if (route === undefined) throw new Error(`no route ${path}`);
    const form = new URLSearchParams(fields);
    const params = { id: upload.id, ...fields };
    return route.answer({ visitor: OPERATOR, params, query: form, form, bytes: null, page });
  };
  const look = async (path: string, fields: Record<string, string> = {}) => {
    const reply = await answer('GET', path, fields);
    return reply.kind === 'page' ? String(await reply.body) : '';
  };
  return { answer, look, started, upload, uploads: desk.uploads };
}

test.each([
  '--job-file=/etc/hostname',
  '--out=/tmp/made',
  '-h',
  'no-such-job',
  '../jobs/subclients-create',
  '',
])('the name %j is none of a job: no process is started for it', async (job) => {
  const { answer, started } = await openFiles();
  await expect(answer('POST', '/uploads/:id/check', { job })).rejects.toThrow(UsageError);
  await expect(answer('POST', '/uploads/:id/rehearse', { job })).rejects.toThrow(UsageError);
  expect(started).toEqual([]);
});

test('a job of the list and a file are operands of the process that checks, rehearses or reads', async () => {
  const { answer, look, started, upload } = await openFiles();
  const job = 'subclients-create';
  await answer('POST', '/uploads/:id/check', { job });
  await answer('POST', '/uploads/:id/rehearse', { job });
  const shown = await look('/uploads/:id', { encoding: '--out=/tmp/made' });
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

test('of a wide file the pages show 300 columns as text, count the rest, and say which job takes it', async () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => `<i>Column ${i + 1}`);
  const row = { kind: 'cells', row: 1, line: 2, cells: columns };
  const printed = JSON.stringify({ source: csvSource({ columns }), rows: [row], format: {} });
  const { look } = await openFiles(printed);
  for (const path of ['/uploads/:id', '/uploads/:id/map']) {
    const html = await look(path);
    expect(html).toContain('&lt;i&gt;Column 300<');
    expect(html).not.toMatch(/Column 301<|<i>/);
    expect(html).toContain('700 columns more');
  }
  expect(await look('/uploads/:id')).toContain('that can&#39;t take it, and why');
});

test('what is discarded is an upload, and nothing that a path leads to', async () => {
  const { answer, upload, uploads } = await openFiles();
  for (const id of ['..', `../uploads/${upload.id}`, '']) {
    await answer('POST', '/uploads/:id/discard', { id });
    expect(await uploads.list()).toEqual([upload]);
  }
  await answer('POST', '/uploads/:id/discard');
  expect(await uploads.list()).toEqual([]);
});

test('a job is shown as its file has it, beside a template of the form that is asked for', async () => {
  const { answer, look } = await openFiles();
  expect(await look('/jobs')).toContain('<a href="/jobs/subclients-create">');
  expect(await look('/jobs/:name', { name: 'subclients-create' })).toContain('operation: subclient.create');
  const template = await answer('GET', '/jobs/:name/template', { name: 'subclients-create', as: 'json' });
  expect(template).toMatchObject({ kind: 'download', name: 'subclients-create.json' });
  expect((await answer('GET', '/jobs/:name', { name: '../jobs/subclients-create' })).kind).toBe('missing');
});

const PROBLEM =
  "onboard: a.csv, line 1: doesn't look like a header; set format.header: 3, or format.header: 1 if line 1 is the header";

test('settings are those of the form and no others, and become arguments that stand for themselves', () => {
  const reading = readingIn(new URLSearchParams('header=2&delimiter=%3B&encoding=&job=x&sheet=--json'));
  expect(reading).toEqual({ header: '2', delimiter: ';', sheet: '--json' });
  expect(readingArguments(reading)).toEqual([
    '--format=header=2',
    '--format=delimiter=;',
    '--format=sheet=--json',
  ]);
});

test('what the reader says of settings is said of the form, which begins with what it proposes', () => {
  expect(inFormWords(PROBLEM)).toBe(
    "a.csv, line 1: doesn't look like a header; set “Line of the header” 3, or “Line of the header” 1 if line 1 is the header",
  );
  expect(readingProposed([PROBLEM])).toEqual({ header: '3' });
  expect(readingProposed(['a.csv: is empty'])).toEqual({});
});
