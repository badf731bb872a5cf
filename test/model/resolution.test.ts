import { expect, test } from 'vitest';
import { describeDecision } from '../../src/model/resolution.ts';

test('a decision in words', () => {
  expect(describeDecision({ kind: 'created', id: 'x' })).toBe('created, id x');
  expect(describeDecision({ kind: 'not-created' })).toBe('not created');
});
