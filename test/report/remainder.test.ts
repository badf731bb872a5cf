import { describe, expect, it } from 'vitest';
import { serviceMessage } from '../../src/report/remainder.ts';

describe('serviceMessage', () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    ['{\r\n  "a": 1\n}\n', '{ "a": 1 }'],
    ['a\u2028b\u0085c\td', 'a b c d'],
    ['a\u0000b\u001b[31mc', 'a b [31mc'],
    ['', ''],
    [' \n ', ''],
  ])('given the body %j, gives %j', (body, expected) => {
    expect(serviceMessage(body)).toBe(expected);
  });

  it('given a long body, gives its first 500 characters', () => {
    expect(serviceMessage('x'.repeat(501))).toBe('x'.repeat(500));
  });

  it('given a pair of surrogates across the cut, leaves both halves out', () => {
    expect(serviceMessage(`${'x'.repeat(499)}😀`)).toBe('x'.repeat(499));
    expect(serviceMessage(`${'x'.repeat(498)}😀y`)).toBe(`${'x'.repeat(498)}😀`);
  });
});
