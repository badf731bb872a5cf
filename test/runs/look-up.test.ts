import { expect, test } from 'vitest';
import { conclude } from '../../src/runs/look-up.ts';
import { doubtOf } from '../support/settled-row.ts';

const DOUBT = doubtOf(7);
const AT = new Date('2026-11-21T10:00:00Z');
const PLAIN = { absenceIsProof: false, sharedBy: [7], at: AT };

test('a record that is found is the row’s', () => {
  expect(conclude(DOUBT, { kind: 'found', id: 'a' }, PLAIN)).toEqual({
    kind: 'decided',
    decision: { kind: 'created', id: 'a' },
  });
});

test('a record that would be other rows’ too proves nothing', () => {
  const concluded = conclude(DOUBT, { kind: 'found', id: 'a' }, { ...PLAIN, sharedBy: [9, 7] });
  expect(concluded).toMatchObject({ kind: 'open', note: { code: 'timeout', row: 7 } });
  expect(JSON.stringify(concluded)).toContain('rows 7, 9');
});

test('not found is not created only where the user says that absence is proof', () => {
  expect(conclude(DOUBT, { kind: 'not-found' }, { ...PLAIN, absenceIsProof: true })).toEqual({
    kind: 'decided',
    decision: { kind: 'not-created' },
  });
  expect(conclude(DOUBT, { kind: 'not-found' }, PLAIN)).toMatchObject({
    kind: 'open',
    note: {
      message: 'no answer',
      values: { lookedUp: '2026-11-21T10:00:00.000Z: not found, which is no proof' },
    },
  });
});

test('found more than once: the row says so, with the ids', () => {
  const concluded = conclude(DOUBT, { kind: 'found-twice', ids: ['a', 'b', 'c'], count: 4 }, PLAIN);
  expect(concluded).toMatchObject({ kind: 'open', note: { code: 'found_twice', outcome: 'in-doubt' } });
  expect(JSON.stringify(concluded)).toContain('found 4 times, as a, b, c and 1 more');
});

test('what an earlier look-up said gives way', () => {
  const first = conclude(DOUBT, { kind: 'unclear', why: 'First.' }, PLAIN);
  const note = first.kind === 'open' ? first.note : DOUBT;
  expect(conclude(note, { kind: 'unclear', why: 'Second.' }, PLAIN)).toMatchObject({
    note: { message: 'no answer', values: { lookedUp: '2026-11-21T10:00:00.000Z: Second.' } },
  });
});
