import type { ConvertedColumn } from './conversion-for.ts';
import { exampleDate } from './date-pattern.ts';
import type { LeafType } from './known-field.ts';

/** Invented values by the last name of a field's path; the IBAN is the one that the IBAN registry prints for the UK. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['accountNumber', '55555555'],
  ['address1', '1 Sample Street'],
  ['address2', 'Unit 2'],
  ['bank', 'Example Bank'],
  ['bankCode', 'EXMP'],
  ['bic_swift', 'EXMPGB2LXXX'],
  ['bicSwift', 'EXMPGB2LXXX'],
  ['buildingNumber', '1'],
  ['city', 'Sampleton'],
  ['cnaps', '000000000000'],
  ['country', 'GBR'],
  ['crmId', 'CRM-0001'],
  ['currencies', 'EUR;GBP'],
  ['currency', 'EUR'],
  ['displayName', 'Example Trading'],
  ['email', 'accounts@example.com'],
  ['firstName', 'Alex'],
  ['id', 'EXAMPLE-ID-0001'],
  ['paymentId', 'EXAMPLE-ID-0001'],
  ['floor', '3'],
  ['iban', 'GB33BUKB20201555555555'],
  ['industry', 'Wholesale'],
  ['lastName', 'Sample'],
  ['name', 'Example Trading Ltd'],
  ['postBox', '100'],
  ['postCode', 'ZZ1 1ZZ'],
  ['requestId', '00000000-0000-4000-8000-000000000000'],
  ['room', '12'],
  ['routingNumber', '000000000'],
  ['shortfallCurrencyCode', 'EUR'],
  ['sortCodeUK', '202015'],
  ['state', 'draft'],
  ['status', 'draft'],
  ['streetName', 'Sample Street'],
  ['suggestedName', 'Example Trading Ltd'],
  ['town', 'Sampleton'],
  ['tradingName', 'Example Trading'],
  ['uri', 'https://example.com/documents'],
  ['website', 'https://example.com'],
]);

/** What a second item of a list is told from the first by; the IBAN is a usual example of one for the UK. */
const OF_SECOND_ITEM: ReadonlyMap<string, string> = new Map([
  ['accountNumber', '98765432'],
  ['iban', 'GB82WEST12345698765432'],
  ['sortCodeUK', '123456'],
]);

/** The definition's own conversion, if any, and which item of a list the field is in: 0 is the first. */
type About = { readonly source: ConvertedColumn | null; readonly item: number };

/** A harmless value that the field's conversion takes. */
export function exampleValue(name: string, type: LeafType, { source, item }: About): string {
  switch (source?.as ?? type) {
    case 'boolean':
      return source?.true?.[0] ?? 'true';
    case 'integer':
      return '12';
    case 'number':
      return `2500${source?.decimal ?? (source?.grouping === '.' ? ',' : '.')}5`;
    case 'date':
    case 'date-time':
      return source?.pattern === undefined ? '2020-03-31' : exampleDate(source.pattern);
    case 'country':
      return 'GBR';
    default:
      return (
        (item > 0 ? OF_SECOND_ITEM.get(name) : undefined) ?? BY_NAME.get(name) ?? `example ${wordsOf(name)}`
      );
  }
}

/** `tradeRegistryId` → `trade registry id`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`);
}
