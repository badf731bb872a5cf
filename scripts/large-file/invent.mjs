// People, companies and accounts that don't exist. Banks are named 9999 or TEST, mail ends in
// example.com (RFC 2606).

/** A seeded source of numbers (mulberry32): the same seed gives the same files on every machine. */
export function createRandom(seed) {
  let state = seed >>> 0;
  function next() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const integer = (from, to) => from + Math.floor(next() * (to - from + 1));
  return {
    integer,
    chance: (share) => next() < share,
    pick: (list) => list[integer(0, list.length - 1)],
    digits: (count) => Array.from({ length: count }, () => integer(0, 9)).join(''),
  };
}

/**
 * A subclient as field path → value, typed as the service's document has it; '' is an empty cell.
 */
export function inventSubclient(random, externalId) {
  const country = random.pick(COUNTRIES);
  const name = inventCompany(random, country);
  const website = random.chance(0.7) ? `https://www.${externalId.toLowerCase()}.example` : '';
  const regulated = random.chance(0.15);
  return {
    externalId,
    'details.name': name,
    'details.displayName': name.split(' ').slice(0, 2).join(' '),
    'details.taxId': `0${random.digits(8)}`,
    'details.tradeRegistryId': random.digits(8),
    'details.vatNumber': random.chance(0.6) ? `${country.two}${random.digits(9)}` : '',
    'addresses.primary.streetName': inventStreet(random),
    'addresses.primary.buildingNumber': String(random.integer(1, 240)),
    'addresses.primary.town': country.town,
    'addresses.primary.postCode': `0${random.digits(4)}`,
    'addresses.primary.country': country.three,
    'addresses.billingSameAsPrimary': random.chance(0.8),
    'kyc.details.incorporationDate': inventDate(random),
    'kyc.details.industry': random.pick(['Wholesale', 'Manufacturing', 'Travel', 'IT services', 'Retail']),
    'kyc.details.monthlyPaymentsCount': random.integer(1, 900),
    'kyc.details.monthlyVolumeAmount': random.integer(100_000, 90_000_000) / 100,
    'kyc.details.hasWebsite': website !== '',
    'kyc.details.website': website,
    'kyc.details.tradingCountry': country.three,
    'regulators.isRegulated': regulated,
    'regulators.name': regulated ? 'Board of Invented Finance' : '',
    'regulators.licenseNumber': regulated ? `00${random.digits(6)}` : '',
    'internalInformation.notes': '',
  };
}

/** A payee with one account, some with a second; a person or a company. */
export function inventDraft(random, externalId) {
  const country = random.pick(COUNTRIES);
  const person = inventPerson(random);
  const isPerson = random.chance(0.4);
  const name = isPerson ? `${person.first} ${person.last}` : inventCompany(random, country);
  const second = random.chance(0.2);
  return {
    externalId,
    alias: externalId,
    name: isPerson ? '' : name,
    firstName: isPerson ? person.first : '',
    lastName: isPerson ? person.last : '',
    email: inventMail(name),
    'address.streetName': inventStreet(random),
    'address.buildingNumber': String(random.integer(1, 240)),
    'address.town': country.town,
    'address.postCode': `0${random.digits(4)}`,
    'address.country': country.three,
    isBeneficiary: true,
    isPayer: random.chance(0.1),
    currencies: second ? [country.currency, 'USD'] : [country.currency],
    'accounts.0.alias': 'Main account',
    'accounts.0.bank': 'Bank of Nowhere',
    'accounts.0.country': country.two,
    'accounts.0.iban': inventIban(random, country),
    'accounts.0.bic_swift': `TEST${country.two}00`,
    'accounts.0.currencies': [country.currency],
    'accounts.1.alias': second ? 'US dollars' : '',
    'accounts.1.accountNumber': second ? `00${random.digits(8)}` : '',
    'accounts.1.routingNumber': second ? routingNumber(`0${random.digits(8)}`) : '',
    'accounts.1.currencies': second ? ['USD'] : '',
  };
}

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

function inventCompany(random, country) {
  return `${random.pick(COMPANY_WORDS)} ${random.pick(TRADES)} ${country.form}`;
}

function inventPerson(random) {
  return { first: random.pick(FIRST_NAMES), last: random.pick(LAST_NAMES) };
}

function inventStreet(random) {
  return `${random.pick(STREETS)} Row`;
}

/** An address at example.com, in plain letters whatever the name. */
function inventMail(name) {
  const plain = name
    .normalize('NFD')
    .replaceAll(/[^\w ]/g, '')
    .trim()
    .toLowerCase();
  return `${plain.replaceAll(/ +/g, '.')}@example.com`;
}

function inventIban(random, country) {
  const account = country.account(random);
  return `${country.two}${checkDigits(country.two, account)}${account}`;
}

/** ISO 13616: the number with letters as 10 to 35 leaves 1 when divided by 97. */
function checkDigits(country, account) {
  const number = [...`${account}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('');
  return String(98n - (BigInt(number) % 97n)).padStart(2, '0');
}

/** A date between 1990 and 2023, yyyy-MM-dd. */
function inventDate(random) {
  const month = String(random.integer(1, 12)).padStart(2, '0');
  const day = String(random.integer(1, 28)).padStart(2, '0');
  return `${random.integer(1990, 2023)}-${month}-${day}`;
}

/**
 * The number with its last digit as the check digit that the ABA asks for: 3, 7 and 1 times its
 * digits, a multiple of 10.
 */
function routingNumber(digits) {
  const sum = [...digits.slice(0, 8)].reduce(
    (total, digit, i) => total + Number(digit) * [3, 7, 1][i % 3],
    0,
  );
  return `${digits.slice(0, 8)}${(10 - (sum % 10)) % 10}`;
}
