import type { FieldPath } from '../field-path.ts';

/**
 * Fields whose digits are a name and no quantity, by the last part of their path: a spreadsheet that takes them for
 * numbers drops leading zeros and rounds the digits after the 15th.
 */
const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set([
  'accountNumber',
  'bankAccountId',
  'bankCode',
  'bicSwift',
  'bic_swift',
  'cnaps',
  'crmId',
  'euVatNumber',
  'iban',
  'id',
  'licenseNumber',
  'parentId',
  'paymentId',
  'postBox',
  'postCode',
  'routingNumber',
  'sortCodeUK',
  'taxId',
  'tradeRegistryId',
  'vanityId',
  'vatNumber',
]);

/** Whether the field holds an identifier. */
export function isIdentifierField(path: FieldPath): boolean {
  return IDENTIFIER_FIELDS.has(lastName(path));
}

/** The last part of a path, `''` where that is a position. */
export function lastName(path: FieldPath): string {
  const last = path.at(-1);
  return typeof last === 'string' ? last : '';
}
