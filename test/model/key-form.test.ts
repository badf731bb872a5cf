import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityOfKey, normalForm } from '../../src/model/key-form.ts';
import { startCpuClock } from '../support/cpu-clock.ts';

describe('the normal form of a key', () => {
  test.each([
    ['capitals', 'CL-0003', 'cl-0003'],
    ['sharp s', 'STRASSE', 'straße'],
    ['sharp s in capitals', 'STRAẞE', 'Straße'],
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
    ['a float of pandas', '1001.0', '1001'],
    ['two decimals', '1001.00', '1001'],
    ['a decimal comma', '1001,0', '1001'],
    ['an apostrophe that keeps text', "'00123", '00123'],
    ['a formula that keeps text', '="00123"', '123'],
    ['a comma between thousands', '1,234', '1234'],
    ['thousands and decimals', '1,234,567.00', '1234567'],
    ['a formula with an apostrophe', '="\'1001"', '1001'],
    ['an apostrophe before a formula with a float', '\'=" 01001.0 "', '1001'],
    ['a float of a formula', '="1001".0', '1001'],
    ['a float of a float', '1001.0.0', '1001'],
    ['zeros before thousands', '0001,234', '1234'],
    ['full width marks', '＇１００１．０', '1001'],
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
    ['a dot between thousands', '1.001', '1001'],
    ['decimals', '1001.5', '1001'],
    ['three decimals behind a comma', '1,000', '1'],
    ['commas of other groups', '1,23,456', '123456'],
    ['a comma behind a zero', '0,234', '234'],
    ['a space between digits', '1 234', '1234'],
    ['an apostrophe of a name', "'t Hof", 't Hof'],
    ['an apostrophe before letters', "'A1", 'A1'],
    ['a formula of letters', '="A1"', 'A1'],
    ['a formula without its end', '="1001', '1001'],
    ['an inch', '1001"', '1001'],
    ['a float of letters', 'A1.0', 'A1'],
    ['an exponent', '1e5', '100000'],
    ['an apostrophe before a sign', "'-5", '-5'],
  ])('keeps %s apart: %j, %j', (_, one, other) => {
    expect(normalForm(one)).not.toBe(normalForm(other));
  });

  const ofItself = (key: string) => {
    const form = normalForm(key);
    return normalForm(form) === form;
  };

  test('of a form is the form itself, for each code point', () => {
    const points = Array.from({ length: 0x110000 }, (_, point) => point);
    const signs = points.filter((point) => point < 0xd800 || point > 0xdfff);
    const isOdd = (sign: string) => {
      const small = sign.toLowerCase();
      return !ofItself(sign) || (small !== sign && normalForm(small) !== normalForm(sign));
    };
    expect(signs.filter((point) => isOdd(String.fromCodePoint(point)))).toEqual([]);
  });

  test.each([
    ['any text', fc.string({ unit: 'binary' })],
    [
      'marks, digits and odd signs',
      fc.string({ unit: fc.constantFrom(...`'=".,01Aßẞ \t\u0301\u0345１\u200b`) }),
    ],
  ])('of a form is the form itself: %s', (_, texts) => {
    fc.assert(
      fc.property(texts, (key) => ofItself(key)),
      { numRuns: 5_000 },
    );
  });

  test('of digits is the same under any marks, in any order', () => {
    const marks: readonly ((text: string) => string)[] = [
      (text) => `'${text}`,
      (text) => `="${text}"`,
      (text) => `${text}.0`,
      (text) => ` ${text}\t`,
    ];
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.constantFrom(...marks), { maxLength: 8 }), (digits, worn) => {
        expect(normalForm(worn.reduce((text, mark) => mark(text), String(digits)))).toBe(String(digits));
      }),
    );
  });

  test('of a text as long as a file’s line is found in proportional time', () => {
    const spentMs = startCpuClock();
    for (const mark of ['0', "'", '.0', ',00', '="']) normalForm(`${mark.repeat(100_000)}1x`);
    expect(spentMs()).toBeLessThan(1_000);
  });
});
