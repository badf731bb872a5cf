/**
 * The names that files give to the fields and keys of each operation, in all languages at once: the
 * tables of data/names put together. A name that two languages use for different fields, or that
 * could mean several, comes with a note of what else it could be.
 */
import type { BuiltIn } from '../../model/operation.ts';
import { readData, remembered } from '../read-data.ts';
import { foldName } from '../request-field.ts';

/** A field that a name stands for, and what else the name could be. */
export type NamedField = {
  readonly field: string;
  readonly note: string | null;
  /** Whether an account in somebody's books goes by that name, too. */
  readonly isOfLedger: boolean;
};

/** Where two use one name, the first of them is meant. */
const TABLES =
  'common english german french spanish italian dutch polish portuguese swedish sap dynamics pipedrive';

type Name = {
  /** What is named: a field of this kind of record, an address, a key; see data/names/README.md. */
  readonly of: string;
  readonly what: string;
  /** The name to compare. */
  readonly loose: string;
  readonly doubt: string | undefined;
};

const allNames = remembered((tables: string): readonly Name[] =>
  tables
    .split(' ')
    .flatMap((table) => readData(`names/${table}.tsv`))
    .flatMap(([of = '', what = '', name = '', doubt]) =>
      spellings(name).map((loose) => ({ of, what, loose, doubt })),
    ),
);

