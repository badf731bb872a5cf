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
