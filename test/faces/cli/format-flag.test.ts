import { expect, test } from 'vitest';
import { readFormat } from '../../../src/faces/cli/format-flag.ts';

test('settings of a definition are typed one by one', () => {
  const typed = [
    'delimiter=;',
    "quote='",
    'escape=\\',
    'encoding=utf-16le',
    'header=3',
    'sheet=2026',
    'hidden=skip',
    'trim=true',
  ];
  const { format, given } = readFormat(typed);
  const settings = {
    delimiter: ';',
    quote: "'",
    escape: '\\',
    encoding: 'utf-16le',
    header: 3,
    sheet: '2026',
    hidden: 'skip',
    trim: true,
  };
  expect(given).toEqual(settings);
  expect(format).toEqual({ ...settings, type: 'auto' });
});

test('a value may have the sign that stands before it', () => {
  expect(readFormat(['delimiter==', 'records=/a=b']).given).toEqual({ delimiter: '=', records: '/a=b' });
});

test('what is not typed has its default, and does not count as given', () => {
  const { format, given } = readFormat([]);
  expect(format).toMatchObject({ delimiter: 'auto', encoding: 'auto', quote: '"' });
  expect(given).toEqual({});
});

test.each([
  ['header', '--format header: expected a setting and its value, such as header=3'],
  ['=3', '--format =3: expected a setting and its value, such as header=3'],
  ['haeder=3', '--format haeder: there is no such setting; expected one of'],
  ['haeder=3', 'Did you mean "header"?'],
  ['header=x', '--format header: expected a number, got "x".'],
  ['header=0', '--format header: expected at least 1'],
  ['delimiter=::', '--format delimiter: expected'],
  ['encoding=latin99', '--format encoding: expected auto, utf-8'],
  ['hidden=yes', '--format hidden: expected "send" or "skip"'],
  ['sheet=', '--format sheet: expected at least 1 character, got ""'],
  ['records=items', '--format records: expected a JSON pointer such as /data/items (RFC 6901), got "items"'],
])('%s is refused with what was expected: %s', (typed, problem) => {
  expect(() => readFormat([typed])).toThrow(problem);
});

test('when several settings are wrong, each is named', () => {
  expect(() => readFormat(['header=x', 'records=x'])).toThrow(/--format header: .*\n--format records: /);
});
