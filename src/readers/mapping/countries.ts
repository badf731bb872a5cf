/**
 * The three-letter code of a country as people write it. Nothing is guessed: a name that two
 * countries share in any of these languages, or a territory without an ISO code, has none.
 */
import { createRequire } from 'node:module';
import countries from 'i18n-iso-countries/index.js';
import { z } from 'zod';
import { readData, remembered, wordsOf } from './read-data.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv'] as const;
type Language = (typeof LANGUAGES)[number];

const namesSchema = z.object({ countries: z.record(z.string(), z.union([z.string(), z.array(z.string())])) });

/** Upper case would make other letters of some (`ß` becomes `SS`). */
const CODE = /^[A-Za-z]{2,3}$/;
/** It has no code in ISO 3166-1: XKX and XKK are in use, and its name alone doesn't choose. */
const KOSOVO = 'XK';
/** The package has them the wrong way round in Portuguese: countries.tsv has them right. */
const CONGOS: ReadonlySet<string> = new Set(['CD', 'CG']);
const BY_CODE = codes();
/** Read when the first name is met: most files have codes. */
let byName: ReadonlyMap<string, string> | undefined;

export const countryCode = remembered((written: string): string | undefined => {
  const code = BY_CODE.get(CODE.test(written) ? written.toUpperCase() : written);
  if (code !== undefined || written === '') return code;
  byName ??= names();
  for (const form of formsOf(fold(written))) {
    const found = byName.get(form);
    if (found !== undefined) return found;
  }
  return undefined;
});

/** The code that is probably meant by what is none; `undefined`: nobody can say. */
export function likelyCountry(written: string): string | undefined {
  const [, likely] = readData('country-codes.tsv').find(([wrong]) => wrong === written.toUpperCase()) ?? [];
  return likely;
}

/** `korea, republic of` and `korea (republic of)`, as lists of ISO and of customs have it. */
const TURNED = /^([^,(]+)(?:, | \()(?:the )?([^,()]+)\)?$/;
/** With a title these are another country's (Taiwan), or of two (Congo, Korea). */
const NOT_WITH_TITLE = /^(?:china|chine|cina|[ck]ongo|[ck]orea|coree)$/;

/** The folded name, and the plainer ones that it may be a longer form of. */
function formsOf(folded: string): readonly string[] {
  const [, name, rest] = TURNED.exec(folded) ?? [];
  const whole = name === undefined || rest === undefined ? [folded] : [folded, `${rest} ${name}`];
  return [...whole, ...whole.flatMap(untitled)];
}

/** `Ireland` of `the Republic of Ireland`, `irlande` of `republique dirlande`. */
function untitled(name: string): readonly string[] {
  const words = name.split(' ');
  const isTitle = (word: string) => wordsOf('title').has(word);
  const first = words.findIndex((word) => !isTitle(word) && !wordsOf('article').has(word));
  const plain = words.slice(first).join(' ');
  if (first < 1) return [];
  if (!words.slice(0, first).some(isTitle)) return [plain];
  return NOT_WITH_TITLE.test(plain) ? [] : [plain, plain.replace(/^d(?=[aeiou])/, '')];
}

function codes(): ReadonlyMap<string, string> {
  const byCode = new Map<string, string>();
  for (const [alpha2, alpha3] of Object.entries(countries.getAlpha2Codes()))
    byCode.set(alpha2, alpha3).set(alpha3, alpha3);
  return byCode.set(KOSOVO, 'XKX').set('XKX', 'XKX');
}

/** Folded names, without those of two countries ("Congo" is one in German, the other in Polish). */
function names(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const shared = new Set<string>();
  for (const [code, name] of [...LANGUAGES.flatMap(namesIn), ...shortForms()]) {
    for (const folded of new Set([fold(name), fold(spelledOut(name))])) {
      if ((found.get(folded) ?? code) !== code) shared.add(folded);
      found.set(folded, code);
    }
  }
  for (const name of shared) found.delete(name);
  return found;
}

type Named = readonly [alpha3: string, name: string];

/** The package's main entry loads 80 languages, and Node 20 warns of imported JSON. */
function namesIn(language: Language): readonly Named[] {
  const read: unknown = createRequire(import.meta.url)(`i18n-iso-countries/langs/${language}.json`);
  return Object.entries(namesSchema.parse(read).countries).flatMap(([alpha2, spellings]) => {
    const isWrong = alpha2 === KOSOVO || (language === 'pt' && CONGOS.has(alpha2));
    const alpha3 = isWrong ? undefined : BY_CODE.get(alpha2);
    return alpha3 === undefined ? [] : [spellings].flat().map((name): Named => [alpha3, name]);
  });
}

function shortForms(): readonly Named[] {
  return readData('countries.tsv').map(([alpha3 = '', name = '']): Named => [alpha3, name]);
}

export function spelledOut(name: string): string {
  return name.replaceAll(/[äÄ]/g, 'ae').replaceAll(/[öÖ]/g, 'oe').replaceAll(/[üÜ]/g, 'ue');
}

/**
 * The name without case, accents, hyphens, dots and apostrophes, with one sign for "and" and one
 * word for "Saint": none of these makes another country.
 */
function fold(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase();
  return letters
    .replaceAll(/['’.]/g, '')
    .replaceAll('ł', 'l')
    .replaceAll('-', ' ')
    .replaceAll(/ (?:and|und|et|y|ed?|en|i) /g, ' & ')
    .replaceAll(/\b(?:saint|sankt) /g, 'st ');
}
