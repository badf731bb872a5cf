/**
 * The names that files give to the fields and keys of each operation, in all languages at once: what the files of
 * names/ say, put together. A name that two languages use for different fields, or that could mean several, comes with
 * a note of what else it could be.
 */
import type { BuiltIn } from '../../model/operation.ts';
import { DUTCH } from './names/dutch.ts';
import { ENGLISH } from './names/english.ts';
import { FRENCH } from './names/french.ts';
import { GERMAN } from './names/german.ts';
import { ITALIAN } from './names/italian.ts';
import { POLISH } from './names/polish.ts';
import { SPANISH } from './names/spanish.ts';
import { looseName, type Names, type Vocabulary } from './names/vocabulary.ts';

/** A field that a name stands for, and what else the name could be. */
export type NamedField = { readonly field: string; readonly note: string | null };

const LANGUAGES: readonly Vocabulary[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, POLISH];

/** What a name with a doubt could also be. */
const NOTES: Readonly<Record<string, string>> = {
  abi: 'Italy has a branch code (CAB) beside it',
  account: 'could also be an IBAN',
  beneficiary: 'could also say whether it is one (isBeneficiary)',
  currency: 'could also be the currencies of the counterparty',
  domicile: 'could also be an address',
  id: 'could also be the identifier of something else',
  institute: 'could also be something else than a bank',
  licence: 'could also be another licence than the regulator’s',
  mail: 'could also be a certified mailbox that is not meant for letters',
  other: 'could also be something else',
  parent: 'could also be an identifier, or a group instead of a company',
  party: 'could also be a key or a number instead of a name',
  purpose: 'could also be the text of one payment',
  region: 'could also be a sales region',
  register: 'could also be the name or the place of the register',
  registered: 'the service has no field of its own for it; this is the country of the primary address',
  registration: 'could also be when the client was registered, or something else',
  seat: 'could also be a whole address',
  siret: 'SIRET is of one establishment; the company’s number is SIREN, the first nine digits of it',
  site: 'could also be a place',
  state: 'could also be the state of the record',
  tax: 'could also be another number',
  turnover: 'could also be the turnover of a year',
  type: 'could also be the type of an account',
  vat: 'could also be for "kyc.details.euVatNumber"',
  volume: 'could also be the volume of a year',
};
const SUBCLIENT_NOTES: Readonly<Record<string, string>> = {
  country: 'could also be the country of trading, or the regulator’s',
  line: 'could hold more than a street',
  name: 'could also be the display name or the trading name',
};
const COUNTERPARTY_NOTES: Readonly<Record<string, string>> = {
  country: 'could also be the country of the bank account',
  line: 'could hold more than one line',
  name: 'could also be the name of a bank or an account',
};

const PAYMENT_ID = `
  payment id, payment, payment ref, payment reference, payment number, Zahlungs ID, Zahlungsnummer, Zahlungsreferenz, id paiement, numéro de paiement,
  référence de paiement, id pago, número de pago, referencia de pago, id pagamento, numero pagamento, betaling id, betalingsnummer, id płatności, numer płatności
`;
const SUBCLIENT_ID = 'subclient id, sub client id, service id, entity id';

type FieldNames = ReadonlyMap<string, NamedField>;
const named = new Map<BuiltIn, FieldNames>();

/** The operation's fields by the names that files give them, as `looseName` has them. */
export function fieldNames(operation: BuiltIn): FieldNames {
  const known = named.get(operation);
  if (known !== undefined) return known;
  const names = new Map<string, NamedField>();
  for (const [name, found] of namesFor(operation)) {
    const other = names.get(name);
    names.set(name, other === undefined ? found : joined(other, found));
  }
  named.set(operation, names);
  return names;
}

/** Two languages, or a field and its own part, that use one name. */
function joined(first: NamedField, second: NamedField): NamedField {
  if (first.field === second.field) return first.note === null ? second : first;
  return { field: first.field, note: first.note ?? `could also be for "${second.field}"` };
}

type NamedPair = readonly [looseName: string, NamedField];

function namesFor(operation: BuiltIn): readonly NamedPair[] {
  switch (operation) {
    case 'subclient.create':
      return subclientNames();
    case 'subclient.update':
    case 'subclient.upsert':
      return [...pairs('id', SUBCLIENT_ID, {}), ...subclientNames()];
    case 'counterparty.draft':
      return counterpartyNames();
    case 'payment.documents':
      return pairs('paymentId', `${PAYMENT_ID}, id?id`, NOTES);
    default:
      return operation satisfies never;
  }
}

function subclientNames(): readonly NamedPair[] {
  const notes = { ...NOTES, ...SUBCLIENT_NOTES };
  return LANGUAGES.flatMap(({ subclient, address: { line = '', line2: _, ...address } }) => [
    ...tablePairs(subclient, notes),
    ...tablePairs(address, notes).map(
      ([name, { field, note }]): NamedPair => [name, { field: `addresses.primary.${field}`, note }],
    ),
    ...pairs('addresses.primary.streetName', doubted(line, 'line'), notes),
  ]);
}

/** The fields of an address that a counterparty has at its top, too. */
const AT_TOP: Readonly<Record<string, string>> = {
  country: 'country',
  countrySubdivision: 'county',
  postCode: 'postCode',
  town: 'city',
  line: 'address1',
  line2: 'address2',
};

