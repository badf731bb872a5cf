import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ownFile } from '../../support/folder.ts';
import { onboard } from './memory-io.ts';

test.each([
  [11, '10', true],
  [10, '10', false],
  [101, '100', true],
  [100, '100', false],
])('of %d rows, preview --rows %s says whether there are more: %s', async (rows, shown, more) => {
  const { stdout } = await onboard([
    'preview',
    await ownFile(`id,name\n${'1,x\n'.repeat(rows)}`),
    '--rows',
    shown,
  ]);
  expect(stdout.includes(`There are more rows than the ${shown} row`)).toBe(more);
});

/** A file whose one byte beyond ASCII, B4 in a word, is ´ or Ž or something else. */
const doubtful = () => ownFile(Buffer.from('id,name\n1,D\u00B4Angelo\n', 'latin1'));

test('preview refuses a file that is not utf-8, shows how the likeliest encodings read it, and how the setting is typed', async () => {
  const said = await onboard(['preview', await doubtful()]);
  expect([said.exitCode, said.stdout]).toEqual([3, '']);
  expect(said.stderr).toContain('windows-1252 ("1,D´Angelo")');
  expect(said.stderr).toContain('iso-8859-15 ("1,DŽAngelo")');
  expect(said.stderr).toContain('expected format.encoding');
  expect(said.stderr).toContain('--format SETTING=VALUE');
});

test.each([
  ['windows-1252', 'D´Angelo'],
  ['iso-8859-15', 'DŽAngelo'],
])('preview --format encoding=%s reads it so', async (name, cell) => {
  const given = ['--format', `encoding=${name}`, '--format', 'header=1'];
  const said = await onboard(['preview', await doubtful(), ...given, '--all', '--json']);
  const [head = '', row = ''] = said.stdout.split('\n');
  expect(JSON.parse(head)).toMatchObject({ encoding: name, delimiter: ',', header: ['id', 'name'] });
  expect(JSON.parse(row)).toEqual({ row: 1, line: 2, cells: ['1', cell] });
});

test('preview takes the only list of one object for the records, says so, and cuts long lists of names', async () => {
  const item = Object.fromEntries(Array.from({ length: 481 }, (_, i) => [`m${i}`, 'x']));
  const items = Array.from({ length: 200 }, () => item);
  const file = await ownFile(JSON.stringify({ at: '2026', data: { items } }), 'export.json');
  const said = await onboard(['preview', file]);
  expect(said.stderr).toContain('a job needs format.records: /data/items');
  expect(said.stdout).toContain('fields     481 columns: m0, m1,');
  expect(said.stdout).toContain(', m19 and 461 more\n');
  const { stdout } = await onboard(['preview', file, '--all', '--json']);
  expect(stdout.trim().split('\n')).toHaveLength(201);
});

test.each([
  [
    'a field of some operation',
    '{"name":"A","accounts":[{"iban":"I"}]}',
    'fields     2 columns: name, accounts.0.iban',
  ],
  ['one of two', '{"a":[{"x":1}],"b":[{"y":1}]}', 'format.records has to name it: /a or /b'],
])('preview does not choose a list that is %s', async (_, text, shown) => {
  const said = await onboard(['preview', await ownFile(text, 'one.json')]);
  expect([said.stderr, said.stdout]).toEqual(['', expect.stringContaining(shown)]);
});

/** Longer than what is read before the first rows are shown. */
const LONG = `id,name\n${'1,x\n'.repeat(200_000)}`;

test.each([
  ['csv', LONG],
  ['csv.gz', gzipSync(LONG)],
  ['ndjson', '{"id":"1","name":"x"}\n'.repeat(200_000)],
])('of a long %s file the beginning is shown so far, then what all of it holds', async (ending, content) => {
  const { exitCode, stdout } = await onboard([
    'preview',
    await ownFile(content, `long.${ending}`),
    '--rows',
    '1',
  ]);
  const [beginning = '', whole = ''] = stdout.split('So far, from the beginning of the file');
  expect(beginning).toMatch(/encoding +utf-8\n.*columns: id, name\n.*\n1 +\d +1 +x\n/s);
  expect(whole).toContain('Read to its end: 200,000 rows.');
  expect(exitCode).toBe(0);
});

test.each([
  ['a quote that is never closed', `${LONG}2,"y\n`, /the quote opened on line 200002 is not closed/],
  ['other bytes', Buffer.from(`${LONG}2,D\u00b4Angelo\n`, 'latin1'), /windows-1252 \("2,D´Angelo"\)/],
])('where %s further down refutes the beginning, the last line says so', async (_, content, problem) => {
  const { exitCode, stdout, stderr } = await onboard(['preview', await ownFile(content)]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/columns: id, name\n/);
  expect(stdout).not.toContain('Read to its end');
  expect(stderr).toMatch(problem);
  expect(stderr.trim().split('\n').at(-1)).toContain(
    'What stands above is true of the beginning of the file alone',
  );
});

test('--no-scan reads the beginning alone, and says so', async () => {
  const file = await ownFile(`${LONG}2,"y\n`);
  const { exitCode, stdout } = await onboard(['preview', file, '--no-scan']);
  expect([exitCode, stdout.trim().split('\n').at(-1)]).toEqual([
    0,
    'Not read to the end: this is what the beginning of the file shows.',
  ]);
  const asJson = await onboard(['preview', file, '--no-scan', '--json', '--rows', '1']);
  expect(asJson.stdout.split('\n').slice(1, 2)).toEqual(['{"row":1,"line":2,"cells":["1","x"]}']);
  expect((await onboard(['preview', file, '--no-scan', '--all', '--json'])).exitCode).toBe(3);
});

test('fields and unreadable rows that only the rest has are told at the end', async () => {
  const file = await ownFile(`${'{"id":"1"}\n'.repeat(60_000)}{"id":"2","town":"x"}\n{"id"\n`, 'a.ndjson');
  const { stdout } = await onboard(['preview', file]);
  expect(stdout).toContain('fields     1 column: id\n');
  expect(stdout).toMatch(
    /Read to its end: 60,002 rows, of which 1 can't be read \(the first on line 60002: .*\)\./,
  );
  expect(stdout).toContain('further fields: 1 column: town\n');
});
