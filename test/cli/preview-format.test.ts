import { expect, test } from 'vitest';
import { formatOf } from '../../src/cli/preview-format.ts';

const FLAGS = { delimiter: 'auto', encoding: 'auto' };

test('the flags of a preview are the settings of a job definition', () => {
  const flags = {
    delimiter: '\\t',
    encoding: 'UTF-16LE',
    header: 3,
    comment: '#',
    sheet: 'B',
    records: '/a',
  };
  expect(formatOf(flags)).toMatchObject({ ...flags, encoding: 'utf-16le' });
  expect(formatOf(FLAGS).header).toBeUndefined();
});

const WRONG = [
  ['delimiter', '::', 'expected one character, \\t for a tab, or auto.'],
  ['encoding', 'latin7', 'expected auto or utf-8, '],
  ['comment', '//', 'expected one character.'],
  ['sheet', '', 'expected the name of a sheet.'],
  ['records', 'items', 'expected a JSON pointer such as /data/items.'],
] as const;

test.each(WRONG)('when --%s is "%s", it is named with what was expected', (flag, value, expected) => {
  expect(() => formatOf({ ...FLAGS, [flag]: value })).toThrow(`--${flag} "${value}": ${expected}`);
});

test('when several flags are wrong, each is named', () => {
  expect(() => formatOf({ ...FLAGS, comment: '', records: 'x' })).toThrow(/--comment .*\n--records /);
});
