/**
 * What an IBAN, a BIC, a sort code or a routing number looks like, and which codes are short of the
 * zeros that a spreadsheet drops.
 */
import { getCountrySpecifications, isValidBIC, ValidationErrorsIBAN, validateIBAN } from 'ibantools';
import { countryCode } from '../countries.ts';
import { readData, wordsOf } from '../read-data.ts';
import { type FieldPath, formatFieldPath, lastName } from '../request-field.ts';
import type { RowContext } from '../row-context.ts';
import { type Beside, type BesideOf, type CellCheck, codeOf } from './damage.ts';

/**
 * By the last part of their path. A spreadsheet that takes their digits for a number drops leading
 * zeros and rounds what comes after the 15th.
 */
const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set(
  [
    'accountNumber bankAccountId bankCode bicSwift bic_swift cnaps crmId euVatNumber iban id',
    'licenseNumber parentId paymentId postBox postCode routingNumber sortCodeUK taxId',
    'tradeRegistryId vanityId vatNumber',
  ].flatMap((names) => names.split(' ')),
);

export function isIdentifierField(path: FieldPath): boolean {
  return IDENTIFIER_FIELDS.has(lastName(path));
}

/**
 * The checks of an identifier's field. `others` are left out for identifiers with a form of their
 * own, in which text that was misread could not pass anyway.
 */
export function identifierChecks(
  path: FieldPath,
  beside: Beside,
  others: readonly CellCheck[],
): readonly CellCheck[] {
  const country = beside.of('country');
  switch (lastName(path)) {
    case 'accountNumber': {
      const sortCode = beside.of('sortCodeUK');
      const isBritish = (context: RowContext) => sortCode(context) !== '';
      const lost = lostZero(8, 'UK account number', (_, context) => isBritish(context));
      return [unseen('an account number'), lost, accountNumberImplausible(isBritish), ...others];
    }
    case 'bankCode':
      return [unseen('a bank code'), lostZeroOf('bankCode', country), ...others];
    case 'bic_swift':
    case 'bicSwift':
      return [bicInvalid, unseen('a BIC'), bicElsewhere(path, beside)];
    case 'cnaps':
      return [unseen('a CNAPS code'), lostZero(12, 'CNAPS code'), ...others];
    case 'iban':
      return [ibanInvalid, unseen('an IBAN'), ibanElsewhere(path, beside), ibanOfOtherBank(path, beside)];
    case 'postCode':
      return [lostZeroOf('postCode', country), ...others];
    case 'routingNumber':
      return [unseen('a routing number'), ...routingNumberChecks(path, beside)];
    case 'sortCodeUK':
      return [lostZero(6, 'sort code'), sortCodeInvalid];
    default:
      return others;
  }
}

function besidePath(path: FieldPath, name: string): string {
  return formatFieldPath([...path.slice(0, -1), name]);
}

/**
 * The country's length and characters, and the check digits (ISO 13616). Spaces, as people write
 * them, and case don't matter. Check digits inside of a national account number are not looked at:
 * what is damaged fails the outer ones already.
 */
const ibanInvalid: CellCheck = {
  code: 'iban_invalid',
  find: (text) => {
    const problem = ibanProblem(bare(text));
    return problem === null ? null : (unseenIn('an IBAN', text) ?? problem);
  },
};

