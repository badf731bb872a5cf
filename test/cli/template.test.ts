import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { ownFolder } from '../support/folder.ts';
import { onboard } from './memory-io.ts';

const JOBS = (await readdir('jobs')).map((file) => file.replace(/\.yaml$/, ''));

async function check(folder: string, args: readonly string[]) {
  const said = await onboard(['check', ...args, '--json'], { ONBOARD_HOME: join(folder, 'home') });
  return { exitCode: said.exitCode, stderr: said.stderr, ...JSON.parse(said.stdout || '{}') };
}

/** A job of the test's own, and what its template is called as a file. */
async function ownJob(definition: string, ending: string) {
  const folder = await ownFolder();
  const job = join(folder, 'own.yaml');
  await writeFile(job, `operation: counterparty.draft\n${definition}`);
  return { folder, job, file: join(folder, `template.${ending}`) };
}

describe('the template of a shipped job passes check', () => {
  test.each(JOBS.flatMap((job) => ['csv', 'json', 'xlsx'].map((form) => [job, form] as const)))(
    '%s as %s',
    async (job, form) => {
      const folder = await ownFolder();
      const file = join(folder, `template.${form}`);
      const flags = form === 'csv' ? [] : [`--${form}`];
      const made = await onboard(['template', job, ...flags, '--out', file]);
      expect(made).toEqual({
        exitCode: 0,
        stdout: `${file} written. Fill it in, then: onboard check ${job} ${file}\n`,
        stderr: '',
      });
      expect(await check(folder, [job, file])).toMatchObject({ exitCode: 0, invalid: 0, warnings: [] });
    },
  );
});

describe('a template is what the job reads', () => {
  test.each([
    ['a delimiter, a quote, title lines', 'csv', "format: { delimiter: '|', quote: \"'\", header: 3 }", []],
    [
      'a tab and another encoding',
      'csv',
      "format: { delimiter: '\\t', encoding: utf-16le }\nfields: { name: Straße }",
      [],
    ],
    ['an encoding of one byte', 'csv', 'format: { encoding: windows-1252 }\nfields: { name: Straße }', []],
    ['records under a pointer', 'json', 'format: { type: json, records: /data/items }', []],
    ['records line by line', 'ndjson', 'format: { type: ndjson }', []],
    ['a sheet and title rows', 'xlsx', 'format: { type: xlsx, sheet: Payees, header: 2 }', []],
    ['a group, as CSV', 'csv', 'key: Ref\ngroup: accounts', []],
    ['a group, as JSON', 'json', 'key: Ref\ngroup: accounts', ['--json']],
    ['a group, as a workbook', 'xlsx', 'key: Ref\ngroup: accounts', ['--xlsx']],
    [
      'a conversion in a workbook',
      'xlsx',
      'key: Ref\nfields: { isPayer: { column: P, true: [J], false: [N] } }',
      ['--xlsx'],
    ],
  ])('%s', async (_, ending, definition, flags) => {
    const { folder, job, file } = await ownJob(definition, ending);
    expect(await onboard(['template', '--job-file', job, ...flags, '--out', file])).toMatchObject({
      exitCode: 0,
    });
    expect(await check(folder, ['--job-file', job, file])).toMatchObject({ exitCode: 0, warnings: [] });
  });
});

test('without --out it is printed, ready to be a file', async () => {
  const csv = await onboard(['template', 'payment-documents']);
  expect(csv).toEqual({ exitCode: 0, stdout: 'paymentId\nEXAMPLE-ID-0001\n', stderr: '' });
  const json = await onboard(['template', 'payment-documents', '--json']);
  expect(JSON.parse(json.stdout)).toEqual([{ paymentId: 'EXAMPLE-ID-0001' }]);
});

test('with --all it has the other fields, too, and passes check as well', async () => {
  const file = join(await ownFolder(), 'a.csv');
  const [usual, all] = await Promise.all([
    onboard(['template', 'counterparty-drafts']),
    onboard(['template', 'counterparty-drafts', '--all', '--out', file]),
  ]);
  const headers = usual.stdout.split('\n')[0]?.split(',') ?? [];
  const more = (await readFile(file, 'utf8')).split('\n')[0]?.split(',') ?? [];
  expect(all.exitCode).toBe(0);
  expect(more.slice(0, headers.length)).toEqual(headers);
  expect(more).toEqual(expect.arrayContaining(['alias', 'accounts.0.cnaps', 'thirdPartyTypeOther']));
  expect(more).not.toEqual(expect.arrayContaining(['state']));
  expect(await check(join(file, '..'), ['counterparty-drafts', file])).toMatchObject({
    exitCode: 0,
    warnings: [],
  });
});

test('a workbook has a sheet that explains each column, and the rows are read from the other one', async () => {
  const folder = await ownFolder();
  const file = join(folder, 'a.xlsx');
  await onboard(['template', 'subclients-create', '--xlsx', '--out', file]);
  const preview = await onboard(['preview', file, '--all', '--json']);
  const rows = preview.stdout.trim().split('\n');
  expect(rows).toHaveLength(2);
  const parts = unzipSync(await readFile(file));
  expect(strFromU8(parts['xl/workbook.xml'] ?? new Uint8Array())).toMatch(
    /subclients-create.*About the columns/s,
  );
  const texts = strFromU8(parts['xl/sharedStrings.xml'] ?? new Uint8Array());
  for (const text of ['Meaning', 'legal name', 'true or false', 'ISO code of two or three letters'])
    expect(texts).toContain(text);
});

test('the columns of a workbook that hold text are formatted as text to their end', async () => {
  const { job, file } = await ownJob('key: Ref', 'xlsx');
  await onboard(['template', '--job-file', job, '--xlsx', '--out', file]);
  const parts = unzipSync(await readFile(file));
  const part = (name: string) => strFromU8(parts[name] ?? new Uint8Array());
  const styles = [
    ...(part('xl/styles.xml')
      .split('<cellXfs')[1]
      ?.matchAll(/<xf ?(?:numFmtId="(\d+)")?/g) ?? []),
  ];
  const [, style] = /<col min="1" [^>]*style="(\d+)"/.exec(part('xl/worksheets/sheet1.xml')) ?? [];
  const format = styles[Number(style)]?.[1];
  expect(part('xl/styles.xml')).toContain(`<numFmt numFmtId="${format}" formatCode="@"/>`);
});

describe('what can not be done is refused', () => {
  test('a file that is there already is not overwritten', async () => {
    const file = join(await ownFolder(), 'a.xlsx');
    await writeFile(file, 'mine');
    const said = await onboard(['template', 'payment-documents', '--xlsx', '--out', file]);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toContain(`${file}: there is such a file already, and it stays as it is`);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test.each([
    [['--xlsx'], 'expected --out with a file name that ends in .xlsx'],
    [['--xlsx', '--out', 'a.csv'], 'expected --out with a file name that ends in .xlsx'],
    [['--xlsx', '--json'], 'expected one of them'],
    [['--out', '/nowhere/a.csv'], "/nowhere/a.csv: the file can't be written (ENOENT)"],
  ])('%j', async (flags, problem) => {
    const said = await onboard(['template', 'payment-documents', ...flags]);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toContain(problem);
  });

  test('a form that the job does not read', async () => {
    const { job } = await ownJob('format: { type: csv }', 'json');
    const said = await onboard(['template', '--job-file', job, '--json']);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toContain('the job reads csv (format.type)');
  });
});
