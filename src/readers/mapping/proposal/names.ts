/**
 * The names that files give to the fields and keys of each operation: the tables of data/names put
 * together. A name that could mean several comes with a note of what else it could be.
 */

import type { Operation } from '../../../model/operation.ts';
import { needsPathId, pathFieldOf, specOf } from '../../../operations/operations.ts';
import type { KeyKind } from '../../../operations/spec.ts';
import { spelledOut } from '../countries.ts';
import { readData, remembered, wordsOf } from '../read-data.ts';
import { foldName } from '../request-field.ts';

export type NamedField = {
  readonly field: string;
  readonly note: string | null;
  /** As data/doubts.tsv calls it; empty: none. */
  readonly doubt: string;
};

/** Where two use one name, the first of them is meant. */
const TABLES =
  'common english german french spanish italian dutch ' + 'polish portuguese swedish sap dynamics pipedrive';

type Name = {
  /** What is named: a field of this kind of record, an address, a key; see data/names/README.md. */
  readonly of: string;
  readonly what: string;
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

function spellings(name: string): readonly string[] {
  return [...new Set([looseName(name), looseName(spelledOut(name))])];
}

const NUMBER: ReadonlySet<string> = new Set(['no', 'nr', 'num', 'nro', 'nbr']);
const INITIALS = /(?<![\p{L}\p{N}])(\p{L})\.\s?(?=\p{L}(?![\p{L}\p{N}]))/gu;

/** The same for `Post-Code` and `post code`, and for `N° de client` and `Numéro client`. */
export function looseName(name: string): string {
  const parted = name.replaceAll(/\bn\s?°/giu, ' nr ').replaceAll(INITIALS, '$1');
  const words = plainWords(parted.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  const small = smallWords('small');
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

const smallWords = remembered((kind: string) => new Set([...wordsOf(kind)].map(withoutMarks)));

type FieldNames = ReadonlyMap<string, NamedField>;
type NamedPair = readonly [loose: string, NamedField];

export const fieldNames = remembered((operation: Operation): FieldNames => {
  const { kind } = specOf(operation).proposal;
  const own = pairsOf(kind, kind);
  const ids = pathFieldOf(operation) === 'id' ? keysOf('service').map((loose) => pair(loose, 'id')) : [];
  return byName([...ids, ...own, ...addressesOf(kind, own)]);
});

function addressesOf(kind: string, own: readonly NamedPair[]): readonly NamedPair[] {
  if (kind === 'subclient') return addressPairs(kind, 'addresses.primary.');
  if (kind !== 'counterparty') return [];
  const taken = new Set(own.map(([loose]) => loose));
  const pairs = pairsOf('address', kind, (what) => AT_TOP[what] ?? `address.${what}`);
  return pairs.filter(([loose]) => !taken.has(loose));
}

/** The fields of an address that a counterparty has at its top, too. */
export const AT_TOP: Readonly<Record<string, string>> = {
  country: 'country',
  countrySubdivision: 'county',
  postCode: 'postCode',
  town: 'city',
  line: 'address1',
  line2: 'address2',
};

/** What parts an address no further than lines is taken for its street. */
function addressPairs(kind: string, path: string): readonly NamedPair[] {
  const pairs = pairsOf('address', kind, (what) => `${path}${what === 'line' ? 'streetName' : what}`);
  return pairs.filter(([, { field }]) => field !== `${path}line2`);
}

function byName(pairs: readonly NamedPair[]): FieldNames {
  const names = new Map<string, NamedField>();
  for (const [loose, second] of pairs) {
    const first = names.get(loose) ?? second;
    const isSame = first.field === second.field;
    const note = first.note ?? (isSame ? second.note : `could also be for "${second.field}"`);
    names.set(loose, { ...(isSame && first.note === null ? second : first), note });
  }
  return names;
}

function pair(loose: string, field: string): NamedPair {
  return [loose, { field, note: null, doubt: '' }];
}

function pairsOf(of: string, kind: string, fieldOf = (what: string) => what): readonly NamedPair[] {
  const doubts = readData('doubts.tsv').filter(([, about = '']) => about.split(' ').includes(kind));
  const notes = new Map(doubts.map(([doubt = '', , note = '']) => [doubt, note]));
  return namesOf(of).map(({ what, loose, doubt = '' }): NamedPair => {
    const note = notes.get(doubt) ?? null;
    return [loose, { field: fieldOf(what), note, doubt }];
  });
}

/** The lowest goes first. */
export function rankOf({ doubt }: NamedField): number {
  return Number(readData('doubts.tsv').find(([name]) => name === doubt)?.[3] ?? 0);
}

type Qualifier = { readonly word: string; readonly path: string; readonly fields: FieldNames };

/** Of a name that says whose it is: `Billing ZIP`, `Ville facturation`, `IBAN bénéficiaire`. */
export function qualifiedName(operation: Operation, name: string): NamedField | null {
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
const qualifiersOf = remembered((operation: Operation): readonly Qualifier[] => {
  const { kind } = specOf(operation).proposal;
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

function keysOf(...kinds: readonly KeyKind[]): readonly string[] {
  const keys = namesOf('key');
  return kinds.flatMap((kind) => keys.flatMap(({ what, loose }) => (what === kind ? [loose] : [])));
}

/** Names of columns with the key of a subclient that the record belongs to. */
export function referenceNamesOf(operation: Operation): readonly string[] {
  return keysOf(...specOf(operation).proposal.references);
}

/** The most telling first; where a row needs the id for its path, names of that before all. */
export function keyNamesOf(operation: Operation): readonly string[] {
  const own = keysOf(...specOf(operation).proposal.keys);
  const pathField = needsPathId(operation) ? pathFieldOf(operation) : null;
  if (pathField === null) return own;
  const named = [...fieldNames(operation)].filter(([, { field }]) => field === pathField);
  return [looseName(pathField), ...named.map(([name]) => name), ...own];
}