/**
 * Nobody sees these signs, or takes them for a space; a bank's system does neither. What a wrong
 * encoding leaves (U+0080 to U+009F) is told as that.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}](?<![\u0080-\u009f ])/u;

function unseen(what: string): CellCheck {
  return { code: 'account_implausible', passesPlain: true, find: (text) => unseenIn(what, text) };
}

function unseenIn(what: string, text: string): string | null {
  const found = UNSEEN.exec(text);
  if (found === null) return null;
  const [sign] = found;
  const place = placeIn(text, found.index, sign);
  return `${what} without ${codeOf(sign)} ${place}, a sign that can not be seen; take it out`;
}

function placeIn(text: string, at: number, sign: string): string {
  if (at === 0) return 'at its beginning';
  return at + sign.length === text.length ? 'at its end' : 'within it';
}

function bare(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase();
}

function ibanProblem(iban: string): string | null {
  const wrong = new Set(validateIBAN(iban).errorCodes);
  if (wrong.has(ValidationErrorsIBAN.NoIBANProvided) || wrong.has(ValidationErrorsIBAN.NoIBANCountry))
    return NO_COUNTRY;
  if (wrong.has(ValidationErrorsIBAN.WrongBBANLength)) return lengthProblem(iban);
  if (!/^[A-Z0-9]+$/.test(iban))
    return 'an IBAN of letters and digits only; a character in it is probably damaged';
  if (wrong.has(ValidationErrorsIBAN.WrongBBANFormat) || wrong.has(ValidationErrorsIBAN.ChecksumNotNumber))
    return (
      `an IBAN with letters and digits where ${iban.slice(0, 2)} has ` +
      'them; a letter and a digit are probably confused, such as O and 0'
    );
  return wrong.has(ValidationErrorsIBAN.WrongIBANChecksum) ? CHECK_DIGITS : null;
}

const NO_COUNTRY =
  'an IBAN, which begins with the two letters of a country that has IBANs; ' +
  'the cell probably belongs to another column, or its beginning is lost';

const CHECK_DIGITS =
  'an IBAN whose check digits fit; a character is probably wrong, or two have changed places';

function lengthProblem(iban: string): string {
  const country = iban.slice(0, 2);
  const expected = getCountrySpecifications()[country]?.chars ?? 0;
  const what =
    iban.length < expected ? 'a part of it is probably lost' : 'something in it is probably too many';
  return `an IBAN of ${expected} characters, as ${country} has them, got ${iban.length}; ${what}`;
}

const OTHERS = 'one of the two probably belongs to another account';

function ibanElsewhere(path: FieldPath, beside: Beside): CellCheck {
  const country = beside.of('country');
  const elsewhere = `an IBAN of the country that "${besidePath(path, 'country')}" has; ${OTHERS}`;
  return {
    code: 'account_implausible',
    find: (text, context) => (isOtherCountry(text, country(context)) ? elsewhere : null),
  };
}

/** Banks go by the BIC of another country of theirs, so that this alone keeps no row back. */
function ibanOfOtherBank(path: FieldPath, beside: Beside): CellCheck {
  const bic = beside.of('bic_swift');
  const elsewhere = `an IBAN of the country that "${besidePath(path, 'bic_swift')}" has; ${OTHERS}`;
  return {
    code: 'account_implausible',
    isWarning: true,
    find(text, context) {
      const bank = bare(bic(context));
      return isBic(bank) && isOtherCountry(text, bank.slice(4, 6)) ? elsewhere : null;
    },
  };
}

function isOtherCountry(iban: string, written: string): boolean {
  const own = sureCountry(bare(iban).slice(0, 2));
  return own !== '' && !['', own].includes(sureCountry(written));
}

/** '': none that is known, or that alone has its IBANs and BICs, as Jersey and Monaco don't. */
function sureCountry(written: string): string {
  const code = countryCode(written) ?? '';
  return wordsOf('shares').has(code) ? '' : code;
}

/** Letters and digits, in groups with one sign between. */
const ACCOUNT_NUMBER = /^-?[A-Za-z\d]+(?:[ ./-][A-Za-z\d]+)*$/;
/** Some banks' have six digits, or ten. */
const BRITISH = /^\d(?:[ -]?\d){5,9}$/;

function accountNumberImplausible(isBritish: (context: RowContext) => boolean): CellCheck {
  return {
    code: 'account_implausible',
    find(text, context) {
      if (/^\d+\.0$|^[1-9]\d{14}0{4}$/.test(text)) return AS_NUMBER;
      if (ibanProblem(bare(text)) === null) return IBAN_HERE;
      if (text !== text.trim()) return PADDED;
      if (!/\d/.test(text)) return NO_DIGIT;
      if (/[*•]|x{3}/i.test(text)) return MASKED;
      if (!ACCOUNT_NUMBER.test(text)) return OTHER_SIGNS;
      return isBritish(context) && !BRITISH.test(text) ? NOT_BRITISH : null;
    },
  };
}

const PADDED = 'an account number without a space before or behind it';
const NO_DIGIT = 'an account number, which has digits; this is a word, or a sign for nothing';
const MASKED = 'every digit of the account number; some of them are hidden behind other signs';
const OTHER_SIGNS =
  'an account number of letters and digits, with a space, ' + 'a dash, a dot or a slash between them at most';
const NOT_BRITISH =
  'an account number of 8 digits, as it stands beside a UK ' +
  'sort code; a sign is probably wrong, missing or too many';

const IBAN_HERE = 'an account number; this is an IBAN, which has its own field';
const AS_NUMBER =
  'every digit of the account number; a spreadsheet probably took ' +
  'it for a number, wrote .0 behind it or zeros for the last digits';

const bicInvalid: CellCheck = {
  code: 'bic_invalid',
  find(text) {
    const bic = bare(text);
    if (!isValidBIC(bic)) return unseenIn('a BIC', text) ?? BIC;
    return isBic(bic) ? null : BANKS_NAME;
  },
};

