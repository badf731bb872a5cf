import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { parsePathPattern } from '../../src/lib/path-pattern.ts';

function fits(pattern: string, path: string): boolean {
  const parsed = parsePathPattern(pattern);
  if (typeof parsed === 'string') throw new Error(`${pattern}: expected ${parsed}`);
  return parsed(path);
}

test.each([
  ['subclients*', 'subclients-1.csv', true],
  ['subclients*', 'partner-x/subclients-1.csv', false],
  ['subclients*', 'Subclients.csv', false],
  ['partner-x/*.csv', 'partner-x/a.csv', true],
  ['**/subclients*', 'subclients.csv', true],
  ['**/subclients*', 'a/b/subclients.csv', true],
  ['a/**/b/**/c', 'a/b/x/b/y/c', true],
  ['a/**/b/**/c', 'a/x/c', false],
  ['a/**', 'a/b/c', true],
  ['a/**', 'a', false],
  ['**', 'a', true],
  ['*a*b*c', 'xaybabzc', true],
  ['*a*b*c', 'xaybabz', false],
  ['*', '', true],
  ['?.csv', '😀.csv', true],
  ['report (1)*.csv', 'report (1)-a.csv', true],
  ['report?1?.csv', 'report[1].csv', true],
])('%s compared with %s: %s', (pattern, path, expected) => {
  expect(fits(pattern, path)).toBe(expected);
});

test.each([
  ['', 'a path below the inbox'],
  ['/a', 'a path below the inbox'],
  ['./a', 'a path below the inbox'],
  ['a/../b', 'a path below the inbox'],
  ['!a*', 'several patterns'],
  ['+(a*)b', 'several patterns'],
  ['a@(b|c)', 'several patterns'],
  ['a[b]', 'several patterns'],
  ['*.{csv,json}', 'several patterns'],
  ['a\\*', 'several patterns'],
  ['a'.repeat(1_001), 'at most 1000 signs'],
  ['['.repeat(900_000), 'at most 1000 signs'],
])('the pattern %s is refused', (pattern, words) => {
  expect(parsePathPattern(pattern)).toContain(words);
});

test('patterns of stars, names and folders mean what other programs take them for', () => {
  const part = fc.stringMatching(/^[ab*?]{1,5}$/).filter((text) => !text.includes('***'));
  const folders = fc.array(fc.oneof(part, fc.constant('**')), { maxLength: 3 });
  const pattern = fc
    .tuple(
      folders,
      part.filter((text) => text !== '**'),
    )
    .map(([start, end]) => [...start, end]);
  const path = fc.array(fc.stringMatching(/^[ab]{1,5}$/), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(pattern, path, (patternParts, pathParts) => {
      const [written, name] = [patternParts.join('/'), pathParts.join('/')];
      expect(fits(written, name)).toBe(picomatch(written)(name));
    }),
    { numRuns: 1_000 },
  );
});

const NAME = 'a'.repeat(255);
const DEEP = `${'a/'.repeat(2_000)}a`;

test.each([
  [`${'*a'.repeat(6)}b`, NAME],
  [`${'*a'.repeat(499)}b`, NAME],
  [`*${'a'.repeat(127)}b`, NAME],
  ['*-*-*/*-*-*.csv', `${'-'.repeat(255)}/${'-'.repeat(255)}`],
  [`${'**/a/'.repeat(190)}b`, DEEP],
  [`**/${'a/'.repeat(400)}b`, DEEP],
  [`${'**/*a*a*b/'.repeat(90)}b`, `${`${'a'.repeat(40)}/`.repeat(100)}c`],
])('the pattern %.20s… tells within milliseconds that a hostile path is not meant', (pattern, path) => {
  const matches = parsePathPattern(pattern);
  if (typeof matches === 'string') throw new Error(matches);
  const begin = process.cpuUsage();
  expect(matches(path)).toBe(false);
  // Of this process, not of a busy machine.
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(1_000);
});
