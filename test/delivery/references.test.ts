import { describe, expect, test } from 'vitest';
import { resolveReferences } from '../../src/delivery/references.ts';
import type { KeyState } from '../../src/model/identity.ts';
import type { Reference } from '../../src/model/mapping.ts';
import { issueWords } from '../../src/model/sentence.ts';
import { sampleTask } from './sample-task.ts';

const PARENT: Reference = { space: 'subclient', key: 'P1', path: ['parent', 'id'], column: 'Parent Ref' };
/** Row 7 of run-now. */
const TASK = sampleTask('counterparty.draft');
const resolve = (state: KeyState) => resolveReferences(TASK, [PARENT], { states: [state] });

test('a key under which a record was created gives its identifier', () => {
  expect(resolve({ kind: 'known', run: 'run-before', row: 3, id: 'sub-3' })).toEqual({
    kind: 'resolved',
    ids: [{ path: ['parent', 'id'], id: 'sub-3' }],
  });
});

test('an earlier row of the same run that is not done yet is waited for', () => {
  expect(resolve({ kind: 'held', run: 'run-now', row: 6, inDoubt: false })).toEqual({ kind: 'wait' });
});

describe('a row can not be sent where the record of its reference', () => {
  const held = (run: string, row: number, inDoubt = false): KeyState => ({ kind: 'held', run, row, inDoubt });
  const given = (run: string): KeyState => ({ kind: 'given-back', run, row: 2 });

  test.each<[string, KeyState, RegExp, string?]>([
    ['is not known', { kind: 'free' }, /nothing is known of "P1"/],
    ['was not created', given('run-before'), /row 2 of run run-before, which has "P1", was not created/],
    [
      'was not created by an earlier row of the same run',
      given('run-now'),
      /row 2 of run run-now.+ was not created/,
    ],
    ['is in doubt', held('run-now', 2, true), /its outcome is in doubt/, 'reference_in_doubt'],
    ['is another run’s', held('run-other', 2), /row 2 of run run-other has "P1" and is not done yet/],
    // Two rows could wait for each other.
    ['comes later in the file', held('run-now', 8), /row 8 of run run-now/],
    ['is the row itself', held('run-now', 7), /row 7 of run run-now/],
  ])('%s', (_, state, words, code = 'reference_unknown') => {
    const resolved = resolve(state);
    const issue = { row: 7, line: 8, column: 'Parent Ref', value: 'P1', code };
    expect(resolved).toMatchObject({ kind: 'issues', issues: [issue] });
    expect(resolved.kind === 'issues' && resolved.issues.map(issueWords).join()).toMatch(words);
  });
});

test('one reference that can not be had is told at once, whatever the others wait for', () => {
  const other = { ...PARENT, key: 'P2' };
  const states: KeyState[] = [{ kind: 'held', run: 'run-now', row: 1, inDoubt: false }, { kind: 'free' }];
  expect(resolveReferences(TASK, [PARENT, other], { states })).toMatchObject({
    kind: 'issues',
    issues: [{ value: 'P2' }],
  });
});
