import { expect, test } from 'vitest';
import { inFormWords, readingArguments, readingIn, readingProposed } from '../../src/web/reading.tsx';

const PROBLEM =
  "onboard: a.csv, line 1: doesn't look like a header; set format.header: 3, or format.header: 1 if line 1 is the header";

test('settings are those of the form and no others, and become arguments that stand for themselves', () => {
  const reading = readingIn(new URLSearchParams('header=2&delimiter=%3B&encoding=&job=x&sheet=--json'));
  expect(reading).toEqual({ header: '2', delimiter: ';', sheet: '--json' });
  expect(readingArguments(reading)).toEqual([
    '--format=header=2',
    '--format=delimiter=;',
    '--format=sheet=--json',
  ]);
});

test('what the reader says of settings is said of the form, which begins with what it proposes', () => {
  expect(inFormWords(PROBLEM)).toBe(
    "a.csv, line 1: doesn't look like a header; set “Line of the header” 3, or “Line of the header” 1 if line 1 is the header",
  );
  expect(readingProposed([PROBLEM])).toEqual({ header: '3' });
  expect(readingProposed(['a.csv: is empty'])).toEqual({});
});
