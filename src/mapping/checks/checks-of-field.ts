import type { Binding } from '../binding.ts';
import { listConversion } from '../convert-list.ts';
import { stringConversion } from '../convert-string.ts';
import { ambiguousDate } from './ambiguous-date.ts';
import { bicInvalid } from './bic.ts';
import type { BesideOf, CellCheck } from './cell-check.ts';
import { ibanInvalid } from './iban.ts';
import { isIdentifierField, lastName } from './identifier-fields.ts';
import {
  lostZeroOfAccountNumber,
  lostZeroOfBankCode,
  lostZeroOfCnaps,
  lostZeroOfPostCode,
  lostZeroOfRoutingNumber,
  lostZeroOfSortCode,
} from './lost-zero.ts';
import { mojibake } from './mojibake.ts';
import { routingNumberInvalid } from './routing-number.ts';
import { scientificNotation } from './scientific-notation.ts';
import { sortCodeInvalid } from './sort-code.ts';
import { spreadsheetError } from './spreadsheet-error.ts';

/** The text in another field of the same object. */
export type Beside = (name: string) => BesideOf;

/** Everything that is looked for in the cells of a key: any text may be one. */
export const CHECKS_OF_KEY: readonly CellCheck[] = [scientificNotation, spreadsheetError, mojibake];

/** Everything that is looked for in the cells that fill a field, what explains most first. */
export function checksOfField(binding: Binding, beside: Beside): readonly CellCheck[] {
  if (binding.kind === 'reference') return CHECKS_OF_KEY;
  if (binding.kind !== 'cell') return [];
  const { conversion, path } = binding;
  if (conversion.isSwappable !== undefined) return [ambiguousDate(conversion.isSwappable)];
  if (conversion === listConversion) return [spreadsheetError, mojibake];
  if (conversion !== stringConversion) return [];
  if (!isIdentifierField(path)) return [spreadsheetError, mojibake];
  return [scientificNotation, spreadsheetError, ...(byName(beside)[lastName(path)] ?? [mojibake])];
}

/** What has a form of its own can hold nothing that looks like misread text and passes. */
function byName(beside: Beside): Readonly<Record<string, readonly CellCheck[]>> {
  const country = beside('country');
  return {
    accountNumber: [lostZeroOfAccountNumber(beside('sortCodeUK')), mojibake],
    bankCode: [lostZeroOfBankCode(country), mojibake],
    bic_swift: [bicInvalid],
    bicSwift: [bicInvalid],
    cnaps: [lostZeroOfCnaps, mojibake],
    iban: [ibanInvalid],
    postCode: [lostZeroOfPostCode(country), mojibake],
    routingNumber: [lostZeroOfRoutingNumber(country), routingNumberInvalid(country)],
    sortCodeUK: [lostZeroOfSortCode, sortCodeInvalid],
  };
}
