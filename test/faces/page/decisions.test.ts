import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowDecision } from '../../../src/engine/ledger/resolve.ts';
import { decisionField, decisionsIn } from '../../../src/faces/page/decisions.ts';

test.each([
  ['row=7&as=created&id=+sub-1+', [{ row: 7, decision: { kind: 'created', id: 'sub-1' } }]],
  ['row=7&id=sub-1', [{ row: 7, decision: { kind: 'created', id: 'sub-1' } }]],
  ['row=7&as=created%3Asub-8&id=', [{ row: 7, decision: { kind: 'created', id: 'sub-8' } }]],
  ['row=7&as=created%3Asub-8&id=sub-8', [{ row: 7, decision: { kind: 'created', id: 'sub-8' } }]],
  ['row=7&as=not-created&id=', [{ row: 7, decision: { kind: 'not-created' } }]],
])('a form says of one row what was chosen or typed: %s', (form, decisions) => {
  expect(decisionsIn(new URLSearchParams(form))).toEqual({ kind: 'decided', decisions });
});

test.each([
  ['row=7', /Say what became/],
  ['row=7&as=created&id=', /Say what became/],
  ['row=x&as=not-created', /Say what became/],
  ['row=7&as=not-created&id=sub-1', /sub-1 is given, and not-created is chosen/],
  ['row=7&as=created%3Asub-8&id=sub-9', /sub-9 is given, and created:sub-8 is chosen/],
  ['decision=7+maybe', /Row 7: "maybe": expected created:<id>/],
  ['', /Say what became/],
])('a form that says nothing sure is refused: %s', (form, problem) => {
  const decided = decisionsIn(new URLSearchParams(form));
  expect(decided.kind === 'problems' ? decided.problems.join() : '').toMatch(problem);
});

test('many decisions come through a form as they are', () => {
  const row = fc.integer({ min: 1, max: 1_000_000 });
  const created = fc.record({
    kind: fc.constant('created' as const),
    id: fc.stringMatching(/^\w[\w&+%=:.-]*$/),
  });
  const not = fc.record({ kind: fc.constant('not-created' as const) });
  const decided = fc.record({ row, decision: fc.oneof(created, not) });
  fc.assert(
    fc.property(fc.array(decided, { minLength: 1 }), (decisions: readonly RowDecision[]) => {
      const form = new URLSearchParams();
      for (const one of decisions) form.append('decision', decisionField(one));
      expect(decisionsIn(new URLSearchParams(form.toString()))).toEqual({ kind: 'decided', decisions });
    }),
  );
});
