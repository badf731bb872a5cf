import { expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import { createFilesPart } from '../../src/page/files.ts';
import { createUploads } from '../../src/page/uploads.ts';
import { useOwnRedis } from '../support/redis.ts';
import { csvSource } from '../support/source.ts';
import { until } from '../support/until.ts';
import { openOwnDesk } from './own-desk.ts';

const own = useOwnRedis();

async function* pieces() {
  yield Buffer.from('externalId,details.name\nK1,Acme\n');
}

/** An upload, and what processes are started with for it. */
async function openFiles(printed = '') {
  const { desk } = await openOwnDesk(own());
  const started: (readonly [options: readonly string[], operands: readonly string[]])[] = [];
  const uploads = createUploads(desk.env.home, () => desk.clock.date());
  const part = createFilesPart(
    { ...desk, target: 'sandbox' },
    {
      uploads,
      runChild: async (options, operands) => {
        started.push([options, operands]);
        return { exitCode: printed === '' ? 3 : 0, stdout: printed, problems: ['as it was asked'] };
      },
    },
  );
  return { part, started, upload: await uploads.receive('-x.csv', 'ops-1', pieces()) };
}

test.each([
  '--job-file=/etc/hostname',
  '--out=/tmp/made',
  '-h',
  'no-such-job',
  '../jobs/subclients-create',
  '',
])('the name %j is none of a job: no process is started for it', async (job) => {
  const { part, started, upload } = await openFiles();
  await expect(part.check(upload.id, job)).rejects.toThrow(UsageError);
  await expect(part.rehearse(upload.id, job)).rejects.toThrow(UsageError);
  expect(started).toEqual([]);
});

test('a job of the list and a file are operands of the process that checks, rehearses or reads', async () => {
  const { part, started, upload } = await openFiles();
  await part.check(upload.id, 'subclients-create');
  await part.rehearse(upload.id, 'subclients-create');
  await part.look(upload.id, { encoding: '--out=/tmp/made' });
  await until(() => started.length === 3);
  expect(started).toEqual([
    [expect.arrayContaining(['check', '--json', '--sandbox']), ['subclients-create', upload.path]],
    [expect.arrayContaining(['run', '--json', '--sandbox', '--again']), ['subclients-create', upload.path]],
    [['map', '--json', '--format=encoding=--out=/tmp/made'], [upload.path]],
  ]);
});

test('of a wide file the page keeps the cells that it shows, and says of every column which job takes it', async () => {
  const columns = Array.from({ length: 1_000 }, (_, i) => `Column ${i}`);
  const source = csvSource({ columns });
  const row = { kind: 'cells', row: 1, line: 2, cells: columns };
  const { part, upload } = await openFiles(JSON.stringify({ source, rows: [row], format: {} }));
  const looked = await part.look(upload.id, {});
  expect(looked).toMatchObject({ kind: 'read', columns, rows: [{ line: 2, cells: columns.slice(0, 300) }] });
  const [job] = looked.kind === 'read' ? looked.jobs : [];
  expect(job?.problems.join(' ')).toContain('Column');
});
