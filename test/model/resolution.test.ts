import { expect, test } from 'vitest';
import { describeDecision, idProblem } from '../../src/model/resolution.ts';

test.each(['sub-1', '00017', 'Ä/ö ?', '...'])('%j can be an id', (id) => expect(idProblem(id)).toBeNull());

test.each(['', '.', '..', 'a\nb', 'a\u0085b', '\ud800'])('%j can not be an id, and it is said why', (id) => {
  expect(idProblem(id)).toMatch(/^[ ,]/);
});

test('a decision in words', () => {
  expect(describeDecision({ kind: 'created', id: 'x' })).toBe('created, id x');
  expect(describeDecision({ kind: 'not-created' })).toBe('not created');
});
