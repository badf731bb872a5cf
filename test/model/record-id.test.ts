import { expect, test } from 'vitest';
import { idProblem, readId } from '../../src/model/record-id.ts';

test.each(['sub-1', '00017', 'Ä/ö ?', '...', 'a..b', '..a', 'x'.repeat(256)])('%j can be an id', (id) => {
  expect(idProblem(id)).toBeNull();
  expect(readId(id)).toEqual({ kind: 'id', id });
});

test.each([
  ' ',
  '.',
  '..',
  '../users/1',
  'a/..',
  'a\\..\\b',
  'a/./b',
  'a\nb',
  'a\u001b[2J',
  'a\u0085b',
  'a\u200bb',
  'a\u202eb',
  'a\u2028b',
  '\ud800',
  'x'.repeat(257),
])('%j can not be an id, and it is said why', (id) => {
  expect(idProblem(id)).toMatch(/^[ ,]/);
  expect(readId(id)).toEqual({ kind: 'unusable', text: id });
});

test.each([
  [17, { kind: 'id', id: '17' }],
  [0, { kind: 'unusable', text: '0' }],
  [-1, { kind: 'unusable', text: '-1' }],
  [1.5, { kind: 'unusable', text: '1.5' }],
  [2 ** 53, { kind: 'unusable', text: '9007199254740992' }],
  ['', { kind: 'none' }],
  [null, { kind: 'none' }],
  [undefined, { kind: 'none' }],
  [true, { kind: 'none' }],
  [{ id: 'a' }, { kind: 'none' }],
  [['a'], { kind: 'none' }],
])('of %j in an answer only a whole number that was not rounded is an id', (value, expected) => {
  expect(readId(value)).toEqual(expected);
});