function namesOf(of: string): readonly Name[] {
  return allNames(TABLES).filter((name) => name.of === of);
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' };

function spellings(name: string): readonly string[] {
  const written = name.replaceAll(/[äöüÄÖÜ]/g, (letter) => UMLAUTS[letter] ?? letter);
  return [...new Set([looseName(name), looseName(written)])];
}

const NUMBER: ReadonlySet<string> = new Set(['no', 'nr', 'num', 'nro', 'nbr']);
const INITIALS = /(?<![\p{L}\p{N}])(\p{L})\.\s?(?=\p{L}(?![\p{L}\p{N}]))/gu;

/**
 * A name without what doesn't make it another one: case, accents, spaces, punctuation, small words,
 * and how "number" is written. `Post-Code` and `post code` are the same, and so are `N° de client`,
 * `Numéro client` and `nr client`.
 */
export function looseName(name: string): string {
  const parted = name.replaceAll(/\bn\s?°/giu, ' nr ').replaceAll(INITIALS, '$1');
  const words = plainWords(parted.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  const small = smallWords('words.tsv');
  const telling = words.filter((word) => !small.has(word));
  return (telling.length === 0 ? words : telling)
    .map((word) => (NUMBER.has(word) ? 'nr' : word))
    .join('')
    .replaceAll(/nummer|numero|number|numer/g, 'nr');
}

function plainWords(name: string): readonly string[] {
  return withoutMarks(foldName(name))
    .replaceAll('ł', 'l')
    .replaceAll('œ', 'oe')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function withoutMarks(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '');
}

/** Words without which a name is the same. */
const smallWords = remembered((table: string): ReadonlySet<string> => {
  const words = readData(table).flatMap(([kind, word = '']) => (kind === 'small' ? [word] : []));
  return new Set(words.map(withoutMarks));
});

type FieldNames = ReadonlyMap<string, NamedField>;

/** The operation's fields by the names that files give them, as `looseName` has them. */
export const fieldNames = remembered((operation: BuiltIn): FieldNames => {
  switch (operation) {
    case 'subclient.create':
      return byName(subclientNames());
    case 'subclient.update':
    case 'subclient.upsert':
      return byName([...keysOf('service').map((loose) => pair(loose, 'id')), ...subclientNames()]);
    case 'counterparty.draft':
      return byName(counterpartyNames());
    case 'payment.documents':
      return byName(pairsOf('payment', 'payment'));
    default:
      return operation satisfies never;
  }
});

type NamedPair = readonly [loose: string, NamedField];

function byName(pairs: readonly NamedPair[]): FieldNames {
  const names = new Map<string, NamedField>();
  for (const [loose, found] of pairs) {
    const other = names.get(loose);
    names.set(loose, other === undefined ? found : joined(other, found));
  }
  return names;
}

/** Two languages, or a field and its own part, that use one name. */
function joined(first: NamedField, second: NamedField): NamedField {
  if (first.field === second.field) return first.note === null ? second : first;
  return { ...first, note: first.note ?? `could also be for "${second.field}"` };
}

function pair(loose: string, field: string, note: string | null = null): NamedPair {
  return [loose, { field, note, isOfLedger: false }];
}

/** The names of a kind of field, with the notes that such a field's doubts have. */
function pairsOf(of: string, kind: string, fieldOf = (what: string) => what): readonly NamedPair[] {
  const notes = notesOf(kind);
  return namesOf(of).map(({ what, loose, doubt }): NamedPair => {
    const note = notes.get(doubt ?? '') ?? null;
    return [loose, { field: fieldOf(what), note, isOfLedger: doubt === 'ledger' }];
  });
}

/** What parts an address no further than lines is taken for its street. */
function addressPairs(kind: string, path: string): readonly NamedPair[] {
  const pairs = pairsOf('address', kind, (what) => `${path}${what === 'line' ? 'streetName' : what}`);
  return pairs.filter(([, { field }]) => field !== `${path}line2`);
}

const notesOf = remembered((kind: string): ReadonlyMap<string, string> => {
  const fitting = readData('doubts.tsv').filter(([, about]) => about === kind || isAny(about, kind));
  return new Map(fitting.map(([doubt = '', , note = '']) => [doubt, note]));
});

/** An address that is named has few doubts: its country could be no other. */
function isAny(about: string | undefined, kind: string): boolean {
  return about === 'any' && kind !== 'address';
}

function subclientNames(): readonly NamedPair[] {
  return [...pairsOf('subclient', 'subclient'), ...addressPairs('subclient', 'addresses.primary.')];
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
  const own = pairsOf('counterparty', 'counterparty');
  const taken = new Set(own.map(([loose]) => loose));
  const address = pairsOf('address', 'counterparty', (what) => AT_TOP[what] ?? `address.${what}`);
  return [...own, ...address.filter(([loose]) => !taken.has(loose))];
}

/** What stands before or behind a field's name, and the fields that can follow. */
type Qualifier = { readonly word: string; readonly path: string; readonly fields: FieldNames };

/** Of a name that says whose it is: `Billing ZIP`, `Ville facturation`, `IBAN bénéficiaire`. */
export function qualifiedName(operation: BuiltIn, name: string): NamedField | null {
  for (const { word, path, fields } of qualifiersOf(operation)) {
    const found = fields.get(restOf(name, word));
    if (found !== undefined) return { ...found, field: `${path}${found.field}` };
  }
  return null;
}

function restOf(name: string, word: string): string {
  if (name.startsWith(word)) return name.slice(word.length);
  return name.endsWith(word) ? name.slice(0, -word.length) : '';
}

/** The longest first, since one begins with another. */
const qualifiersOf = remembered((operation: BuiltIn): readonly Qualifier[] => {
  const [kind = ''] = operation.split('.');
  const paths = new Map([
    [kind, { path: '', fields: fieldNames(operation) }],
    ...(kind === 'subclient' ? NAMED_ADDRESSES.map((name) => [name, namedAddress(name)] as const) : []),
  ]);
  return namesOf('whose')
    .flatMap(({ what, loose }) => {
      const found = paths.get(what);
      return found === undefined ? [] : [{ word: loose, ...found }];
    })
    .sort((a, b) => b.word.length - a.word.length);
});

const NAMED_ADDRESSES = ['primary', 'billing'];

function namedAddress(name: string): Omit<Qualifier, 'word'> {
  const pairs = addressPairs('address', '');
  const own = pairs.map(([, { field }]) => pair(looseName(field), field));
  return { path: `addresses.${name}.`, fields: new Map([...own, ...pairs]) };
}

type KeyKind = 'external' | 'service' | 'subclient' | 'counterparty' | 'parent' | 'owner' | 'ledger' | 'any';

function keysOf(...kinds: readonly KeyKind[]): readonly string[] {
  const keys = namesOf('key');
  return kinds.flatMap((kind) => keys.flatMap(({ what, loose }) => (what === kind ? [loose] : [])));
}

/** Names of columns with the key of a subclient that the record belongs to. */
export function referenceNamesOf(operation: BuiltIn): readonly string[] {
  return operation === 'counterparty.draft' ? keysOf('parent', 'subclient', 'owner') : keysOf('parent');
}

export function keyNamesOf(operation: BuiltIn): readonly string[] {
  switch (operation) {
    case 'subclient.create':
    case 'subclient.upsert':
      return keysOf('external', 'subclient', 'any', 'ledger');
    case 'subclient.update':
      return ['id', ...keysOf('service', 'external', 'subclient', 'any')];
    case 'counterparty.draft':
      return keysOf('external', 'counterparty', 'any', 'subclient');
    case 'payment.documents':
      return [...namesOf('payment').map(({ loose }) => loose), ...keysOf('external', 'any')];
    default:
      return operation satisfies never;
  }
}
