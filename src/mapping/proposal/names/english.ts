/** English names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const ENGLISH: Vocabulary = {
  address: {
    buildingName: 'building, building name, house name',
    buildingNumber: 'building number, house number, street number',
    country: 'country?country, address country, country code, country iso, iso country',
    countrySubdivision: 'county, province, country subdivision, state?state, region?region',
    department: 'department, dept',
    district: 'district, borough',
    floor: 'floor',
    line: 'address, address line 1, address line1, address 1, street address',
    line2: 'address line 2, address line2, address 2',
    postBox: 'po box, post box, p o box',
    postCode: 'post code, postcode, postal code, zip, zip code, zip postal code',
    room: 'room, suite',
    streetName: 'street, street name, road',
    subDepartment: 'sub department',
    town: 'town, city, locality, town city, city town',
    townLocation: 'town location',
  },
  primary:
    'primary, primary address, registered, registered address, registered office, head office, business, business address',
  billing: 'billing, billing address, invoice, invoice address, invoicing',
  parties: {
    subclient: 'client, customer, company, entity',
    counterparty: 'beneficiary, payee, supplier, vendor, creditor, recipient',
  },
  subclient: {
    'addresses.primary.country': 'country of incorporation?registered, country of registration?registered',
    'additionalInformation.crmId': 'crm id, crm ref, crm reference, crm number',
    'details.alias': 'alias, short name',
    'details.displayName': 'display name, known as',
    'details.name': `
      name?name, legal name, legal entity name, company, company name, entity name, registered name, business name,
      client name, customer name, organisation, organisation name, organization, organization name
    `,
    'details.taxId': 'tax id, tax number, tax reference, tax identification number, tin, utr, ein',
    'details.tradeRegistryId': `
      company number, company registration number, registration number, reg number, crn, commercial register number,
      trade register number, trade registry number
    `,
    'details.vatNumber': 'vat, vat number, vat id, vat registration number, vat reg no',
    'internalInformation.notes': 'notes, note, comments, comment, remarks, internal notes',
    'kyc.details.detailedActivityDescription':
      'activity, activity description, business activity, nature of business',
    'kyc.details.detailedRelationshipWithEntity': 'relationship, relationship with entity',
    'kyc.details.euVatNumber': 'eu vat, eu vat no, eu vat id',
    'kyc.details.hasWebsite': 'has website',
    'kyc.details.incorporationDate': `
      incorporated, incorporated on, incorporation date, date of incorporation, date incorporated, founded, founded on,
      established, date established, registration date?registration
    `,
    'kyc.details.industry': 'industry, sector, business sector, line of business',
    'kyc.details.monthlyPaymentsCount': `
      payments per month, monthly payments, number of monthly payments, monthly transactions, transactions per month
    `,
    'kyc.details.monthlyVolumeAmount': `
      monthly volume, volume per month, monthly turnover, monthly amount, volume?volume, turnover?turnover
    `,
    'kyc.details.tradingCountry': 'country of trading, country of operation, country of business',
    'kyc.details.tradingName': 'trading as, trade name, dba, doing business as, t a',
    'kyc.details.website': 'website, web site, url, homepage, web',
    'parent.id': 'parent id',
    'parent.name': 'parent company, parent company name, parent?parent',
    'regulators.country': 'regulator country, country of regulation, regulators country',
    'regulators.isRegulated': 'regulated, is regulated, fca, fca regulated',
    'regulators.licenseNumber': `
      license no?licence, licence number?licence, frn, fca number, firm reference number
    `,
    'regulators.name': 'regulator, regulator name, regulated by, supervisor',
  },
  counterparty: {
    'accounts.0.accountNumber': 'account number, account, acc no, bank account, bank account number',
    'accounts.0.alias': 'account alias',
    'accounts.0.bank': 'bank, bank name, name of bank',
    'accounts.0.bankCode': 'bank code, bank id',
    'accounts.0.bic_swift': 'bic, swift, bic code, swift code, bic swift, swift bic, bic swift code',
    'accounts.0.cnaps': 'cnaps code, cnaps number',
    'accounts.0.country': 'bank country, account country, country of bank, country of account',
    'accounts.0.currencies':
      'account currency, account currencies, account ccy, ccy?currency, currency?currency',
    'accounts.0.iban': 'iban, iban number',
    'accounts.0.intermediaryBankAccounts.0.bicSwift': 'intermediary bic, intermediary swift',
    'accounts.0.routingNumber': 'routing number, aba, aba number, aba routing number, fedwire',
    'accounts.0.sortCodeUK': 'sort code, sortcode, uk sort code, bank sort code',
    'address.streetName': 'street',
    'address.town': 'town',
    city: 'city, town city, locality',
    email: 'email, e mail, email address, mail',
    firstName: 'first name, given name, forename',
    isBeneficiary: 'beneficiary flag',
    isPayer: 'payer, payer flag',
    lastName: 'last name, surname, family name',
    name: `
      name?name, legal name, company, company name, business name, beneficiary name, payee, payee name, supplier name,
      vendor name, account holder, account holder name, account name, beneficiary?beneficiary
    `,
    'parent.id': 'parent id',
    'parent.name': 'parent company, parent?parent',
    paymentReason: 'reason for payment, purpose of payment, payment purpose',
    primaryType: 'type?type',
  },
  subclientKeys: `
    partner ref, partner reference, partner id, client ref, client reference, client id, client number,
    customer ref, customer reference, customer id, customer number, crm id, additional information crm id
  `,
  counterpartyKeys: `
    payee ref, payee reference, payee id, payee number, beneficiary ref, beneficiary reference, beneficiary id,
    supplier id, supplier number, vendor id, vendor number, creditor id, creditor number
  `,
  keys: 'unique id, record id, reference, ref no, ref, key, id',
  parentKeys:
    'parent ref, parent reference, parent key, parent external id, parent client ref, parent client number',
  ownerKeys:
    'owner, owner ref, owner id, owner key, owner number, subclient, subclient ref, subclient key, subclient id, account owner ref, belongs to',
};
