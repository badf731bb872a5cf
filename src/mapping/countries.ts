/**
 * The three-letter code of a country as people write it: a code of two or three letters, a name in English, German,
 * French, Spanish, Italian, Dutch or Polish, or a usual short form. Nothing is guessed: a name that two countries share
 * in any of these languages, or a territory without an ISO code, has none.
 */
import { createRequire } from 'node:module';
import countries from 'i18n-iso-countries/index.js';
import { z } from 'zod';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl'] as const;
type Language = (typeof LANGUAGES)[number];

/** What people write besides the names of ISO 3166-1, by the country's code; parts of a country count as the country. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  ARE: 'UAE, VAE, EAU, ZEA',
  BIH: 'Bosnia, Bosnien, Bosnie, Bosnië',
  BLR: 'Weißrussland, Bielorusia',
  CIV: 'Cote d’Ivoire',
  COD: 'DR Congo, DRC, DR Kongo, RD Congo, RDC, Kongo-Kinshasa, Congo-Kinshasa, Congo (Kinshasa)',
  COG: 'Kongo-Brazzaville, Congo-Brazzaville, Congo (Brazzaville)',
  CZE: 'Czech Rep., Tschechei, Tchéquie, Chequia, Cechia',
  DEU: 'BRD, Bundesrepublik Deutschland, Federal Republic of Germany',
  FSM: 'Micronesia',
  GBR: `
    UK, U.K., Britain, England, Scotland, Wales, Northern Ireland, Schottland, Nordirland, Grande-Bretagne, Angleterre,
    Écosse, Gran Bretaña, Inglaterra, Escocia, Gran Bretagna, Inghilterra, Scozia, Groot-Brittannië, Engeland, Schotland,
    VK, V.K., Vereinigtes Königreich von Großbritannien und Nordirland, Zjednoczone Królestwo, Anglia, Szkocja
  `,
  HKG: 'Hong Kong SAR, Hongkong SAR',
  KOR: 'Republik Korea',
  LAO: 'Laos',
  // A name of two countries has none: the other is Sint Maarten.
  MAF: 'Saint-Martin',
  SXM: 'Saint-Martin',
  MDA: 'Moldova, Republik Moldau, Moldau',
  MMR: 'Burma, Birma, Birmanie, Birmania, Birmania Myanmar',
  NLD: 'Holland, Hollande, Holanda, Olanda, Holandia',
  RUS: 'Russian Fed., Federación Rusa, Federazione Russa',
  SWZ: 'Swaziland, Swasiland',
  SYR: 'Syria, Syrien, Siria',
  TUR: 'Turkiye',
  USA: `
    U.S.A., U.S., Etats-Unis, Stati Uniti, EE.UU., EE. UU., EEUU, E.E.U.U., VS, V.S., Estados Unidos de América,
    Stany Zjednoczone Ameryki
  `,
  VAT: 'Holy See, Vatican, Vatican City, Vatikan, Vaticano',
};

const namesSchema = z.object({ countries: z.record(z.string(), z.union([z.string(), z.array(z.string())])) });

/** Only these letters are put into upper case, which can make others of some letters (`ß` becomes `SS`). */
const CODE = /^[A-Za-z]{2,3}$/;
/** Kosovo has no code in ISO 3166-1; XKX and XKK are both in use, so that whoever writes the file has to choose. */
const KOSOVO = 'XK';
const BY_CODE = codes();
/** Read when the first name is met: most files have codes. */
let byName: ReadonlyMap<string, string> | undefined;

/** The ISO 3166-1 alpha-3 code of a two- or three-letter code (any case) or a name of the country, else `undefined`. */
export function countryCode(written: string): string | undefined {
  const code = BY_CODE.get(CODE.test(written) ? written.toUpperCase() : written);
  if (code !== undefined) return code;
  byName ??= names();
  return byName.get(fold(written));
}

function codes(): ReadonlyMap<string, string> {
  const byCode = new Map<string, string>();
  for (const [alpha2, alpha3] of Object.entries(countries.getAlpha2Codes())) {
    if (alpha2 !== KOSOVO) byCode.set(alpha2, alpha3).set(alpha3, alpha3);
  }
  return byCode;
}

/** Names, folded. A name that two countries share ("Congo", in German one and in Polish the other) is left out: a guess could be wrong. */
function names(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const shared = new Set<string>();
  for (const [code, name] of [...LANGUAGES.flatMap(namesIn), ...shortForms()]) {
    const folded = fold(name);
    if ((found.get(folded) ?? code) !== code) shared.add(folded);
    found.set(folded, code);
  }
  for (const name of shared) found.delete(name);
  return found;
}

type Named = readonly [alpha3: string, name: string];

/** The package's main entry loads some 80 languages, and Node 20 warns of JSON imported as a module. */
function namesIn(language: Language): readonly Named[] {
  const read: unknown = createRequire(import.meta.url)(`i18n-iso-countries/langs/${language}.json`);
  return Object.entries(namesSchema.parse(read).countries).flatMap(([alpha2, spellings]) => {
    const alpha3 = BY_CODE.get(alpha2);
    return alpha3 === undefined ? [] : [spellings].flat().map((name): Named => [alpha3, name]);
  });
}

function shortForms(): readonly Named[] {
  return Object.entries(SHORT_FORMS).flatMap(([code, list]) =>
    list.split(',').map((name): Named => [code, name.trim()]),
  );
}

/** The name without case, accents, hyphens, dots and the kind of apostrophe, which don't make another country. */
function fold(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase();
  return letters.replaceAll('’', "'").replaceAll('ł', 'l').replaceAll('-', ' ').replaceAll('.', '');
}
