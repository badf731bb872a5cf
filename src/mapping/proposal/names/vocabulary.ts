/**
 * What a language's file of names says: by field the names that files give it, with commas between them. A name that
 * could mean something else carries a doubt: `region?region` is the name "region" with the doubt of that name. Names are
 * compared by `looseName`, so that one spelling of a name is enough.
 */
import { foldName } from '../../request-field.ts';

/** By field its usual names. */
export type Names = Readonly<Record<string, string>>;

export type AddressField =
  | 'buildingName'
  | 'buildingNumber'
  | 'country'
  | 'countrySubdivision'
  | 'department'
  | 'district'
  | 'floor'
  | 'postBox'
  | 'postCode'
  | 'room'
  | 'streetName'
  | 'subDepartment'
  | 'town'
  | 'townLocation';

/** The names of one language. */
export type Vocabulary = {
  /** The fields of an address, and the lines of one in files that don't part it. */
  readonly address: Readonly<Partial<Record<AddressField | 'line' | 'line2', string>>>;
  /** What stands before or behind the name of an address field to say which address is meant. */
  readonly primary: string;
  readonly billing: string;
  /** What stands there to say that a field is the record's own: `Supplier IBAN`. */
  readonly parties: { readonly subclient: string; readonly counterparty: string };
  readonly subclient: Names;
  readonly counterparty: Names;
  /** Names of a subclient's own key; in a file of counterparties they refer to it. */
  readonly subclientKeys: string;
  readonly counterpartyKeys: string;
  /** Names of a key that don't say whose it is. */
  readonly keys: string;
  /** Names of a column with the key of a subclient's parent. */
  readonly parentKeys: string;
  /** Names of a column with the key of the subclient that a counterparty belongs to, besides `subclientKeys`. */
  readonly ownerKeys: string;
};

/** Words that a name is the same without: articles and the like, and what makes a number a guess. */
const SMALL_WORDS: ReadonlySet<string> = new Set(
  `of the der die das des dem den von vom und de du des la le les l d et el los las del di della dello dell delle dei il lo
  van het expected estimated average approx voraussichtliches voraussichtlicher erwartetes erwarteter geschätzter durchschnittlicher
  durchschnittliches estimé prévu moyen estimado previsto medio stimato verwacht verwachte geschat gemiddeld gemiddelde średni średnia szacowany oczekiwany`
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/\s+/),
);
const NUMBER: ReadonlySet<string> = new Set(['no', 'nr', 'num', 'nro', 'nbr']);
const INITIALS = /(?<![\p{L}\p{N}])(\p{L})\.\s?(?=\p{L}(?![\p{L}\p{N}]))/gu;

/**
 * A name without what doesn't make it another one: case, accents, spaces, punctuation, small words, and how "number" is
 * written. `Post-Code` and `post code` are the same, and so are `N° de client`, `Numéro client` and `nr client`.
 */
export function looseName(name: string): string {
  const parted = name.replaceAll(/\bn\s?°/giu, ' nr ').replaceAll(INITIALS, '$1');
  const words = wordsOf(parted.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
  const telling = words.filter((word) => !SMALL_WORDS.has(word));
  return (telling.length === 0 ? words : telling)
    .map((word) => (NUMBER.has(word) ? 'nr' : word))
    .join('')
    .replaceAll(/nummer|numero|number|numer/g, 'nr');
}

function wordsOf(name: string): readonly string[] {
  const plain = foldName(name)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replaceAll('œ', 'oe');
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
