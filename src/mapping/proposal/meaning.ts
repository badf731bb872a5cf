/**
 * What a header that is no field's path probably means: the field's name without case, spaces and
 * punctuation, or one of its usual business names. A proposal takes the meaning up with a note
 * where it is doubtful; a message only suggests it.
 */
import { nearest } from '../../lib/did-you-mean.ts';
import { MOST_PROBLEMS } from '../../lib/usage-error.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import type { BuiltIn } from '../../model/operation.ts';
import type { MappingOptions } from '../compilation.ts';
import { withPositions } from '../request-field.ts';
import { readingsOf } from './header-words.ts';
import { fieldNames, looseName, type NamedField, qualifiedName, referenceNamesOf } from './names.ts';

export type Meaning = NamedField & {
  readonly isReference: boolean;
  /** Of two columns for one field the longer name is the more telling. */
  readonly letters: number;
};

export type FindMeaning = (header: string) => Meaning | null;

/** Fields without case, spaces and punctuation, then their usual business names. */
export function createFindMeaning(
  operation: BuiltIn,
  catalog: FieldCatalog,
  pathField: string | null,
): FindMeaning {
  const known = [...catalog.keys()].filter((field) => !isSetByService(field));
  const fields = [...(pathField === null ? [] : [pathField]), ...known];
  const spellings = fields.map((field) => ({ field, shape: shapeOf(field) }));
  const own = new Map(ownNames(fields));
  const names = fieldNames(operation);
  const references = fields.includes('parent.id') ? referenceNamesOf(operation) : new Set<string>();
  const find = (name: string): Omit<Meaning, 'letters'> | null => {
    const found = names.get(name);
    if (found !== undefined && found.note !== null) return meant(found);
    if (references.has(name)) return PARENT;
    const exact = spelled(spellings, name) ?? found?.field ?? own.get(name);
    if (exact !== undefined) return meant({ field: exact, note: null, isOfLedger: false });
    const more = qualifiedName(operation, name) ?? numbered(name, names);
    return more === null ? null : meant(more);
  };
  const read = (header: string): Meaning | null => {
    for (const { name, note } of readingsOf(header)) {
      const loose = looseName(name);
      const meaning = loose === '' ? null : find(loose);
      if (meaning !== null) return withNote({ ...meaning, letters: loose.length }, note);
    }
    return null;
  };
  return (header) => read(header) ?? agreedOn(header, read);
}

/** What a file has under the name of such a field is something of its own system's. */
export function isSetByService(field: string): boolean {
  return SET_BY_SERVICE.test(field);
}

const SET_BY_SERVICE =
  /^(?:id|vanityId|state|status|actions|draft)$|^(?:payable|linkedDocuments)\.|^parent\.(?:state|isSelf)$|\.(?:actions|networks|verificationResponses)(?:\.|$)/;

function meant(found: NamedField): Omit<Meaning, 'letters'> {
  return { ...found, isReference: false };
}

function withNote(meaning: Meaning, note: string | null): Meaning {
  if (note === null) return meaning;
  return { ...meaning, note: meaning.note === null ? note : `${meaning.note}; ${note}` };
}

const OR = /\s*[/|]\s*|\s+(?:or|oder|ou|o|of|lub)\s+/;
const MOST_WORDS = 4;

/** Of a header with several names for one field: `Town / City`, `Nombre o razón social`. */
function agreedOn(header: string, read: FindMeaning): Meaning | null {
  const parts = header.split(OR).slice(0, MOST_WORDS + 1);
  if (parts.length < 2 || parts.length > MOST_WORDS) return null;
  const meanings = parts.map(read);
  const [first] = meanings;
  if (first === undefined || first === null) return null;
  if (meanings.some((other) => other === null || other.field !== first.field)) return null;
  return meanings.find((one) => one?.note === null) ?? first;
}

