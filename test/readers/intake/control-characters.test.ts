import { expect, test } from 'vitest';
import { readText } from './read-text.ts';

/** C0 but tab, line ends and the vertical tab; DEL; C1. NUL refuses a CSV file. */
const SIGNS = Array.from({ length: 0xa0 }, (_, code) => code).filter(
  (code) => (code < 0x20 || code > 0x7e) && ![0, 0x09, 0x0a, 0x0b, 0x0d].includes(code),
);
const named = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

test('a control character makes its row unreadable in CSV, and is spelled by its number', async () => {
  for (const code of SIGNS) {
    const sign = String.fromCharCode(code);
    const text = `id,name,note\nA1,Foo,x\nA2,F${sign}oo,x\n${sign}A3,Foo,"x"\nA4,"Foo\ttab\nline",x\n`;
    const { rows } = await readText(text);
    expect(rows.map(({ kind }) => kind)).toEqual(['cells', 'unreadable', 'unreadable', 'cells']);
    expect(rows[1]).toMatchObject({
      problem: `the control character ${named(code)} in column "name": expected text without such signs, tabs and line breaks aside; take it out`,
      text: 'A2,F\uFFFDoo,x',
    });
  }
});

test.each([
  ['escaped', (code: number) => `\\u${code.toString(16).padStart(4, '0')}`, SIGNS],
  ['as it is', (code: number) => String.fromCharCode(code), SIGNS.filter((code) => code > 0x20)],
  ['by a letter', (code: number) => ({ 8: '\\b', 12: '\\f' })[code] ?? '', [8, 12]],
])(
  'a control character %s makes its JSON record unreadable, in values and in names',
  async (_, write, codes) => {
    for (const code of codes) {
      const records = [
        `{"id":"A${write(code)}"}`,
        `{"id":{"n${write(code)}":1}}`,
        '{"id":"a\\tb\\nc\\u000b"}',
      ];
      for (const text of [records.join('\n'), `[${records.join(',')}]`]) {
        const { rows } = await readText(text, { path: 'f.json' });
        expect(rows.map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable', 'record']);
        expect(rows[0]).toMatchObject({ problem: expect.stringContaining(named(code)) });
      }
    }
  },
);

test('a vertical tab, which some programs write for a line break in a cell, is read', async () => {
  const { rows } = await readText('id,name\nA1,Foo\u000bBar\n');
  expect(rows).toMatchObject([{ kind: 'cells', cells: ['A1', 'Foo\u000bBar'] }]);
});
