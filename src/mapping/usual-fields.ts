/**
 * Which fields a template begins with. The service's document calls none mandatory, so that the usual
 * ones are a judgement: what names a record, where it is, its tax and registry numbers, its accounts, and the first questions of
 * KYC, as the shipped samples fill them. Fields that tell what the service made of a record are no column at all.
 */
import { isOwn, type Operation } from '../model/operation.ts';

/** A field's path as the catalog writes it, with what a person reads in the explanation. */
type Usual = readonly (readonly [path: string, meaning: string])[];

const address = (under: string): Usual => [
  [`${under}.streetName`, 'street'],
  [`${under}.buildingNumber`, 'house number'],
  [`${under}.town`, 'town or city'],
  [`${under}.postCode`, 'post code'],
  [`${under}.country`, 'country'],
];

const SUBCLIENT: Usual = [
  ['details.name', 'legal name'],
  ['details.displayName', 'name to show instead of the legal one'],
  ['details.taxId', 'tax number'],
  ['details.tradeRegistryId', 'number in the trade register'],
  ['details.vatNumber', 'VAT number'],
  ...address('addresses.primary'),
  ['addresses.billingSameAsPrimary', 'whether bills go to that address, too'],
  ['kyc.details.incorporationDate', 'day of incorporation'],
  ['kyc.details.industry', 'industry'],
  ['kyc.details.monthlyPaymentsCount', 'payments in a month, about'],
  ['kyc.details.monthlyVolumeAmount', 'volume of a month, about'],
  ['kyc.details.tradingCountry', 'country of trading'],
  ['kyc.details.website', 'website'],
  ['regulators.isRegulated', 'whether a regulator supervises it'],
  ['regulators.name', "the regulator's name"],
  ['regulators.licenseNumber', 'number of the licence'],
];

const COUNTERPARTY: Usual = [
  ['name', 'name of the payee'],
  ['firstName', 'first name, of a person'],
  ['lastName', 'last name, of a person'],
  ['email', 'email address'],
  ...address('address'),
  ['isBeneficiary', 'whether it is paid'],
  ['isPayer', 'whether it pays'],
  ['currencies', 'currencies'],
  ['accounts.#.bank', "the bank's name"],
  ['accounts.#.country', "the account's country"],
  ['accounts.#.iban', 'IBAN'],
  ['accounts.#.bic_swift', 'BIC (SWIFT code) of the bank'],
  ['accounts.#.accountNumber', 'account number, where there is no IBAN'],
  ['accounts.#.sortCodeUK', 'sort code, in the United Kingdom'],
  ['accounts.#.routingNumber', 'routing number, in the United States'],
  ['accounts.#.currencies', "the account's currencies"],
];

const USUAL: Readonly<Record<string, Usual>> = {
  'subclient.create': SUBCLIENT,
  'subclient.update': SUBCLIENT,
  'subclient.upsert': SUBCLIENT,
  'counterparty.draft': COUNTERPARTY,
};

const MEANINGS: ReadonlyMap<string, string> = new Map([...SUBCLIENT, ...COUNTERPARTY]);

/** Sections 2.3 to 2.6: what a record is like once the service has it. Sending it says nothing, or what only the service can know. */
const OF_THE_SERVICE =
  /^(?:(?:accounts\.\d+\.)?actions|(?:parent\.)?(?:state|vanityId)|parent\.isSelf|status|id|shortfall\w*|(?:payable|linkedDocuments|accounts\.\d+\.(?:networks|verificationResponses))\..+)$/;

/** The fields of the operation that a template begins with, in their order; of an operation that a definition describes: all. */
export function usualFields(operation: Operation, catalog: Iterable<string>): readonly string[] {
  if (isOwn(operation)) return [...catalog];
  const known = new Set(catalog);
  return (USUAL[operation] ?? []).map(([path]) => path).filter((path) => known.has(path));
}

/** Whether a field of a built-in operation tells what the service made of the record; `path`: with the numbers of list items. */
export function isOfTheService(operation: Operation, path: string): boolean {
  return operation === 'counterparty.draft' && OF_THE_SERVICE.test(path);
}

/** What a field is, in a few words: its own, or those of its path. */
export function meaningOf(path: string): string {
  const known = MEANINGS.get(path.replaceAll(/\.\d+(?=\.|$)/g, '.#'));
  if (known !== undefined) return known;
  const words = path
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : wordsOf(part)));
  return words.join(', ');
}

/** `tradeRegistryId` → `trade registry id`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
}