const PARENT: Omit<Meaning, 'letters'> = {
  field: 'parent.id',
  note: 'taken for the key of a subclient that this program creates; without "ref" the cell itself is sent',
  isOfLedger: false,
  isReference: true,
};

function ownNames(fields: readonly string[]): readonly (readonly [string, string])[] {
  const names = fields.filter(isPlain).map((field) => [looseName(lastPart(field)), field] as const);
  return names
    .filter(([name]) => names.filter(([other]) => other === name).length === 1)
    .map(([name, field]) => [name, withPositions(field, [])] as const);
}

/** Not by the name that any record has, nor in a list inside a list. */
function isPlain(field: string): boolean {
  return field.split('#').length <= 2 && !/\.controls\.|\.(?:id|vanityId)$/.test(field);
}

/** The field of a name with a number: `IBAN 2` is the second account's. */
function numbered(loose: string, names: ReadonlyMap<string, NamedField>): NamedField | null {
  const [, name = '', number = ''] = /^(.*\D)([1-9])$/.exec(loose) ?? [];
  const found = names.get(name);
  if (found === undefined || !found.field.startsWith('accounts.0.')) return null;
  return { ...found, field: found.field.replace('.0.', `.${Number(number) - 1}.`) };
}

function spelled(
  spellings: readonly { readonly field: string; readonly shape: RegExp }[],
  loose: string,
): string | undefined {
  for (const { field, shape } of spellings) {
    const match = shape.exec(loose);
    if (match === null) continue;
    const positions = match.slice(1).map((digits) => String(Number(digits)));
    return withPositions(field, positions);
  }
  return undefined;
}

/** Matches the whole path without its punctuation, positions in their places: `accounts_0_iban`. */
function shapeOf(field: string): RegExp {
  return new RegExp(`^${field.split('#').map(looseName).join('(\\d{1,2})')}$`);
}

function lastPart(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

const LONGEST_NAME = 100;

type Suggesting = Pick<MappingOptions, 'definition' | 'catalog' | 'pathField'> & {
  readonly problems: readonly string[];
};

/**
 * ` Did you mean "accounts.3.iban"?` for a path or a header that is no field, or nothing. A header
 * that names a field as businesses do (`Sort code`), or only its last part (`IBAN`), is recognised
 * too. Of a file with many unknown columns only those that are told get a suggestion: finding it
 * takes a look at every field.
 */
export function suggestField(written: string, options: Suggesting): string {
  const { catalog, pathField, problems } = options;
  if (problems.length >= MOST_PROBLEMS || written.length > LONGEST_NAME) return '';
  const positions = written.match(/(?<=[.[])\d{1,2}(?=[\].]|$)/g) ?? [];
  const paths = [...(pathField === null ? [] : [pathField]), ...catalog.keys()];
  const fields = paths.map((path) => withPositions(path, positions));
  const found =
    byMeaning(written, options) ??
    nearest(written, fields, mostWrong(written)) ??
    nearestLastPart(written, fields);
  return found === null ? '' : ` Did you mean "${found}"?`;
}

function byMeaning(written: string, { definition, catalog, pathField }: Suggesting): string | null {
  if (definition.operation === 'custom') return null;
  const meaning = createFindMeaning(definition.operation, catalog, pathField)(written);
  if (meaning === null || meaning.isReference) return null;
  const isField = catalog.has(meaning.field.replaceAll(/\.\d+(?=\.|$)/g, '.#'));
  return isField || meaning.field === pathField ? meaning.field : null;
}

/** Few changes make another word of a bare name: rather no suggestion than a wrong one. */
function mostWrong(written: string): ((length: number) => number) | undefined {
  return /[.[]/.test(written) ? undefined : fewSigns;
}

function fewSigns(length: number): number {
  return Math.max(1, Math.floor(length / 6));
}

function nearestLastPart(written: string, fields: readonly string[]): string | null {
  const part = nearest(written, fields.map(lastPart), mostWrong(written));
  return fields.find((field) => lastPart(field) === part) ?? null;
}
