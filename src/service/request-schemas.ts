/**
 * The bodies of requests as the service's document shows them; the catalog of fields, the sandbox and its messages come
 * from here. Nothing is required, since requiredness is not shown.
 */
import { z } from 'zod';

/** What service-api.md, section 2, calls a country code, as opposed to a plain string that happens to be named `country`. */
const countryCode = () => z.string().meta({ field: 'country' });
const text = () => z.string();

/** An object of optional fields; a field that the document doesn't name is a mistake. */
function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).partial();
}

/** An address, service-api.md, section 2.1. */
const addressSchema = fields({
  buildingName: text(),
  buildingNumber: text(),
  country: countryCode(),
  countrySubdivision: text(),
  department: text(),
  district: text(),
  floor: text(),
  postBox: text(),
  postCode: text(),
  room: text(),
  streetName: text(),
  subDepartment: text(),
  town: text(),
  townLocation: text(),
});

const kycDetailsSchema = fields({
  detailedActivityDescription: text(),
  detailedRelationshipWithEntity: text(),
  euVatNumber: text(),
  hasWebsite: z.boolean(),
  incorporationDate: z.iso.datetime({ precision: 3 }),
  industry: text(),
  monthlyPaymentsCount: z.int(),
  monthlyVolumeAmount: z.number(),
  tradingCountry: countryCode(),
  tradingName: text(),
  website: text(),
});

/** The body that creates or updates a subclient, service-api.md, section 2.2. */
export const subclientRequestSchema = fields({
  additionalInformation: fields({ crmId: text() }),
  addresses: fields({ primary: addressSchema, billingSameAsPrimary: z.boolean(), billing: addressSchema }),
  details: fields({
    name: text(),
    alias: text(),
    displayName: text(),
    taxId: text(),
    tradeRegistryId: text(),
    vatNumber: text(),
  }),
  internalInformation: fields({ notes: text() }),
  kyc: fields({ details: kycDetailsSchema }),
  parent: fields({ id: text(), alias: text(), name: text(), displayName: text(), vanityId: text() }),
  regulators: fields({
    name: text(),
    country: countryCode(),
    isRegulated: z.boolean(),
    licenseNumber: text(),
  }),
});

const networkSchema = fields({ enabled: z.boolean(), reason: text() });

/** A counterparty's account, service-api.md, section 2.5. */
const counterpartyAccountSchema = fields({
  accountNumber: text(),
  additionalCountryAccountInfo: text(),
  alias: text(),
  bank: text(),
  bankAccountId: text(),
  bankCode: text(),
  bic_swift: text(),
  cnaps: text(),
  country: text(),
  iban: text(),
  intermediaryBank: text(),
  operatorInfo: text(),
  parentId: text(),
  recurringReference: text(),
  routingNumber: text(),
  sortCodeUK: text(),
  actions: z.array(text()),
  currencies: z.array(text()),
  controls: fields({ corpRelationship: text(), immediateIntraCorp: z.boolean() }),
  intermediaryBankAccounts: z.array(fields({ bicSwift: text(), currency: text() })),
  isBeneficiary: z.boolean(),
  isPayer: z.boolean(),
  networks: fields({ platform: networkSchema, sepa: networkSchema, swift: networkSchema }),
  verificationResponses: z.array(
    fields({
      expireTime: z.iso.datetime(),
      purpose: text(),
      requestId: text(),
      responseState: text(),
      suggestedName: text(),
      timestamp: z.iso.datetime(),
    }),
  ),
});

/** The body that saves a counterparty draft, service-api.md, section 2.4; `draft`'s contents are not shown. */
export const counterpartyRequestSchema = fields({
  accounts: z.array(counterpartyAccountSchema),
  actions: z.array(text()),
  address: addressSchema,
  address1: text(),
  address2: text(),
  alias: text(),
  city: text(),
  country: text(),
  county: text(),
  postCode: text(),
  currencies: z.array(text()),
  draft: z.looseObject({}),
  email: text(),
  firstName: text(),
  lastName: text(),
  name: text(),
  id: text(),
  isBeneficiary: z.boolean(),
  isPayer: z.boolean(),
  isSelf: z.boolean(),
  linkedDocuments: fields({ count: z.int(), uri: text() }),
  parent: fields({
    alias: text(),
    displayName: text(),
    id: text(),
    name: text(),
    vanityId: text(),
    isSelf: z.boolean(),
    state: text(),
  }),
  payable: fields({ enabled: z.boolean(), reason: text() }),
  paymentReason: z.array(text()),
  primaryType: text(),
  subType: text(),
  subsidiary: text(),
  thirdPartyType: text(),
  thirdPartyTypeOther: text(),
  vanityId: text(),
  shortfall: z.number(),
  shortfallCurrencyCode: text(),
  state: text(),
  status: text(),
});
