/**
 * What a header that is no field's path probably means. A proposal takes it up, with a note where
 * it is doubtful; a message only suggests it.
 */

import { operationOf } from '../../../config/job-definition.ts';
import { nearest } from '../../../lib/did-you-mean.ts';
import { MOST_PROBLEMS } from '../../../lib/usage-error.ts';
import type { FieldCatalog } from '../../../model/mapping.ts';
import type { Operation } from '../../../model/operation.ts';

import { isOwn } from '../../../operations/own.ts';
import type { MappingOptions } from '../compilation.ts';
import { isSetByService, withPositions } from '../request-field.ts';
import { fieldNames, looseName, type NamedField, qualifiedName, referenceNamesOf } from './names.ts';

export type Meaning = NamedField & {
  readonly isReference: boolean;
  /** Of two columns for one field the longer name is the more telling. */
  readonly letters: number;
};

export type FindMeaning = (header: string) => Meaning | null;

export function createFindMeaning(
  operation: Operation,
  catalog: FieldCatalog,
  pathField: string | null,
): FindMeaning {
  const known = knownNames(operation, catalog, pathField);
  const isField = (field: string) => {
    const path = field.replaceAll(/\.\d+(?=\.|$)/g, '.#');
    return field === pathField || catalog.has(path);
  };
  const read = (header: string): Meaning | null => {
    const name = looseName(header);
    const meaning = known.get(name) ?? withNumber(name, known) ?? qualifiedName(operation, name);
    if (meaning === null || !isField(meaning.field)) return null;
    return { isReference: false, ...meaning, letters: name.length };
  };
  return (header) => read(header) ?? withoutBrackets(header, read) ?? agreedOn(header, read);
}

type Known = NamedField & Partial<Pick<Meaning, 'isReference'>>;
type KnownNames = ReadonlyMap<string, Known>;

/** By their loose form; of two meanings of a name the later one counts, and a doubt the most. */
function knownNames(operation: Operation, catalog: FieldCatalog, pathField: string | null): KnownNames {
  const own = [...catalog.keys()].filter((field) => !isSetByService(field));
  const fields = pathField === null ? own : [pathField, ...own];
  const named = [...fieldNames(operation)];
  const doubtful = named.filter(([, { note }]) => note !== null);
  const references = catalog.has('parent.id') ? referenceNamesOf(operation) : [];
  const known = new Map<string, Known>([...lastParts(fields), ...named]);
  for (const field of fields) known.set(loosePath(field), { ...PLAIN, field });
  for (const name of references) known.set(name, PARENT);
  for (const [name, meaning] of doubtful) known.set(name, meaning);
  return known;
}

function loosePath(field: string): string {
  return field.split('#').map(looseName).join('#');
}

const PLAIN = { note: null, doubt: '' } as const;

const PARENT = {
  field: 'parent.id',
  note:
    'taken for the key of a subclient that this program creates; ' + 'without "ref" the cell itself is sent',
  doubt: '',
  isReference: true,
} as const;

/** Names that only one field has at its end; not those of records, nor in a list inside a list. */
function lastParts(fields: readonly string[]): KnownNames {
  const isOwn = (field: string) => field.split('#').length <= 2 && !OF_RECORDS.test(field);
  const byName = new Map<string, string[]>();
  for (const field of fields.filter(isOwn)) {
    const name = looseName(lastPart(field));
    byName.set(name, [...(byName.get(name) ?? []), field]);
  }
  const once = [...byName].filter(([, { length }]) => length === 1);
  const toMeaning = ([field = '']: readonly string[]) => ({ ...PLAIN, field: withPositions(field, []) });
  return new Map(once.map(([name, found]) => [name, toMeaning(found)]));
}

const OF_RECORDS = /\.controls\.|\.(?:id|vanityId)$/;

/** `accounts_0_iban`, with the positions in their places, or `IBAN 2` for the second account's. */
function withNumber(loose: string, known: KnownNames): Known | null {
  const positions = (loose.match(/\d{1,2}/g) ?? []).map((digits) => String(Number(digits)));
  const spelled = known.get(loose.replaceAll(/\d{1,2}/g, '#'));
  if (spelled !== undefined) return { ...spelled, field: withPositions(spelled.field, positions) };
  const [, name = '', number = ''] = /^(.*\D)([1-9])$/.exec(loose) ?? [];
  const found = known.get(name);
  if (found?.field.startsWith('accounts.0.') !== true) return null;
  return { ...found, field: found.field.replace('.0.', `.${Number(number) - 1}.`) };
}

/** Longer headers are sentences; a bracket in them is no unit. */
const LONGEST = 200;
const LEFT_OUT = 'what stands in brackets in the header was left out of account';

function withoutBrackets(header: string, read: FindMeaning): Meaning | null {
  if (header.length > LONGEST) return null;
  const bare = header.replaceAll(/[([{][^)\]}]*[)\]}]/g, ' ');
  const meaning = bare === header ? null : read(bare);
  if (meaning === null) return null;
  const note = meaning.note === null ? LEFT_OUT : `${meaning.note}; ${LEFT_OUT}`;
  return { ...meaning, note };
}

const OR = /\s*[/|]\s*|\s+(?:or|oder|ou|o|of|lub)\s+/;
const MOST_WORDS = 4;

/** Of a header with several names for one field: `Town / City`, `Nombre o razón social`. */
function agreedOn(header: string, read: FindMeaning): Meaning | null {
  const meanings = header.split(OR, MOST_WORDS + 1).map(read);
  const [first] = meanings;
  if (meanings.length < 2 || meanings.length > MOST_WORDS || first === undefined) return null;
  if (meanings.some((other) => other === null || other.field !== first?.field)) return null;
  return meanings.find((one) => one?.note === null) ?? first;
}

function lastPart(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

const LONGEST_NAME = 100;

type Suggesting = Pick<MappingOptions, 'definition' | 'catalog' | 'pathField'> & {
  readonly problems: readonly string[];
};

/** ` Did you mean "accounts.3.iban"?` or nothing; only for problems that are told: it is slow. */
export function suggestField(written: string, options: Suggesting): string {
  const { catalog, pathField, problems } = options;
  if (problems.length >= MOST_PROBLEMS || written.length > LONGEST_NAME) return '';
  const positions = written.match(/(?<=[.[])\d{1,2}(?=[\].]|$)/g) ?? [];
  const own = [...catalog.keys()];
  const paths = pathField === null ? own : [pathField, ...own];
  const fields = paths
    .filter((path) => path === pathField || !isSetByService(path))
    .map((path) => withPositions(path, positions));
  // Few changes make another word of a bare name: rather no suggestion than a wrong one.
  const mostWrong = /[.[]/.test(written) ? undefined : fewEdits;
  const part = nearest(written, fields.map(lastPart), mostWrong);
  const found =
    meantField(written, options) ??
    nearest(written, fields, mostWrong) ??
    fields.find((field) => lastPart(field) === part);
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

function fewEdits(length: number): number {
  return Math.max(1, Math.floor(length / 6));
}

export function noSuchField(written: string, options: Suggesting): string {
  return `${options.definition.operation} has no such field.${suggestField(written, options)}`;
}

function meantField(written: string, { definition, catalog, pathField }: Suggesting): string | null {
  const operation = operationOf(definition);
  if (isOwn(operation)) return null;
  const meaning = createFindMeaning(operation, catalog, pathField)(written);
  return meaning === null || meaning.isReference ? null : meaning.field;
}
