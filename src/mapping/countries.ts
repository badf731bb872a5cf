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
  ALA: 'Åland-Inseln, Alandinseln',
  ARE: 'UAE, VAE, EAU, ZEA, Dubai, Abu Dhabi',
  BES: 'Caribbean Netherlands',
  BFA: 'Burkina',
  BHR: 'Baréin',
  BIH: 'Bosnia, Bosnien, Bosnie, Bosnië, Bosnien-Herzegowina, Bosnia-Herzegovina, Bosnia-Erzegovina',
  BLM: 'St. Barthélemy, St. Barts, St. Barth',
  BLR: 'Weißrussland, Bielorusia',
  BOL: 'Plurinational State of Bolivia, Plurinationaler Staat Bolivien, Estado Plurinacional de Bolivia',
  BWA: 'Botsuana',
  CAF: 'Centrafrique',
  CHE: 'Swiss Confederation, Schweizerische Eidgenossenschaft, Confédération suisse, Confederazione Svizzera',
  CHN: `
    PRC, PR China, VR China, Volksrepublik China, République populaire de Chine, República Popular China,
    República Popular de China, Repubblica Popolare Cinese, Chińska Republika Ludowa, Mainland China
  `,
  CIV: 'Cote d’Ivoire, Cote d Ivoire',
  COD: `
    DR Congo, DRC, DR Kongo, RD Congo, RDC, RD del Congo, DR Konga, Congo DR, Congo RDC, Kongo-Kinshasa, Congo-Kinshasa,
    Congo (Kinshasa), Democratic Republic of Congo, Demokratische Republik Kongo, Dem. Rep. Kongo, Dem. Rep. Congo,
    República Democrática del Congo, Zaire
  `,
  COG: `
    Kongo-Brazzaville, Congo-Brazzaville, Congo (Brazzaville), Republic of Congo, Republik Kongo, Rep. Congo,
    República del Congo, Republika Konga
  `,
  CPV: 'Wyspy Zielonego Przylądka',
  CYM: 'Cayman, Cayman-Inseln',
  CZE: 'Czech Rep., Tschechei, Tchéquie, Rép. tchèque, Chequia, Cechia, Republika Czeska',
  DEU: `
    BRD, Bundesrepublik Deutschland, Federal Republic of Germany, RFA, République fédérale d'Allemagne,
    República Federal de Alemania, Repubblica Federale di Germania, RFN, Republika Federalna Niemiec
  `,
  DOM: 'Rep. Dominicana',
  EGY: 'Arab Republic of Egypt, Arab Rep. Egypt',
  ESH: 'Western Sahara, Westsahara',
  FJI: 'Fidschi-Inseln, Fiji Islands',
  FLK: 'Falkland Islands, Falklands, Malouines',
  FRA: 'French Republic, République française, Französische Republik',
  FRO: 'Färöer-Inseln, Faeroe Islands',
  FSM: 'Micronesia, Federated States of Micronesia, Fed. Sts. Micronesia, Föderierte Staaten von Mikronesien',
  GBR: `
    UK, U.K., G.B., Britain, England, Scotland, Wales, Northern Ireland, Schottland, Nordirland, Gross-Britannien,
    Grande-Bretagne, Angleterre, Écosse, Pays de Galles, Irlande du Nord, Gran Bretaña, Inglaterra, Escocia, Gales,
    País de Gales, Irlanda del Norte, Gran Bretagna, Inghilterra, Scozia, Galles, Irlanda del Nord, Groot-Brittannië,
    Engeland, Schotland, Noord-Ierland, VK, V.K., Zjednoczone Królestwo, Anglia, Szkocja, Walia, Irlandia Północna,
    United Kingdom of Great Britain and Northern Ireland, Vereinigtes Königreich von Großbritannien und Nordirland,
    Royaume-Uni de Grande-Bretagne et d'Irlande du Nord, Reino Unido de Gran Bretaña e Irlanda del Norte,
    Regno Unito di Gran Bretagna e Irlanda del Nord,
    Zjednoczone Królestwo Wielkiej Brytanii i Irlandii Północnej
  `,
  GRC: 'Hellenic Republic, Hellas',
  GUF: 'Guyane',
  HKG: 'Hong Kong SAR, Hongkong SAR, Hong Kong SAR China, China Hong Kong, China Hong Kong SAR',
  IMN: 'Eiland Man',
  IRL: 'Éire',
  ISR: 'State of Israel',
  ITA: 'Italian Republic, Repubblica Italiana',
  KAZ: 'Kazajstán',
  KGZ: 'Kirghizstan, Kirgizstan, Kyrgyz Republic',
  KNA: 'St. Kitts and Nevis, Saint-Kitts-et-Nevis, San Cristóbal y Nieves',
  KOR: `
    ROK, Rep. Korea, Republik Korea, République de Corée, Repubblica di Corea, Republika Korei, S. Korea, Süd-Korea, Corea del Sur
  `,
  KWT: 'State of Kuwait',
  LAO: 'Laos, Lao PDR, Demokratische Volksrepublik Laos, République démocratique populaire lao',
  LBY: 'State of Libya',
  LCA: 'Saint-Lucie',
  LIE: 'Lichtenstein',
  MAC: 'Macau, Macao SAR, Macau SAR, China Macao, China Macau',
  // A name of two countries has none: the other is Sint Maarten.
  MAF: 'Saint-Martin',
  SXM: 'Saint-Martin, St. Maarten',
  MDA: 'Moldova, Republik Moldau, Moldau, République de Moldavie, República de Moldavia',
  MEX: 'Méjico, Estados Unidos Mexicanos, United Mexican States',
  MKD: 'Macedonia, Mazedonien, Macédoine, Macedonië, FYROM, Former Yugoslav Republic of Macedonia',
  MMR: 'Burma, Birma, Birmanie, Birmania, Birmania Myanmar, Union of Myanmar, Republik der Union Myanmar',
  MUS: 'Île Maurice',
  NLD: 'Holland, Hollande, Holanda, Olanda, Holandia, Niderlandy',
  NZL: 'Nueva Zelandia, Aotearoa',
  POL: 'Rzeczpospolita Polska',
  PRK: `
    DPRK, Dem. People's Rep. Korea, Democratic People's Republic of Korea, Demokratische Volksrepublik Korea, Nord-Korea, Corea del Norte,
    République populaire démocratique de Corée, Repubblica Popolare Democratica di Corea,
    Koreańska Republika Ludowo-Demokratyczna, N. Korea
  `,
  PRT: 'Portuguese Republic, Portugiesische Republik',
  PSE: `
    Palästina, Palästinensische Gebiete, Palestinian Territories, Territoires palestiniens, State of Palestine,
    Staat Palästina, Occupied Palestinian Territory
  `,
  QAT: 'State of Qatar',
  RUS: `
    Russian Fed., Fédération de Russie, Fédération russe, Federación Rusa, Federación de Rusia, Federazione Russa,
    Federacja Rosyjska
  `,
  SAU: 'KSA, Saudiarabien, Arabia Saudí, Saoedi-Arabië',
  SJM: 'Svalbard, Spitzbergen',
  SLB: 'Salomoninseln',
  SLV: 'Salvador',
  SVK: 'Slovak Republic, Slowakische Republik, République slovaque, Repubblica Slovacca, República Eslovaca',
  SWZ: 'Swaziland, Swasiland, Suazilandia',
  SYR: 'Syria, Syrien, Siria, République arabe syrienne, Arabische Republik Syrien',
  TCA: 'Turks and Caicos Islands, Turks and Caicos',
  TLS: 'East Timor, Timor oriental, Oost-Timor',
  TTO: 'Trinidad, Trinidad/Tobago',
  TUR: 'Turkiye',
  TWN: 'Taiwan ROC, ROC Taiwan, Province of China Taiwan, Chinese Taipei',
  TZA: 'Tanzanie, Vereinigte Republik Tansania',
  USA: `
    U.S.A., U.S., Etats-Unis, Stati Uniti, EE.UU., EE. UU., EEUU, E.E.U.U., VS, V.S., Estados Unidos de América,
    Stany Zjednoczone Ameryki, Stany Zjednoczone Ameryki Północnej, United States of America
  `,
  VAT: `
    Holy See, Vatican, Vatican City, Vatican City State, Vatikan, Vaticano, Heiliger Stuhl, Saint-Siège,
    Ciudad del Vaticano, Cité du Vatican, État de la Cité du Vatican, Stato della Città del Vaticano
  `,
  VCT: 'St. Vincent',
  VEN: 'Bolivarian Republic of Venezuela, Bolivarische Republik Venezuela, República Bolivariana de Venezuela',
  VGB: 'BVI, British Virgin Islands',
  VIR: 'USVI, US Virgin Islands, United States Virgin Islands, Îles Vierges des États-Unis',
  VNM: 'Viet Nam',
  ZAF: 'RSA, RPA, Republika Południowej Afryki, Afryka Południowa, Suráfrica',
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
  for (const form of formsOf(fold(written))) {
    const found = byName.get(form);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `korea, republic of` and `korea (republic of)`, as lists of ISO and of customs have it. */
const TURNED = /^([^,(]+)(?:, | \()([^,()]+)\)?$/;
const ARTICLE = /^(?:the|die|der|das|la|le|les|los|las|il|gli|de|het) /;
/** What stands before a country's name in its official form. */
const TITLE =
  /^(?:(?:islamic |islamische )?rep(?:ubli[ck])? (?:of )?|kingdom of |principality of |sultanate of |commonwealth of |bailiwick of |grand duchy of |konigreich |koenigreich |furstentum |fuerstentum |grossherzogtum |sultanat |(?:republique(?: islamique)?|royaume|principaute|grand duche|republica|reino|principado|repubblica|regno|principato) (?:de|du|des|del|di|of) |(?:republique(?: islamique)?|royaume|grand duche) d(?=[aeiou])|republiek |koninkrijk |groothertogdom )/;
/** With a title before it, each of these names is another country's, or nobody's for certain: Taiwan, two Congos and two Koreas. */
const NOT_WITH_TITLE = /^(?:the )?(?:china|chine|cina|[ck]ongo|[ck]orea|coree)$/;

/** The folded name, and the plainer ones that it may be a longer form of. */
function formsOf(folded: string): readonly string[] {
  const [, name, rest] = TURNED.exec(folded) ?? [];
  const whole = name === undefined || rest === undefined ? [folded] : [folded, `${rest} ${name}`];
  const bare = whole.map((form) => form.replace(ARTICLE, ''));
  const untitled = bare.flatMap((form) => {
    const plain = form.replace(TITLE, '');
    return plain === form || NOT_WITH_TITLE.test(plain) ? [] : [plain.replace(ARTICLE, '')];
  });
  return [...whole, ...bare, ...untitled];
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
    for (const folded of new Set([fold(name), fold(spelledOut(name))])) {
      if ((found.get(folded) ?? code) !== code) shared.add(folded);
      found.set(folded, code);
    }
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

/** Umlauts as those write them who have none: `Oesterreich`. */
function spelledOut(name: string): string {
  return name.replaceAll(/[äÄ]/g, 'ae').replaceAll(/[öÖ]/g, 'oe').replaceAll(/[üÜ]/g, 'ue');
}

/**
 * The name without case, accents, hyphens, dots and apostrophes, with one sign for "and" and one word for "Saint": none of these
 * makes another country.
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
