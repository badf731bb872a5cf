import { createRequire } from 'node:module';
import iso from 'i18n-iso-countries/index.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { countryCode } from '../../src/mapping/countries.ts';

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
])(
  'each name of a country in the language %s is its code, but for those of two countries',
  (language, unknown) => {
    const read: unknown = require(`i18n-iso-countries/langs/${language}.json`);
    const names = Object.entries(namesSchema.parse(read).countries).flatMap(([code, spellings]) =>
      [spellings].flat().map((name) => ({ name, code: iso.alpha2ToAlpha3(code) })),
    );
    const others = names.filter(({ name, code }) => countryCode(name) !== code);
    expect(others.map(({ name }) => name).sort()).toEqual(unknown);
    expect(others.filter(({ name }) => countryCode(name) !== undefined)).toEqual([]);
  },
);

test.each([
  ['ARE', ['UAE']],
  ['AUT', ['oesterreich', 'ÖSTERREICH', 'Oesterreich', 'Republik Österreich', 'Republic of Austria']],
  ['BIH', ['Bosnia & Herzegovina', 'Bosnien-Herzegowina', 'Bosnia e Erzegovina']],
  ['BHS', ['The Bahamas', 'Bahamas, The', 'Les Bahamas']],
  ['BLR', ['Weissrussland']],
  ['CHE', ['Zwitserland', 'La Suisse', 'Die Schweiz', 'Schweizerische Eidgenossenschaft']],
  ['CHN', ['China', 'VR China', 'P.R. China', "People's Republic of China"]],
  ['CIV', ['Elfenbeinküste', 'Elfenbeinkueste', "Republic of Côte d'Ivoire", 'Cote dIvoire', 'Ivory Coast']],
  [
    'COD',
    ['Demokratische Republik Kongo', 'RD Congo', 'Congo, Democratic Republic of the', 'Congo, DR', 'Zaire'],
  ],
  ['COD', ['Congo (Democratic Republic of the)', 'Kongo, Demokratische Republik', 'Congo, Dem. Rep.']],
  ['COG', ['Republik Kongo', 'Republic of Congo', 'Congo, Rep.', 'République du Congo', 'Kongo, Republik']],
  ['ESP', ['Hiszpania']],
  ['ITA', ['Wlochy']],
  ['CZE', ['Tschechien', 'The Czech Republic', 'Republika Czeska']],
  ['DEU', ["République fédérale d'Allemagne", 'RFN']],
  [
    'GBR',
    [
      'UK',
      'England',
      'Regno Unito',
      'The United Kingdom',
      'Angleterre',
      'Pays de Galles',
      'Vereinigtes Koenigreich',
      'U.K.',
    ],
  ],
  ['GMB', ['Gambia, The', 'The Gambia']],
  ['HKG', ['Hong Kong SAR, China', 'Hong Kong (China)']],
  ['IRL', ['Republic of Ireland', 'Ireland (Republic of)', "République d'Irlande", 'Éire']],
  ['IRN', ['Iran, Islamic Republic of', "République islamique d'Iran", 'Iran, Islamic Rep.']],
  ['KNA', ['St. Kitts and Nevis', 'Saint Kitts & Nevis']],
  [
    'KOR',
    [
      'Republik Korea',
      'Korea, Republic of',
      'Korea (South)',
      'Korea, Rep.',
      'République de Corée',
      'Süd-Korea',
    ],
  ],
  ['LIE', ['Fürstentum Liechtenstein', 'Fuerstentum Liechtenstein']],
  ['MAC', ['Macau', 'Macao SAR']],
  ['MKD', ['Republic of North Macedonia', 'Mazedonien', 'Macédoine']],
  [
    'NLD',
    [
      'Holland',
      'Netherlands, The',
      'Les Pays-Bas',
      'Kingdom of the Netherlands',
      'Königreich der Niederlande',
    ],
  ],
  ['PRK', ["Korea, Democratic People's Republic of", 'North Korea', 'Korea (North)', 'DPRK']],
  ['RUS', ['Russische Föderation', 'Fédération de Russie', 'The Russian Federation']],
  ['TUR', ['Türkei', 'Türkiye', 'Republic of Türkiye', 'Tuerkei', 'République de Turquie']],
  ['TZA', ['Tanzania, United Republic of', 'Tanzanie']],
  ['USA', ['USA', 'EE.UU.', 'The United States', 'Vereinigte Staaten von Amerika', 'Etats-Unis']],
  ['VGB', ['BVI', 'Virgin Islands (British)', 'Virgin Islands, British']],
  ['VIR', ['US Virgin Islands', 'Virgin Islands (U.S.)']],
  ['VNM', ['Viet Nam', 'Việt Nam']],
])('%s is understood however it is usually written', (code, names) => {
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
