import { expect, test } from 'vitest';
import { listPointers } from '../../src/intake/json/json.ts';

test.each<[what: string, text: string, pointers: readonly string[]]>([
  ['one list', '{"items":[{"a":1}]}', ['/items']],
  ['a list further in', '{"data":{"n":1,"items":[{"a":1},{"b":2}]}}', ['/data/items']],
  ['several lists', '{"a":[{}],"b":{"c":[ {} ]}}', ['/a', '/b/c']],
  ['lists in its objects', '{"items":[{"accounts":[{"x":1}]}]}', ['/items']],
  ['a list of texts', '{"tags":["{","[{"],"n":[1,[{}]]}', []],
  ['signs in a name', '{"a/b":{"c~d":[{}]}}', ['/a~1b/c~0d']],
  ['escapes in a name', String.raw`{"\u0061\"}":[{}]}`, ['/a"}']],
  ['a text that ends early', '{"data":{"items":[{"a":"b', ['/data/items']],
  ['no object', '[{"a":[{}]}]', []],
])('in %s: %s', (_, text, pointers) => {
  expect(listPointers(text)).toEqual(pointers);
});
