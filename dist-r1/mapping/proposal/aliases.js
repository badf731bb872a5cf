const ADDRESS = {
    buildingName: 'building, building name, house name',
    buildingNumber: 'building number, building no, house no, house number, street number, street no',
    country: 'address country, country code, country iso',
    countrySubdivision: 'county, province, country subdivision',
    department: 'department, dept',
    district: 'district, borough',
    floor: 'floor',
    postBox: 'po box, post box, p o box',
    postCode: 'post code, postcode, postal code, zip, zip code, zip postal code',
    room: 'room, suite',
    streetName: 'street, street name, road',
    subDepartment: 'sub department',
    town: 'town, city, locality, town city, city town',
    townLocation: 'town location',
};
const SUBCLIENT = {
    'additionalInformation.crmId': 'crm id, crm ref, crm reference, crm number',
    'details.alias': 'alias, short name',
    'details.displayName': 'display name, known as',
    'details.name': `
    legal name, legal entity name, company, company name, entity name, registered name, business name,
    client name, customer name, organisation, organisation name, organization, organization name
  `,
    'details.taxId': 'tax id, tax number, tax no, tax reference, tax identification number, tin, utr, ein',
    'details.tradeRegistryId': `
    company number, company no, company registration number, company registration no,
    registration number, registration no, reg no, reg number, crn, commercial register number,
    trade register number, trade registry number
  `,
    'details.vatNumber': 'vat, vat number, vat no, vat id, vat registration number, vat reg no',
    'internalInformation.notes': 'notes, note, comments, comment, remarks, internal notes',
    'kyc.details.detailedActivityDescription': `
    activity, activity description, business activity, nature of business
  `,
    'kyc.details.detailedRelationshipWithEntity': 'relationship, relationship with entity',
    'kyc.details.euVatNumber': 'eu vat, eu vat no, eu vat id',
    'kyc.details.incorporationDate': `
    incorporated, incorporated on, incorporation date, date of incorporation, date incorporated,
    founded, founded on, established, date established
  `,
    'kyc.details.industry': 'industry, sector, business sector, line of business',
    'kyc.details.monthlyPaymentsCount': `
    payments per month, monthly payments, number of monthly payments, monthly transactions,
    transactions per month
  `,
    'kyc.details.monthlyVolumeAmount': 'monthly volume, volume per month, monthly turnover, monthly amount',
    'kyc.details.tradingCountry': 'country of trading, country of operation, country of business',
    'kyc.details.tradingName': 'trading as, trade name, dba, doing business as, t a',
    'kyc.details.website': 'website, web site, url, homepage, web',
    'parent.id': 'parent id',
    'parent.name': 'parent company, parent company name',
    'regulators.country': 'regulator country, country of regulation, regulators country',
    'regulators.isRegulated': 'regulated, is regulated, fca, fca regulated',
    'regulators.licenseNumber': `
    license no, licence number, licence no, frn, fca number, firm reference number
  `,
    'regulators.name': 'regulator, regulator name, regulated by, supervisor',
    ...addresses('addresses.primary', ', primary, registered, registered office, head office, business'),
    ...addresses('addresses.billing', 'billing, billing address, invoice, invoice address'),
};
const COUNTERPARTY = {
    'accounts.0.accountNumber': `
    account no, account number, account, acc no, bank account, bank account number
  `,
    'accounts.0.alias': 'account alias',
    'accounts.0.bank': 'bank, bank name, name of bank',
    'accounts.0.bankCode': 'bank code, bank id, blz',
    'accounts.0.bic_swift': 'bic, swift, bic code, swift code, bic swift, swift bic, bic swift code',
    'accounts.0.cnaps': 'cnaps code, cnaps number',
    'accounts.0.country': 'bank country, account country, country of bank, country of account',
    'accounts.0.currencies': 'account currency, account currencies, account ccy',
    'accounts.0.iban': 'iban, iban number, iban no',
    'accounts.0.intermediaryBankAccounts.0.bicSwift': 'intermediary bic, intermediary swift',
    'accounts.0.routingNumber': 'routing number, routing no, aba, aba number, aba routing number, fedwire',
    'accounts.0.sortCodeUK': 'sort code, sortcode, uk sort code, bank sort code',
    'address.buildingNumber': 'house no, house number, building no, street number',
    'address.streetName': 'street',
    'address.town': 'town',
    address1: 'address line 1, address line1, address 1',
    address2: 'address line 2, address line2, address 2',
    city: 'town city, locality',
    email: 'email, e mail, email address, mail',
    firstName: 'first name, given name, forename',
    isBeneficiary: 'beneficiary flag',
    isPayer: 'payer, payer flag',
    lastName: 'last name, surname, family name',
    name: `
    legal name, company, company name, business name, beneficiary name, payee, payee name,
    supplier name, vendor name, account holder, account holder name, account name
  `,
    'parent.id': 'parent id',
    'parent.name': 'parent company',
    paymentReason: 'reason for payment, purpose of payment, payment purpose',
    postCode: 'post code, postcode, postal code, zip, zip code',
};
const SUBCLIENT_ID = { id: 'subclient id, sub client id, service id, entity id' };
const BY_OPERATION = {
    'subclient.create': SUBCLIENT,
    'subclient.update': { ...SUBCLIENT_ID, ...SUBCLIENT },
    'subclient.upsert': { ...SUBCLIENT_ID, ...SUBCLIENT },
    'counterparty.draft': COUNTERPARTY,
    'payment.documents': {
        paymentId: 'payment id, payment, payment ref, payment reference, payment no, payment number',
    },
};
const COUNTRY = 'could also be the country of trading, or the regulator’s';
const DOUBTFUL_SUBCLIENT = {
    name: { field: 'details.name', note: 'could also be the display name or the trading name' },
    country: { field: 'addresses.primary.country', note: COUNTRY },
    'country of incorporation': {
        field: 'addresses.primary.country',
        note: 'the service has no field of its own for it; this is the country of the primary address',
    },
    'country of registration': {
        field: 'addresses.primary.country',
        note: 'the service has no field of its own for it; this is the country of the primary address',
    },
    address: { field: 'addresses.primary.streetName', note: 'could hold more than a street' },
    'address line 1': { field: 'addresses.primary.streetName', note: 'could hold more than a street' },
    'address 1': { field: 'addresses.primary.streetName', note: 'could hold more than a street' },
    state: { field: 'addresses.primary.countrySubdivision', note: 'could also be the state of the record' },
    region: { field: 'addresses.primary.countrySubdivision', note: 'could also be a sales region' },
    'license number': {
        field: 'regulators.licenseNumber',
        note: 'could also be another licence than the regulator’s',
    },
    parent: { field: 'parent.name', note: 'could also be an identifier' },
    volume: { field: 'kyc.details.monthlyVolumeAmount', note: 'could also be the volume of a year' },
    turnover: { field: 'kyc.details.monthlyVolumeAmount', note: 'could also be the turnover of a year' },
    'registration date': {
        field: 'kyc.details.incorporationDate',
        note: 'could also be when the client was registered',
    },
};
const DOUBTFUL_COUNTERPARTY = {
    address: { field: 'address1', note: 'could hold more than one line' },
    beneficiary: { field: 'name', note: 'could also say whether it is one (isBeneficiary)' },
    ccy: { field: 'accounts.0.currencies', note: 'could also be the currencies of the counterparty' },
    currency: { field: 'accounts.0.currencies', note: 'could also be the currencies of the counterparty' },
    country: { field: 'country', note: 'could also be the country of the bank account' },
    name: { field: 'name', note: 'could also be the name of a bank or an account' },
    parent: { field: 'parent.name', note: 'could also be an identifier' },
    type: { field: 'primaryType', note: 'could also be the type of an account' },
};
const DOUBTFUL = {
    'subclient.create': DOUBTFUL_SUBCLIENT,
    'subclient.update': DOUBTFUL_SUBCLIENT,
    'subclient.upsert': DOUBTFUL_SUBCLIENT,
    'counterparty.draft': DOUBTFUL_COUNTERPARTY,
    'payment.documents': { id: { field: 'paymentId', note: 'could also be the identifier of something else' } },
};
/** Names under which files give the key of a record's parent instead of its identifier. */
export const PARENT_KEYS = namesIn('parent ref, parent reference, parent key, parent external id, parent client ref');
/** The fields of an operation, each with its business names. */
export function aliasesFor(operation) {
    return Object.entries(BY_OPERATION[operation]).map(([field, names]) => [field, namesIn(names)]);
}
/** The business names that could mean several of an operation's fields. */
export function doubtfulAliasesFor(operation) {
    return DOUBTFUL[operation];
}
/** The names that the key of an operation's rows goes by, the most telling first. */
export function keyNamesOf(operation) {
    return [...OWN_NAMES[operation], ...KEY_NAMES];
}
/** Names under which files give a record's own key, the most telling first. */
const KEY_NAMES = namesIn(`
  externalid, externalref, externalreference, partnerref, partnerreference, partnerid, clientref,
  clientreference, clientid, clientno, clientnumber, customerref, customerreference, customerid,
  customerno, customernumber, payeeref, payeeid, beneficiaryref, beneficiaryid, supplierid, supplierno,
  suppliernumber, vendorid, vendorno, vendornumber, crmid, additionalinformationcrmid, uniqueid,
  recordid, reference, refno, ref, key, id
`);
/** Names of the operation's own identifier, for operations whose rows are known by it. */
const OWN_NAMES = {
    'subclient.create': [],
    'subclient.update': ['id', 'subclientid', 'serviceid', 'entityid'],
    'subclient.upsert': [],
    'counterparty.draft': [],
    'payment.documents': namesIn('paymentid, payment, paymentref, paymentreference, paymentno, paymentnumber'),
};
/** The fields of the address at a path, by their names behind each prefix, of which one may be empty. */
function addresses(path, prefixes) {
    return Object.fromEntries(Object.entries(ADDRESS).map(([field, names]) => [
        `${path}.${field}`,
        namesIn(prefixes)
            .flatMap((prefix) => [...namesIn(names), ...(prefix === '' ? [] : [field])].map((name) => `${prefix} ${name}`))
            .join(', '),
    ]));
}
function namesIn(list) {
    return list.split(',').map((name) => name.trim());
}
//# sourceMappingURL=aliases.js.map