import type { FieldCatalog } from '../model/mapping.ts';
import { foldName } from './fold-name.ts';

/** The field that a header means by what people read, as headers spell it (`accounts.0.iban`), or `null`. */
export type FindField = (header: string) => string | null;

/** Prepares finding fields by `foldName`; a spelling that two fields share finds none. */
export function createFindField(catalog: FieldCatalog, pathField: string | null): FindField {
  const spellings = spellingsOf([...(pathField === null ? [] : [pathField]), ...catalog.keys()]);
  return (header) => {
    if (header.includes('#')) return null; // stands for every position in the catalog, and for none in a file
    const folded = foldName(header).replaceAll(/\[(\d+)\]/g, '.$1');
    const positions = folded.match(/(?<=\.)\d+(?=\.|$)/g) ?? [];
    const pattern = folded.replaceAll(/(?<=\.)\d+(?=\.|$)/g, '#');
    const field = spellings.get(pattern) ?? itemOf(spellings.get(pattern.replace(/\.#$/, '')), catalog);
    return field === undefined || field === null ? null : withPositions(field, positions);
  };
}

/** Fields and the objects and lists that hold them, by their folded spelling; `null` where it is not the only one. */
function spellingsOf(fields: readonly string[]): ReadonlyMap<string, string | null> {
  const spellings = new Map<string, string | null>();
  for (const path of fields.flatMap(startsOf)) {
    const folded = foldName(path);
    const other = spellings.get(folded);
    spellings.set(folded, other === undefined || other === path ? path : null);
  }
  return spellings;
}

/** `accounts`, `accounts.#` and `accounts.#.iban` of `accounts.#.iban`. */
function startsOf(field: string): readonly string[] {
  const segments = field.split('.');
  return segments.map((_, end) => segments.slice(0, end + 1).join('.'));
}

function itemOf(field: string | null | undefined, catalog: FieldCatalog): string | null {
  return typeof field === 'string' && catalog.get(field) === 'string-list' ? `${field}.#` : null;
}

function withPositions(field: string, positions: readonly string[]): string {
  let next = 0;
  return field.replaceAll('#', () => positions[next++] ?? '0');
}
