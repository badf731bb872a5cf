import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../src/lib/did-you-mean.ts';

const FIELDS = ['details.name', 'details.alias', 'details.taxId', 'addresses.primary.country'];

test.each([
  ['details.nmae', 'details.name'],
  ['Details Name', 'details.name'],
  ['details_tax-id', 'details.taxId'],
  ['adresses.primary.contry', 'addresses.primary.country'],
  ['detail.alias', 'details.alias'],
  ['completely different', null],
  ['', null],
])('%s is taken for %s', (written, meant) => {
  expect(nearest(written, FIELDS)).toBe(meant);
});

test('the words stand behind a sentence, or are nothing', () => {
  expect(didYouMean('runn', new Set(['run', 'check']))).toBe(' Did you mean "run"?');
  expect(didYouMean('subscribe', ['run', 'check'])).toBe('');
});

test('what was written exactly, whatever its case, spaces and hyphens, is always found', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{3,12}$/), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      (candidates, n) => {
        const meant = candidates[n % candidates.length] ?? '';
        expect(nearest(meant.toUpperCase().split('').join('-'), candidates)).toBe(meant);
      },
    ),
  );
});
