// People, companies and accounts that don't exist. Banks are named 9999 or TEST, mail ends in
// example.com (RFC 2606).

const FIRST_NAMES = [
  'Aldine',
  'Bérengère',
  'Corvin',
  'Dagný',
  'Elowen',
  'Ferran',
  'Győző',
  'Håkon',
  'Isaura',
  'Jörn',
];
const LAST_NAMES = [
  'Ashquill',
  'Brevanne',
  'Ötzelmann',
  'Dunmarrow',
  'Ferreñal',
  'Grzybel',
  'Hallowick',
  'Imbré',
  'Kestrand',
  'Løvmark',
];
const COMPANY_WORDS = [
  'Brindlemoor',
  'Quarrowick',
  'Océlanne',
  'Süderquell',
  'Tarnhollow',
  'Vexbury',
  'Ñandura',
  'Wrenfold',
  'Zellgard',
  'Pinesward',
];
const TRADES = [
  'Ceramics',
  'Freight',
  'Optics',
  'Textiles',
  'Bakery',
  'Instruments',
  'Orchards',
  'Software',
  'Printing',
  'Timber',
];
const STREETS = ['Lantern', 'Millrace', 'Orchard', 'Foundry', 'Saltmarsh', 'Weaver', 'Kiln', 'Harbourside'];

/** Countries with a town, a company form and the part of an IBAN after the check digits. */
const COUNTRIES = [
  {
    two: 'GB',
    three: 'GBR',
    town: 'Sedgeworth',
    form: 'Ltd',
    currency: 'GBP',
    account: (random) => `TEST000000${random.digits(8)}`,
  },
  {
    two: 'DE',
    three: 'DEU',
    town: 'Königsquell',
    form: 'GmbH',
    currency: 'EUR',
    account: (random) => `99999999${random.digits(10)}`,
  },
  {
    two: 'FR',
    three: 'FRA',
    town: 'Saint-Orélan',
    form: 'SARL',
    currency: 'EUR',
    account: (random) => `9999999999${random.digits(13)}`,
  },
  {
    two: 'NL',
    three: 'NLD',
    town: "'s-Wilgenbosch",
    form: 'B.V.',
    currency: 'EUR',
    account: (random) => `TEST${random.digits(10)}`,
  },
  {
    two: 'ES',
    three: 'ESP',
    town: 'Peñalisa',
    form: 'S.L.',
    currency: 'EUR',
    account: (random) => `99999999${random.digits(12)}`,
  },
  {
    two: 'IE',
    three: 'IRL',
    town: 'Ballywhin',
    form: 'Ltd',
    currency: 'EUR',
    account: (random) => `TEST000000${random.digits(8)}`,
  },
];

export function inventCountry(random) {
  return random.pick(COUNTRIES);
}

export function inventCompany(random, country) {
  return `${random.pick(COMPANY_WORDS)} ${random.pick(TRADES)} ${country.form}`;
}

export function inventPerson(random) {
  return { first: random.pick(FIRST_NAMES), last: random.pick(LAST_NAMES) };
}

export function inventStreet(random) {
  return `${random.pick(STREETS)} Row`;
}

/** An address at example.com, in plain letters whatever the name. */
export function inventMail(name) {
  const plain = name
    .normalize('NFD')
    .replaceAll(/[^\w ]/g, '')
    .trim()
    .toLowerCase();
  return `${plain.replaceAll(/ +/g, '.')}@example.com`;
}

export function inventIban(random, country) {
  const account = country.account(random);
  return `${country.two}${checkDigits(country.two, account)}${account}`;
}

/** The same IBAN with a wrong check digit. */
export function spoilIban(iban) {
  const last = iban.at(-1);
  return `${iban.slice(0, -1)}${(Number(last) + 1) % 10}`;
}

/** ISO 13616: the number with letters as 10 to 35 leaves 1 when divided by 97. */
function checkDigits(country, account) {
  const number = [...`${account}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('');
  return String(98n - (BigInt(number) % 97n)).padStart(2, '0');
}

/** A date between 1990 and 2023, yyyy-MM-dd. */
export function inventDate(random) {
  const month = String(random.integer(1, 12)).padStart(2, '0');
  const day = String(random.integer(1, 28)).padStart(2, '0');
  return `${random.integer(1990, 2023)}-${month}-${day}`;
}
