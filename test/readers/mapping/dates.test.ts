import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedOf } from '../../../src/readers/mapping/conversion.ts';
import { dateByPattern, exampleDate, isoDate } from '../../../src/readers/mapping/dates.ts';

/** Reads by the pattern; a pattern with a problem answers with it. */
function parse(pattern: string | string[], text: string): unknown {
  const conversion = dateByPattern(pattern);
  return typeof conversion === 'string' ? conversion : conversion.fromText(text);
}

test.each([
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2023-02-29', undefined],
  ['1900-02-29', undefined],
  ['2024-04-31', undefined],
  ['2024-13-01', undefined],
  ['2024-00-10', undefined],
  ['2024-01-00', undefined],
  ['0000-01-01', undefined],
  ['2024-1-1', undefined],
  ['20240101', undefined],
  ['2024-01-01T10:00Z', '2024-01-01T10:00:00.000Z'],
  ['2024-01-01T10:00:00.5Z', '2024-01-01T10:00:00.500Z'],
  ['2024-01-01T10:00:00.123000Z', '2024-01-01T10:00:00.123Z'],
  ['2024-01-01T10:00:00.123456Z', undefined],
  ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00.000Z'],
  ['2024-01-01T00:30:00-0530', '2024-01-01T06:00:00.000Z'],
  ['9999-12-31T23:30:00-01:00', undefined],
  ['0001-01-01T00:30:00+01:00', undefined],
  ['2024-01-01T10:00:00', undefined],
  ['2024-01-01T24:00:00Z', undefined],
  ['2024-01-01T10:60:00Z', undefined],
  ['2024-01-01T10:00:60Z', undefined],
  ['2024-01-01T10:00:00+24:00', undefined],
  ['2024-01-01 10:00:00Z', undefined],
  ['2024-01-01\n', undefined],
  ['tomorrow', undefined],
])('when no pattern is given, %j is %j', (text, moment) => {
  expect(isoDate.fromText(text)).toBe(moment);
});

test('when no pattern is given, every moment of the calendar arrives as itself', () => {
  const range = {
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  };
  fc.assert(
    fc.property(fc.date(range), (date) => {
      const text = date.toISOString();
      expect(isoDate.fromText(text)).toBe(text);
      expect(isoDate.fromText(text.slice(0, 10))).toBe(`${text.slice(0, 10)}T00:00:00.000Z`);
    }),
  );
});

test.each([
  ['dd/MM/yyyy', '31/03/2024', '2024-03-31T00:00:00.000Z'],
  ['dd/MM/yyyy', '31/02/2024', undefined],
  ['dd/MM/yyyy', '1/3/2024', undefined],
  ['dd/MM/yyyy', '31-03-2024', undefined],
  ['d.M.yyyy', '01.12.2024', '2024-12-01T00:00:00.000Z'],
  ['d.M.yyyy', '1x3x2024', undefined],
  ['yyyyMMdd', '20240331', '2024-03-31T00:00:00.000Z'],
  ['MM/dd/yyyy HH:mm', '03/31/2024 09:05', '2024-03-31T09:05:00.000Z'],
  ["yyyy-MM-dd'T'HH:mm:ss.SSS", '2024-03-31T09:05:07.089', '2024-03-31T09:05:07.089Z'],
  ['yyyy-MM-ddTHH:mm:ssZ', '2024-03-31T09:05:07Z', '2024-03-31T09:05:07.000Z'],
  ["d 'of' M, yyyy", '5 of 7, 2024', '2024-07-05T00:00:00.000Z'],
  ["yyyy''MM dd (*)", "2024'07 05 (*)", '2024-07-05T00:00:00.000Z'],
  ['dd/MM/yyyy HH:mm', '31/03/2024 24:00', undefined],
  ['dd/MM/yyyy', '31/03/2024 ', undefined],
  ['dd/MM/yy', '31/01/49', '2049-01-31T00:00:00.000Z'],
  ['dd/MM/yy', '31/01/50', '1950-01-31T00:00:00.000Z'],
  ['d MMM yyyy', '1 Mrz. 2015', '2015-03-01T00:00:00.000Z'],
  ['d. MMMM yyyy', '31. M\u00e4rz 2015', '2015-03-31T00:00:00.000Z'],
  ['d MMM yyyy', '5 AOU\u0302T 2015', '2015-08-05T00:00:00.000Z'],
  ['MMM d, yyyy', 'Sept. 5, 2015', '2015-09-05T00:00:00.000Z'],
  ['d MMM yyyy', '5 jui 2015', undefined],
  [['d/M/yyyy', 'dd/MM/yyyy', 'd MMM yy'], '31/12/2015', '2015-12-31T00:00:00.000Z'],
  [['d/M/yyyy', 'dd/MM/yyyy', 'd MMM yy'], '31 Dez. 15', '2015-12-31T00:00:00.000Z'],
  [['dd/MM/yyyy', 'yyyy-MM-dd'], '12/31/2015', undefined],
  ['M/d/yyyy h:mm a', '3/31/2024 9:05 p.m.', '2024-03-31T21:05:00.000Z'],
  ['dd/MM/yyyy hh:mm:ss a', '31/03/2024 12:00:00 AM', '2024-03-31T00:00:00.000Z'],
  ['dd/MM/yyyy hh:mm a', '31/03/2024 12:30 Pm', '2024-03-31T12:30:00.000Z'],
  ['dd/MM/yyyy hh:mm a', '31/03/2024 13:30 PM', undefined],
  ['dd/MM/yyyy hh:mm a', '31/03/2024 00:30 AM', undefined],
  ['yyyy-MM-dd HH:mmXXX', '2024-03-31 00:30+01:00', '2024-03-30T23:30:00.000Z'],
  ['yyyy-MM-dd HH:mmXXX', '2024-03-31 00:30Z', '2024-03-31T00:30:00.000Z'],
  ['yyyy-MM-dd HH:mmXXX', '2024-03-31 00:30+0100', undefined],
  ['yyyyMMddHHmmssXX', '20240331003000-0530', '2024-03-31T06:00:00.000Z'],
  ['yyyy-MM-dd HH:mm XX', '2024-03-31 00:30 +2400', undefined],
  ['yyyy-MM-dd HH:mmX', '2024-03-31 00:30+01', '2024-03-30T23:30:00.000Z'],
])('when the pattern is %j, %j is %j', (pattern, text, moment) => {
  expect(parse(pattern, text)).toBe(moment);
});

