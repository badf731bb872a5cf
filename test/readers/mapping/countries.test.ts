import { createRequire } from 'node:module';
import iso from 'i18n-iso-countries/index.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { countryCode } from '../../../src/readers/mapping/countries.ts';
import NAMES from './country-names.json' with { type: 'json' };

const namesSchema = z.object({ countries: z.record(z.string(), z.union([z.string(), z.array(z.string())])) });
const require = createRequire(import.meta.url);

test.each([
  ['en', ['Congo', 'Congo', 'Kosovo']],
  ['de', ['Kongo', 'Kosovo', 'Saint-Martin']],
  ['fr', ['Kosovo']],
  ['es', ['Congo', 'Kosovo']],
  ['it', ['Kosovo', 'Saint-Martin']],
  ['nl', ['Kosovo', 'Republiek Kosovo']],
  ['pl', ['Kongo', 'Kosowo', 'Saint-Martin']],
  [
    'pt',
    [
      'Kosovo',
      'República Democrática do Congo',
      'República Popular do Congo',
      'São Martinho',
      'São Martinho',
    ],
  ],
  ['sv', ['Kosovo']],
])('each name of a country in %s is its code, but for those of two countries', (language, unknown) => {
  const read: unknown = require(`i18n-iso-countries/langs/${language}.json`);
  const names = Object.entries(namesSchema.parse(read).countries).flatMap(([code, spellings]) =>
    [spellings].flat().map((name) => ({ name, code: iso.alpha2ToAlpha3(code) })),
  );
  const others = names.filter(({ name, code }) => countryCode(name) !== code);
  expect(others.map(({ name }) => name).sort()).toEqual(unknown);
  // The package calls the one Congo by the other's name.
  const isRight = ({ name }: { readonly name: string }) => name === 'República Democrática do Congo';
  const wrong = others.filter((other) => countryCode(other.name) !== undefined && !isRight(other));
  expect(wrong).toEqual([]);
});

test.each([
  ['KOR', ['Korea (the Republic of)', 'Coreia do Sul', 'Sydkorea']],
  ['GBR', ['England & Wales', 'ENGLAND AND WALES', 'Reino Unido', 'Storbritannien']],
  ['COD', ['República Democrática do Congo', 'Demokratiska republiken Kongo']],
  ['COG', ['República do Congo', 'Kongo-Brazzaville']],
  ['XKX', ['XK', 'xkx']],
  ['DEU', ['Alemanha', 'Tyskland']],
])('%s is known as %j', (code, names) => {
  expect(names.map(countryCode)).toEqual(names.map(() => code));
});

test.each(Object.entries(NAMES))('%s is understood however it is usually written', (code, names) => {
  expect(names.map((name) => [name, countryCode(name)])).toEqual(names.map((name) => [name, code]));
});

test.each([
  [
    'two countries',
    ['Kongo', 'Congo', 'Korea', 'Corée', 'Virgin Islands', 'Jungferninseln', 'Saint-Martin', 'St. Martin'],
  ],
  ['another country than its bare name', ['Republic of China', 'China, Republic of', 'Republik China']],
  [
    'no code, or no country',
    ['Kosovo', 'America', 'Channel Islands', 'Nordzypern', 'Serbia and Montenegro', 'Europe'],
  ],
  [
    'nothing',
    ['', 'Republic of', 'The', 'Deutschlandia', 'State of Georgia', 'Paris', 'France, Paris', 'n/a'],
  ],
])('a name of %s has none', (_, names) => {
  expect(names.filter((name) => countryCode(name) !== undefined)).toEqual([]);
});