function isBic(bic: string): boolean {
  return isValidBIC(bic) && !bic.endsWith('BANK') && !wordsOf('no-bic').has(bic);
}

const BANKS_NAME = "a BIC; this is a bank's name, or a word for none, that happens to have its form";

/** Where there is an IBAN, that one is compared. */
function bicElsewhere(path: FieldPath, beside: Beside): CellCheck {
  const [country, iban] = [beside.of('country'), beside.of('iban')];
  return {
    code: 'account_implausible',
    isWarning: true,
    find(text, context) {
      const own = sureCountry(bare(text).slice(4, 6));
      const there = iban(context) === '' ? sureCountry(country(context)) : '';
      if (own === '' || there === '' || own === there) return null;
      const place = besidePath(path, 'country');
      return `a BIC of the country that "${place}" has; ${OTHERS}`;
    },
  };
}

const BIC =
  'a BIC of 8 or 11 characters such as DEUTDEFF or DEUTDEFF500: bank, ' +
  'country, place, and the branch if any; a character is probably missing';

const SORT_CODE = /^(?=.*[1-9])\d{2}([- ]?)\d{2}\1\d{2}$/;

const sortCodeInvalid: CellCheck = {
  code: 'sort_code_invalid',
  find: (text) => (SORT_CODE.test(text) ? null : (unseenIn('a sort code', text) ?? SIX_DIGITS)),
};

const SIX_DIGITS =
  'a sort code of 6 digits, not all of them zeros, such as 202015 ' +
  'or 20-20-15; a digit is probably missing, too many or made up';

/** Of other countries' routing numbers, and where no country is named, nothing is known. */
function routingNumberChecks(path: FieldPath, beside: Beside): readonly CellCheck[] {
  const places = [besidePath(path, 'country'), 'country', 'address.country'];
  const countries = places.map((place) => {
    return { place, of: beside.at(place) };
  });
  /** The first that is filled. */
  const there = (context: RowContext) => countries.find(({ of }) => of(context) !== '');
  const isAmerican = (context: RowContext) => {
    return countryCode(there(context)?.of(context) ?? '') === 'USA';
  };
  return [
    lostZero(9, 'routing number', (text, context) => isRoutingNumber(`0${text}`) && isAmerican(context)),
    {
      code: 'routing_number_invalid',
      find: (text, context) =>
        isRoutingNumber(text) || !isAmerican(context)
          ? null
          : routingNumberProblem(text, there(context)?.place ?? ''),
    },
  ];
}

function routingNumberProblem(text: string, place: string): string {
  const [form, what] = /^\d{9}$/.test(text)
    ? ['whose check digit fits (ABA)', 'wrong, or two have changed places']
    : ['of 9 digits', 'missing or too many'];
  return `a routing number ${form}, since "${place}" is ` + `the United States; a digit is probably ${what}`;
}

const WEIGHTS = [3, 7, 1];

/** By the check of the American Bankers Association: a weighted sum that is a multiple of ten. */
function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = [...text].reduce((sum, digit, i) => sum + Number(digit) * (WEIGHTS[i % 3] ?? 0), 0);
  return sum % 10 === 0;
}

function lostZero(
  digits: number,
  what: string,
  isMeant: (text: string, context: RowContext) => boolean = () => true,
): CellCheck {
  return {
    code: 'lost_leading_zero',
    find: (text, context) =>
      text.length === digits - 1 && /^\d+$/.test(text) && isMeant(text, context) ? lost(digits, what) : null,
  };
}

const WORDS = { postCode: 'post code', bankCode: 'bank code' } as const;
const MAX_LOST = 2;

const SHORTENED = /^\d{1,7}$/;

/** Of a code whose number of digits is fixed in the country that stands beside it. */
function lostZeroOf(kind: keyof typeof WORDS, country: BesideOf): CellCheck {
  const digitsOf = new Map(
    readData('code-digits.tsv').flatMap(([of, code = '', digits]) =>
      of === kind ? [[code, Number(digits)] as const] : [],
    ),
  );
  return {
    code: 'lost_leading_zero',
    find(text, context) {
      if (!SHORTENED.test(text)) return null;
      const digits = digitsOf.get(countryCode(country(context)) ?? '') ?? 0;
      const isShort = text.length < digits && text.length >= digits - MAX_LOST;
      return isShort ? lost(digits, `${WORDS[kind]} of that country`) : null;
    },
  };
}

function lost(digits: number, what: string): string {
  return (
    `a ${what} of ${digits} digits; a spreadsheet probably ` +
    'took it for a number and dropped the zero it begins with'
  );
}