test.each([
  ['dd/MM', /the year is missing/],
  ['MM/yyyy', /the day is missing/],
  ['dd/MM/yyy', /"y" is not known/],
  ['dd MMMMM yyyy', /the month appears more than once/],
  ['dd/MM/yyyy hh:mm', /hh or h needs a/],
  ['dd/MM/yyyy HH:mm a', /a needs hh or h/],
  ['dd/MM/yyyyXXX', /an offset needs hours/],
  ['dd/MM/yyyy mm', /minutes need hours/],
  ['dd/MM/yyyy HH:ss', /seconds need minutes/],
  ['dMyyyy', /a sign is needed after d, M, H and h/],
  ["d'1'M yyyy", /a sign is needed after d, M, H and h/],
  ["dd/MM/yyyy 'at", /a single quote is not closed/],
  ['', /is missing/],
])('when the pattern is %j, it is refused', (pattern, problem) => {
  expect(dateByPattern(pattern)).toMatch(problem);
});

test.each([
  [['dd/MM/yyyy', 'MM/dd/yyyy'], '05/04/2003'],
  [['d.MM.yyyy', 'MM.d.yyyy'], '11.10.2003'],
  [['yyyyMMdd', 'ddMMyyyy'], '20030405'],
  [['dd/MM/yyyy', '20yy-MM-dd', 'yyyy-MM-dd'], '2099-04-05'],
  [["d/M/yyyy HH:mm 'PM'", 'd/M/yyyy hh:mm a'], '5/4/2003 09:10 PM'],
  [['d MMM yyyy HH:mm', 'd MMMM yyyy mm:HH'], '5 Apr 2003 09:10'],
])('when two of the patterns %j read one cell differently, they are refused with it', (patterns, text) => {
  expect(dateByPattern(patterns)).toContain(`${JSON.stringify(patterns)}: ${text} could be read by both`);
});

test.each([
  ['1/1/00 0:00', ['d/M/yy H:mm', 'M/d/yy H:mm'], /two digits/],
  ['03/04/2015', ['dd/MM/yyyy', 'MM/dd/yyyy'], undefined],
  ['3/31/2015, 9:30:00\u202FAM', ['M/d/yyyy, h:mm:ss\u202Fa'], undefined],
  ['2015-01-31 00:00:00.000+01', ['yyyy-MM-dd HH:mm:ss.SSSX'], undefined],
  ['42035.25', [], /day number of Excel/],
  ['1422662400000', [], /milliseconds/],
  ['1422662400', [], /\bseconds/],
  ['/Date(1422662400000+0100)/', [], /\.NET/],
  ['2015013112', [], undefined],
  ['120 Sample St 15', [], undefined],
])('%s is told with the patterns %j and as %s', (text, patterns, form) => {
  expect(isoDate.remedy?.(text)).toEqual(patterns.map((pattern) => ({ pattern })));
  expect(expectedOf(isoDate, text).slice(isoDate.expected.length)).toMatch(form ?? /^$/);
});

describe('when a pattern is sound', () => {
  const day = fc.constantFrom('dd', 'd');
  const month = fc.constantFrom('MM', 'M');
  const sign = fc.constantFrom('/', '.', ' ', "'x'", '^', '-');
  const pattern = fc
    .tuple(day, sign, month, sign, fc.constant('yyyy'), fc.constantFrom('', ' HH:mm:ss.SSS'))
    .map((parts) => parts.join(''));

  test('a date written by it is read back', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T00:00:00Z'),
          noInvalidDate: true,
        }),
        (shape, date) => {
          const iso = date.toISOString();
          const written = shape
            .replace('dd', iso.slice(8, 10))
            .replace('d', String(date.getUTCDate()))
            .replace('MM', iso.slice(5, 7))
            .replace('M', String(date.getUTCMonth() + 1))
            .replace('yyyy', iso.slice(0, 4))
            .replace('HH:mm:ss.SSS', iso.slice(11, 23))
            .replaceAll("'", '');
          expect(parse(shape, written)).toBe(
            shape.includes('HH') ? iso : `${iso.slice(0, 10)}T00:00:00.000Z`,
          );
        },
      ),
    );
  });

  test('its example is read back', () => {
    fc.assert(
      fc.property(pattern, (shape) => {
        expect(parse(shape, exampleDate(shape))).toMatch(/^2020-03-31T(09:30|00:00):00\.000Z$/);
      }),
    );
  });
});

test('when a date has another JSON type than text, it is refused', () => {
  expect(isoDate.fromJson(20240101)).toBeUndefined();
});
