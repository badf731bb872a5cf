import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWaitingLine, type WaitingLine } from '../../src/lib/waiting-line.ts';

type Step = { readonly kind: 'push' | 'pushFirst' | 'shift'; readonly times: number };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('push', 'pushFirst', 'shift'),
  // So many that emptied room is given back.
  times: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1500)),
});

/** The line as an array would do it. */
function arrayLine(): WaitingLine<number> {
  const items: number[] = [];
  return {
    push: (item) => void items.push(item),
    pushFirst: (item) => void items.unshift(item),
    shift: () => items.shift(),
    length: () => items.length,
  };
}

test('whatever the order of coming and going, it is a line: nobody is lost, doubled or overtaken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const lines = [createWaitingLine<number>(), arrayLine()];
      let next = 0;
      for (const { kind, times } of steps) {
        for (let n = 0; n < times; n += 1) {
          next += 1;
          const [one, other] = lines.map((line) => line[kind](next));
          expect(one).toBe(other);
        }
      }
      const rest = lines.map((line) => Array.from({ length: line.length() }, line.shift));
      expect(rest[0]).toEqual(rest[1]);
    }),
    { numRuns: 60 },
  );
});
