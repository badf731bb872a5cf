import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityOfKey, normalForm } from '../../src/model/key-form.ts';

describe('the normal form of a key', () => {
  test.each([
    ['capitals', 'CL-0003', 'cl-0003'],
    ['sharp s', 'STRASSE', 'straße'],
    ['letters of other scripts', 'ИНН-Я', 'инн-я'],
    ['a sigma at the end of a word', 'ΟΔΟΣ', 'οδος'],
    ['leading zeros', '00017', '17'],
    ['nothing but zeros', '000', '0'],
    ['full width digits', '００17', '17'],
    ['white space at both ends', '\t 00017\u00a0', '17'],
    ['a no-break space within', 'A\u00a01', 'a 1'],
    ['a zero width space', 'A\u200b1', 'a1'],
    ['a byte order mark', '\ufeffA1', 'a1'],
    ['a soft hyphen', 'A-\u00ad1', 'a-1'],
    ['a control character', 'A1\u0000', 'a1'],
    ['full width letters', 'Ａ１', 'a1'],
    ['a letter with its accent apart', 'Zoe\u0301', 'zoé'],
  ])('is the same whatever the %s: %j, %j', (_, one, other) => {
    expect(normalForm(one)).toBe(normalForm(other));
    expect(identityOfKey(one, 'exact')).not.toBe(identityOfKey(other, 'exact'));
  });

  test.each([
    ['zeros before more than digits', '0017a', '17a'],
    ['zeros behind a sign', '-017', '-17'],
    ['spaces within', 'A 1', 'A1'],
    ['accents', 'Á1', 'A1'],
    ['letters that look alike in another script', 'А1', 'A1'],
    ['dots', '1.0', '10'],
  ])('keeps %s apart: %j, %j', (_, one, other) => {
    expect(normalForm(one)).not.toBe(normalForm(other));
  });

  test('of a form is the form itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        const form = normalForm(key);
        expect(normalForm(form)).toBe(form);
      }),
      { numRuns: 300 },
    );
  });
});
