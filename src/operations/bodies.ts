/**
 * The bodies of requests as the service's document shows them. Nothing is required, since
 * requiredness is not shown.
 */
import { z } from 'zod';

/** As opposed to a plain string that happens to be named `country`: the sandbox refuses names. */
const CODE = z.string().regex(/^\w{2,3}$/, 'expected a country code');
const countryCode = () => CODE.meta({ field: 'country' });
const text = () => z.string();

/** In the document's order, as all fields here: templates have their columns in it. */
function texts(...names: readonly string[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(names.map((name) => [name, text()]));
}

/** An object of optional fields; a field that the document doesn't name is a mistake. */
function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).partial();
}

const address = () =>
  fields({
    ...texts('buildingName', 'buildingNumber'),
    country: countryCode(),
    ...texts('countrySubdivision', 'department', 'district', 'floor', 'postBox', 'postCode', 'room'),
    ...texts('streetName', 'subDepartment', 'town', 'townLocation'),
  });

const kycDetails = () =>
  fields({
    ...texts('detailedActivityDescription', 'detailedRelationshipWithEntity', 'euVatNumber'),
    hasWebsite: z.boolean(),
    incorporationDate: z.iso.datetime({ precision: 3 }),
    industry: text(),
    monthlyPaymentsCount: z.int(),
    monthlyVolumeAmount: z.number(),
    tradingCountry: countryCode(),
    ...texts('tradingName', 'website'),
  });

/** The body that creates or updates a subclient. */
export const subclientBody = () =>
  fields({
    additionalInformation: fields(texts('crmId')),
    addresses: fields({ primary: address(), billingSameAsPrimary: z.boolean(), billing: address() }),
    details: fields(texts('name', 'alias', 'displayName', 'taxId', 'tradeRegistryId', 'vatNumber')),
    internalInformation: fields(texts('notes')),
    kyc: fields({ details: kycDetails() }),
    parent: fields(texts('id', 'alias', 'name', 'displayName', 'vanityId')),
    regulators: fields({
      name: text(),
      country: countryCode(),
      isRegulated: z.boolean(),
      licenseNumber: text(),
    }),
  });

const network = () => fields({ enabled: z.boolean(), reason: text() });

const counterpartyAccount = () =>
  fields({
    ...texts('accountNumber', 'additionalCountryAccountInfo', 'alias', 'bank', 'bankAccountId', 'bankCode'),
    ...texts('bic_swift', 'cnaps', 'country', 'iban', 'intermediaryBank', 'operatorInfo', 'parentId'),
    ...texts('recurringReference', 'routingNumber', 'sortCodeUK'),
    actions: z.array(text()),
    currencies: z.array(text()),
    controls: fields({ corpRelationship: text(), immediateIntraCorp: z.boolean() }),
    intermediaryBankAccounts: z.array(fields(texts('bicSwift', 'currency'))),
    isBeneficiary: z.boolean(),
    isPayer: z.boolean(),
    networks: fields({ platform: network(), sepa: network(), swift: network() }),
    verificationResponses: z.array(
      fields({
        expireTime: z.iso.datetime(),
        ...texts('purpose', 'requestId', 'responseState', 'suggestedName'),
        timestamp: z.iso.datetime(),
      }),
    ),
  });

/** The body that saves a counterparty draft; the contents of `draft` are not documented. */
export const counterpartyBody = () =>
  fields({
    accounts: z.array(counterpartyAccount()),
    actions: z.array(text()),
    address: address(),
    ...texts('address1', 'address2', 'alias', 'city', 'country', 'county', 'postCode'),
    currencies: z.array(text()),
    draft: z.looseObject({}),
    ...texts('email', 'firstName', 'lastName', 'name', 'id'),
    isBeneficiary: z.boolean(),
    isPayer: z.boolean(),
    isSelf: z.boolean(),
    linkedDocuments: fields({ count: z.int(), uri: text() }),
    parent: fields({
      ...texts('alias', 'displayName', 'id', 'name', 'vanityId'),
      isSelf: z.boolean(),
      state: text(),
    }),
    payable: fields({ enabled: z.boolean(), reason: text() }),
    paymentReason: z.array(text()),
    ...texts('primaryType', 'subType', 'subsidiary', 'thirdPartyType', 'thirdPartyTypeOther', 'vanityId'),
    shortfall: z.number(),
    ...texts('shortfallCurrencyCode', 'state', 'status'),
  });

/**
 * Of a field's last name, what its values say of somebody: nothing. Every field that isn't here is
 * personal, and so are the key, a column that nobody mapped, and what the service says in a body.
 * None is a secret: those (token, keys, passwords) are in no row.
 */
const PUBLIC: ReadonlySet<string> = new Set([
  ...['country', 'tradingCountry', 'currency', 'currencies', 'shortfallCurrencyCode', 'isRegulated'],
  ...['isBeneficiary', 'isPayer', 'isSelf', 'hasWebsite', 'billingSameAsPrimary'],
  ...['enabled', 'immediateIntraCorp'],
]);

/** Also with positions: `accounts.0.currencies.1`. */
export function isPublicField(path: string): boolean {
  return PUBLIC.has(path.replace(/(?:\.(?:\d+|#)|\[\d+\])+$/, '').replace(/^.*\./, ''));
}