function counterpartyNames(): readonly NamedPair[] {
  const notes = { ...NOTES, ...COUNTERPARTY_NOTES };
  return LANGUAGES.flatMap(({ counterparty, address: { line = '', ...address } }) => {
    const own = tablePairs(counterparty, notes);
    const taken = new Set(own.map(([name]) => name));
    const ofAddress = tablePairs({ ...address, line: doubted(line, 'line') }, notes).filter(
      ([name]) => !taken.has(name),
    );
    return [
      ...own,
      ...ofAddress.map(
        ([name, { field, note }]): NamedPair => [name, { field: AT_TOP[field] ?? `address.${field}`, note }],
      ),
    ];
  });
}

function doubted(list: string, doubt: string): string {
  return namesIn(list)
    .map((name) => `${name}?${doubt}`)
    .join(', ');
}

function tablePairs(table: Names, notes: Readonly<Record<string, string>>): readonly NamedPair[] {
  return Object.entries(table).flatMap(([field, list]) => pairs(field, list, notes));
}

function pairs(field: string, list: string, notes: Readonly<Record<string, string>>): readonly NamedPair[] {
  return namesIn(list).flatMap((entry) => {
    const [name = '', doubt] = entry.split('?');
    const note = doubt === undefined ? null : (notes[doubt] ?? null);
    return spellings(name).map((spelling): NamedPair => [spelling, { field, note }]);
  });
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' };

/** The name to compare, also as German is written without umlauts. */
function spellings(name: string): readonly string[] {
  const written = name.replaceAll(/[äöüÄÖÜ]/g, (letter) => UMLAUTS[letter] ?? letter);
  return [...new Set([looseName(name), looseName(written)])];
}

/** What stands before or behind a field's name to say whose it is, and the fields that can follow. */
type Qualifier = { readonly word: string; readonly path: string; readonly fields: FieldNames };
const qualifiers = new Map<'subclient' | 'counterparty', readonly Qualifier[]>();

/** The field of a name that says whose it is: `Billing ZIP`, `Ville facturation`, `IBAN bénéficiaire`. */
export function qualifiedName(operation: BuiltIn, name: string): NamedField | null {
  if (operation === 'payment.documents') return null;
  const kind = operation === 'counterparty.draft' ? 'counterparty' : 'subclient';
  const known = qualifiers.get(kind) ?? qualifiersOf(kind, fieldNames(operation));
  qualifiers.set(kind, known);
  for (const { word, path, fields } of known) {
    const found = fields.get(restOf(name, word));
    if (found !== undefined) return { field: `${path}${found.field}`, note: found.note };
  }
  return null;
}

function restOf(name: string, word: string): string {
  if (name.startsWith(word)) return name.slice(word.length);
  return name.endsWith(word) ? name.slice(0, -word.length) : '';
}

/** The longest first, since one begins with another. */
function qualifiersOf(kind: 'subclient' | 'counterparty', fields: FieldNames): readonly Qualifier[] {
  const of = (list: string, path: string, found: FieldNames): readonly Qualifier[] =>
    namesIn(list)
      .flatMap(spellings)
      .map((word) => ({ word, path, fields: found }));
  const address = addressNames();
  return LANGUAGES.flatMap(({ primary, billing, parties }) => [
    ...(kind === 'subclient' ? of(primary, 'addresses.primary.', address) : []),
    ...(kind === 'subclient' ? of(billing, 'addresses.billing.', address) : []),
    ...of(parties[kind], '', fields),
  ]).sort((a, b) => b.word.length - a.word.length);
}

/** The fields of an address that is named: its country could be no other. */
function addressNames(): FieldNames {
  const notes = { line: 'could hold more than a street' };
  return new Map(
    LANGUAGES.flatMap(({ address: { line = '', line2: _, ...address } }) => [
      ...Object.keys(address).map((field): NamedPair => [looseName(field), { field, note: null }]),
      ...tablePairs(address, notes),
      ...pairs('streetName', doubted(line, 'line'), notes),
    ]),
  );
}

type KeyList = 'subclientKeys' | 'counterpartyKeys' | 'keys' | 'parentKeys' | 'ownerKeys';
const keyLists = new Map<KeyList, readonly string[]>();

/** A list of all languages, as `looseName` has its names. */
function everywhere(list: KeyList): readonly string[] {
  const known = keyLists.get(list);
  if (known !== undefined) return known;
  const names = LANGUAGES.flatMap((language) => namesIn(language[list]).flatMap(spellings));
  keyLists.set(list, names);
  return names;
}

/** Names under which files give the key of a subclient that a record of this operation belongs to. */
export function referenceNamesOf(operation: BuiltIn): ReadonlySet<string> {
  const owner = operation === 'counterparty.draft' ? (['subclientKeys', 'ownerKeys'] as const) : [];
  return new Set(['parentKeys' as const, ...owner].flatMap(everywhere));
}

/** The names that the key of an operation's rows goes by, the most telling first. */
export function keyNamesOf(operation: BuiltIn): readonly string[] {
  const own = namesIn('external id, external ref, external reference').map(looseName);
  switch (operation) {
    case 'subclient.create':
    case 'subclient.upsert':
      return [...own, ...everywhere('subclientKeys'), ...everywhere('keys')];
    case 'subclient.update':
      return [
        ...namesIn(`id, ${SUBCLIENT_ID}`).map(looseName),
        ...own,
        ...everywhere('subclientKeys'),
        ...everywhere('keys'),
      ];
    case 'counterparty.draft':
      return [
        ...own,
        ...everywhere('counterpartyKeys'),
        ...everywhere('keys'),
        ...everywhere('subclientKeys'),
      ];
    case 'payment.documents':
      return [...namesIn(PAYMENT_ID).flatMap(spellings), ...own, ...everywhere('keys')];
    default:
      return operation satisfies never;
  }
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
