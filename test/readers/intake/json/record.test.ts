import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inspectJson } from '../../../../src/readers/intake/json/record.ts';

const piece = fc.constantFrom(
  ...'{}[]"\\,:-0a\n \t',
  '12',
  '.5',
  'e3',
  'true',
  'null',
  '"a"',
  '"a":1',
  '\\u00e9',
);

test('whatever the text, it is found valid exactly where JSON.parse accepts it', () => {
  const soup = fc.oneof(fc.string({ unit: piece, maxLength: 10 }), fc.json().chain(damaged));
  fc.assert(
    fc.property(soup, (text) => {
      expect(inspectJson(text).kind).toBe(accepts(text) ? 'valid' : 'broken');
    }),
    { numRuns: 3000 },
  );
});

/** A JSON text as it is, or with one character left out or put in. */
function damaged(text: string) {
  return fc
    .tuple(fc.nat(text.length), fc.constantFrom('', ',', '"', '}', 'x'), fc.nat(1))
    .map(([at, put, drop]) => text.slice(0, at) + put + text.slice(at + drop));
}

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
