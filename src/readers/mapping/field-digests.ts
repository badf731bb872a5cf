/**
 * What the service last accepted of a record, kept without its values: a digest per field, lists
 * counting as one, so that an update sends what has changed; and its content (model/content.ts),
 * so that a later delivery can tell whether something differs, and whether money would go
 * elsewhere. The record's key, or a secret made of it, goes into each digest as salt: the same
 * value looks different in every record.
 */
import { shortDigest } from '../../lib/digest.ts';
import {
  ACCOUNT_CHARACTERS,
  accountsIn,
  contentText,
  FORMS,
  type Form,
  type MappedRecord,
  WHOLE_CHARACTERS,
} from '../../model/content.ts';
import { isJsonObject, memberOf, withMember } from '../../model/json-record.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';

/** 36 bits tell a body's fields apart, 72 bits their values. */
const PATH_CHARACTERS = 6;
const VALUE_CHARACTERS = 12;
const FIELD = new RegExp(`(.{${PATH_CHARACTERS}})(.{${VALUE_CHARACTERS}})`, 'gs');

/**
 * The digests of the body's fields, and those in `before` of fields that the body lacks. The same
 * value looks different in every record, since the record's `salt` goes into each digest.
 */
export function packFieldDigests(body: JsonObject, salt: string, before = ''): string {
  const known = unpack(before);
  for (const field of fieldsIn(body)) known.set(pathDigest(field), valueDigest(field, salt));
  return [...known].map((entry) => entry.join('')).join('');
}

/** The fields of which `packed` has no digest or another one; `null` where none has changed. */
export function changedFields(body: JsonObject, salt: string, packed: string): JsonObject | null {
  const known = unpack(packed);
  const isChanged = (field: Field) => known.get(pathDigest(field)) !== valueDigest(field, salt);
  const changed = fieldsIn(body).filter(isChanged);
  if (changed.length === 0) return null;

  let record: JsonObject = {};
  for (const [path, value] of changed) record = withMember(record, path, value);
  return record;
}

/** Those of `fields` of which `packed` has a digest, and the body nothing. */
export function emptiedFields(
  fields: ReadonlyArray<readonly string[]>,
  body: JsonObject,
  packed: string,
): ReadonlyArray<readonly string[]> {
  const known = unpack(packed);
  return fields.filter((path) => {
    const isEmpty = path.reduce<JsonValue | undefined>(memberOf, body) === undefined;
    return isEmpty && known.has(pathDigest([path, null]));
  });
}

type Field = readonly [path: readonly string[], value: JsonValue];

function fieldsIn(body: JsonObject, above: readonly string[] = []): readonly Field[] {
  return Object.entries(body).flatMap(([name, value]): readonly Field[] => {
    const path = [...above, name];
    return isFilledObject(value) ? fieldsIn(value, path) : [[path, value]];
  });
}

function isFilledObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

function unpack(packed: string): Map<string, string> {
  const fields = [...packed.matchAll(FIELD)];
  return new Map(fields.map(([, path = '', value = '']) => [path, value]));
}

function pathDigest([path]: Field): string {
  return shortDigest(JSON.stringify(path), PATH_CHARACTERS);
}

function valueDigest([path, value]: Field, salt: string): string {
  return shortDigest(JSON.stringify([salt, path, value]), VALUE_CHARACTERS);
}

/** With more, all have one digest: a longer entry would cost Redis several times as much. */
const ACCOUNTS_APART = 5;

export function packContent(record: MappedRecord, salt: string): string {
  const whole = shortDigest(`${salt}\n${contentText(record)}`, WHOLE_CHARACTERS);
  const accounts = accountsIn(record.body);
  const [first] = accounts;
  if (first === undefined) return whole;
  if (accounts.length === 1) return whole + digestOf(first.form, first.text, salt);

  const each = accounts.map(({ form, text }) => digestOf(form, text, salt));
  const digests = [...new Set(each)].sort();
  if (digests.length <= ACCOUNTS_APART) return whole + digests.join('');
  return whole + digestOf(FORMS.all, digests.join(''), salt);
}

function digestOf(form: Form, text: string, salt: string): string {
  return form + shortDigest(`${salt}\n${form}${text}`, ACCOUNT_CHARACTERS);
}
