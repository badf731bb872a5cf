import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alikeKeys, createKeyLikeness, likenessFinding } from '../../src/model/key-likeness.ts';
import { issueWords } from '../../src/model/sentence.ts';

/** Of each key in file order, what it looks like: `lookalike 1`, `case 1`, or nothing. */
function found(keys: readonly string[]): string[] {
  const find = createKeyLikeness();
  return keys.map((key, i) => {
    const like = find(key, i + 1);
    return like === null ? '' : `${like.code.slice('key_'.length)} ${like.row}`;
  });
}

describe('among the keys of a file', () => {
  test.each([
    ['a space at either end', ['A1', 'A1 ', ' A1'], ['', 'lookalike 1', 'lookalike 1']],
    ['a space within', ['A 1', 'A1'], ['', 'lookalike 1']],
    ['a no-break space', ['A1', 'A1\u00a0'], ['', 'lookalike 1']],
    ['a zero width space', ['A1', 'A\u200b1'], ['', 'lookalike 1']],
    ['a byte order mark', ['\ufeffA1', 'A1'], ['', 'lookalike 1']],
    ['a soft hyphen', ['A-1', 'A-\u00ad1'], ['', 'lookalike 1']],
    ['a control character', ['A1', 'A1\u0000'], ['', 'lookalike 1']],
    ['a tab', ['A1', 'A1\t'], ['', 'lookalike 1']],
    ['full width letters', ['A1', 'Ａ１'], ['', 'lookalike 1']],
    ['a letter with its accent apart', ['Zoé', 'Zoe\u0301'], ['', 'lookalike 1']],
    ['other capitals', ['A1', 'a1'], ['', 'case 1']],
    ['sharp s', ['straße', 'STRASSE'], ['', 'case 1']],
    ['other capitals and a space', ['A1', 'a1 '], ['', 'case 1']],
    ['both, one after the other', ['A1', 'a1', 'a1 ', 'A1 '], ['', 'case 1', 'lookalike 2', 'lookalike 1']],
    [
      'the five of one customer',
      ['A1', 'A1 ', ' A1', 'A1\u00a0', 'a1'],
      ['', 'lookalike 1', 'lookalike 1', 'lookalike 1', 'case 1'],
    ],
    ['the same key', ['A1', 'A1', 'A1 ', 'A1 '], ['', '', 'lookalike 1', 'lookalike 1']],
    ['the same key in other capitals', ['A1', 'a1', 'a1'], ['', 'case 1', 'case 1']],
    ['an odd key first', ['A1 ', 'A1', 'A1 '], ['', 'lookalike 1', '']],
    ['another letter, another accent, another digit', ['A1', 'B1', 'Á1', 'A2', 'A-1'], ['', '', '', '', '']],
    ['a letter of another script', ['A1', 'А1'], ['', '']],
    ['nothing but spaces', [' ', '  ', 'A'], ['', 'lookalike 1', '']],
  ])('%s: %j', (_, keys, expected) => {
    expect(found(keys)).toEqual(expected);
  });

  test('of many keys, different ones are different, and each is found again', () => {
    const find = createKeyLikeness();
    const many = 200_000;
    const keyOf = (row: number) => `CUST-${(row * 7919).toString(36).toUpperCase()}`;
    let alike = 0;
    for (let row = 1; row <= many; row += 1) if (find(keyOf(row), row) !== null) alike += 1;
    expect(alike).toBe(0);
    let again = 0;
    for (let row = 1; row <= many; row += 1) if (find(`${keyOf(row)} `, many + row)?.row === row) again += 1;
    expect(again).toBe(many);
  });

  test('whatever the keys, it is as comparing each with all before it says', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'A', ' ', '\u00a0', 'ß', 's'), maxLength: 3 });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 12 }), (keys) => {
        expect(found(keys)).toEqual(keys.map((own, i) => slowly(keys.slice(0, i), own)));
      }),
      { numRuns: 500 },
    );
  });
});

/** By definition: the first key that looks the same and is another one; else the first that is so but for capitals. */
function slowly(before: readonly string[], key: string): string {
  const bare = (text: string) => text.replaceAll(/\s/g, '');
  const fold = (text: string) => bare(text).toLowerCase().toUpperCase().toLowerCase();
  const first = before.findIndex((other) => fold(other) === fold(key));
  const firstKey = before[first];
  if (firstKey === undefined || firstKey === key) return '';
  const looks = before.findIndex((other) => bare(other) === bare(key));
  const like = looks === -1 || before[looks] === key ? `case ${first + 1}` : `lookalike ${looks + 1}`;
  return like;
}

test.each([
  ['A1', ['a1']],
  ['a1', ['A1']],
  ['0815', []],
  ['aB', ['AB', 'ab']],
  ['A1 ', ['A1', 'a1']],
  ['0815\u200b', ['0815']],
])('what the ledger may have of %j: %j', (key, others) => {
  expect(alikeKeys(key, { withCase: true }).map((other) => other.key)).toEqual(others);
});

test('those in other capitals are left out where nobody asks for them', () => {
  expect(alikeKeys('a1 ', { withCase: false })).toEqual([{ key: 'a1', code: 'key_lookalike' }]);
});

test('the words name the row and the run, and hold no key', () => {
  const words = (run: string | null) =>
    likenessFinding({ code: 'key_lookalike', run, row: 4 }, { column: 'Ref', key: 'SECRET' });
  expect(words(null)).toMatchObject({ column: 'Ref', value: 'SECRET' });
  expect(issueWords(words(null))).toMatch(/row 4 of this file$/);
  expect(issueWords(words('run-1'))).toMatch(/row 4 of run run-1$/);
  expect(issueWords(words('run-1'))).not.toContain('SECRET');
});
