import {
  inventCompany,
  inventCountry,
  inventDate,
  inventIban,
  inventMail,
  inventPerson,
  inventStreet,
} from './invent.mjs';

/** A number with leading zeros where it is short: `key('ACME', 7)` is ACME-00007. */
export function key(prefix, number) {
  return `${prefix}-${String(number).padStart(5, '0')}`;
}

/**
 * A subclient as field path → value, typed as the service's document has it; '' is an empty cell.
 */
export function inventSubclient(random, externalId) {
  const country = inventCountry(random);
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

/** What changes of a subclient that is already there. */
export function inventSubclientUpdate(random, id) {
  const country = inventCountry(random);
  return {
    id,
    'details.displayName': inventCompany(random, country),
    'addresses.primary.streetName': inventStreet(random),
    'addresses.primary.buildingNumber': String(random.integer(1, 240)),
    'addresses.primary.town': country.town,
    'addresses.primary.postCode': `0${random.digits(4)}`,
    'addresses.primary.country': country.three,
    'kyc.details.monthlyPaymentsCount': random.integer(1, 900),
    'kyc.details.monthlyVolumeAmount': random.integer(100_000, 90_000_000) / 100,
    'internalInformation.notes': 'Address confirmed by letter',
  };
}

/** A payee with one account, some with a second; a person or a company. */
export function inventDraft(random, externalId) {
  const country = inventCountry(random);
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

/** One of two accounts of a payee, in a row of its own; the second row says nothing besides. */
export function inventAccountRow(random, { payee, owner, isFirst }) {
  const country = inventCountry(random);
  const name = inventCompany(random, country);
  return {
    externalId: payee,
    owner: isFirst ? owner : '',
    name: isFirst ? name : '',
    'address.town': isFirst ? country.town : '',
    'address.country': isFirst ? country.three : '',
    'accounts.0.alias': isFirst ? 'Main account' : 'Second account',
    'accounts.0.country': country.two,
    'accounts.0.iban': inventIban(random, country),
    'accounts.0.bic_swift': `TEST${country.two}00`,
    'accounts.0.currencies': [country.currency],
  };
}

/** A subclient under a partner's own headers: dd/MM/yyyy, decimal comma, Y and N. */
export function inventPartnerRow(random, reference) {
  const country = inventCountry(random);
  const name = inventCompany(random, country);
  const day = inventDate(random).split('-').reverse().join('/');
  return {
    'Partner Ref': reference,
    'Legal Name': name,
    'Trading As': name.split(' ').slice(0, 2).join(' '),
    Street: inventStreet(random),
    'House No': String(random.integer(1, 240)),
    Town: country.town,
    'Post Code': `0${random.digits(4)}`,
    Country: country.two,
    Incorporated: day,
    'Monthly Volume': `${random.integer(1, 99)}.${random.digits(3)},${random.digits(2)}`,
    'Payments per Month': random.integer(1, 900),
    'Regulated?': random.chance(0.2) ? 'Y' : 'N',
    'Account Manager': inventPerson(random).last,
  };
}

/** A row as a German partner's own system writes it: its headers, dates, numbers and countries. */
export function inventGermanRow(random, reference) {
  const [land, town] = random.pick([
    ['Deutschland', 'Königsquell'],
    ['Österreich', 'Zellgard am See'],
    ['Schweiz', 'Oberquell'],
  ]);
  return {
    'Kunden-Nr': reference,
    Firma: inventCompany(random, { form: 'GmbH' }),
    Rechtsform: 'GmbH',
    Handelsregisternummer: `HRB ${random.digits(5)}`,
    Straße: inventStreet(random),
    PLZ: `0${random.digits(4)}`,
    Ort: town,
    Land: land,
    Gründungsdatum: inventDate(random).split('-').reverse().join('.'),
    'Monatsvolumen (EUR)': `${random.integer(1, 99)}.${random.digits(3)},${random.digits(2)}`,
    Ansprechpartner: inventPerson(random).last,
  };
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
