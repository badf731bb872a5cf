import { expect, test } from 'vitest';
import { formatOf } from '../../src/cli/preview.ts';
import { ownFile } from '../support/folder.ts';
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
  expect(stdout.includes(`These are the first ${shown} rows; the file has more`)).toBe(more);
});

const FLAGS = { delimiter: 'auto', encoding: 'auto' };

test('the flags of a preview are the settings of a job definition', () => {
  const flags = {
    delimiter: '\\t',
    quote: "'",
    escape: '\\',
    encoding: 'UTF-16LE',
    header: 3,
    comment: '#',
    sheet: 'B',
    records: '/a',
  };
  expect(formatOf(flags)).toMatchObject({ ...flags, encoding: 'utf-16le' });
  expect(formatOf(FLAGS)).toMatchObject({ quote: '"' });
  expect(formatOf(FLAGS).header ?? formatOf(FLAGS).escape).toBeUndefined();
});

const WRONG = [
  ['delimiter', '::', 'expected one character, \\t for a tab, or auto.'],
  ['encoding', 'latin7', 'expected auto or utf-8, '],
  ['comment', '//', 'expected one character.'],
  ['quote', '', 'expected one character.'],
  ['escape', '//', 'expected one character.'],
  ['sheet', '', 'expected the name of a sheet.'],
  ['records', 'items', 'expected a JSON pointer such as /data/items.'],
] as const;

test.each(WRONG)('when --%s is "%s", it is named with what was expected', (flag, value, expected) => {
  expect(() => formatOf({ ...FLAGS, [flag]: value })).toThrow(`--${flag} "${value}": ${expected}`);
});

test('when several flags are wrong, each is named', () => {
  expect(() => formatOf({ ...FLAGS, comment: '', records: 'x' })).toThrow(/--comment .*\n--records /);
});

/** A file whose one telling byte, B4 in a word, is ´ or Ž. */
const doubtful = () => ownFile(Buffer.from('id,name\n1,D\u00B4Angelo\n', 'latin1'));

test('preview refuses a file that two encodings explain equally well, and says which flag decides', async () => {
  const said = await onboard(['preview', await doubtful()]);
  expect([said.exitCode, said.stdout]).toEqual([3, '']);
  expect(said.stderr).toContain('´ in windows-1252 and iso-8859-1 but Ž in iso-8859-15');
  expect(said.stderr).toContain('--encoding');
});

test.each([
  ['windows-1252', 'D´Angelo'],
  ['ISO-8859-15', 'DŽAngelo'],
])('preview --encoding %s reads it so', async (name, cell) => {
  const said = await onboard(['preview', await doubtful(), '--encoding', name, '--all', '--json']);
  const [head = '', row = ''] = said.stdout.split('\n');
  expect(JSON.parse(head)).toMatchObject({
    encoding: name.toLowerCase(),
    delimiter: ',',
    header: ['id', 'name'],
  });
  expect(JSON.parse(row)).toEqual({ row: 1, line: 2, cells: ['1', cell] });
});

test('an encoding that is not known is refused with those that are', async () => {
  const said = await onboard(['preview', await doubtful(), '--encoding', 'latin1', '--delimiter', '::']);
  expect(said.exitCode).toBe(3);
  expect(said.stderr).toContain('--encoding "latin1": expected auto or utf-8, utf-16le,');
  expect(said.stderr).toContain('--delimiter "::": expected one character, \\t for a tab');
});
