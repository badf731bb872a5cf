/**
 * Why a row did not succeed, without the row's own values: rows that fail for the same cause give the same text, so that each
 * cause is told once, with a count. Of a refusal it is what the service says, of all others the row's message. Pure.
 * It is no proof that a text holds no personal data: the service may name somebody who is not in the row. So a text of few rows
 * is told without the service's words (`tellable`).
 */
import { UNTOLD } from '../model/digest.ts';
import { flattenRecord } from '../model/flatten-record.ts';
import { isJsonList, isJsonObject, parseRecord } from '../model/json-record.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import type { JsonValue } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import type { RemainderRow } from './remainder.ts';

/** What texts are read with: the file's columns, and the fields of the operation's request. */
export type CauseTerms = { readonly columns: readonly string[]; readonly fields: Pick<FieldCatalog, 'has'> };

/** A row's cause as text. */
export function causeOf({ settlement, source, body }: RemainderRow, terms: CauseTerms): string {
  const own = ownValues(source, terms.columns);
  if (settlement.outcome !== 'rejected' || body === null)
    return shortened(withoutPlaces(withoutKeys(settlement.message, own)));
  const leaves = leavesIn(body.text.slice(0, LOOK_AT_CHARACTERS));
  const texts = leaves.map((leaf) =>
    terms.fields.has(withPositions(leaf, '.#')) ? fieldMark(leaf) : masked(leaf, own, terms),
  );
  return shortened([...new Set(texts.filter((text) => text !== ''))].sort().join(' | '));
}

/** The text where so many rows have it that its words are nobody's own; else only the fields that it names, if any. */
export function tellable(cause: string, rows: number): string {
  if (rows >= ENOUGH_ROWS) return cause;
  const fields = fieldsIn(cause).map((field) => `@${field}`);
  return fields.length === 0 ? UNTOLD : fields.join(' | ');
}

/** The fields that a cause names. */
export function fieldsIn(cause: string): readonly string[] {
  const marks = cause.match(/(?<![\w.])@\w[\w.-]*(?:\[\][\w.-]*)*(?<![.-])/g);
  return [...new Set(marks)].map((mark) => mark.slice(1));
}

const ENOUGH_ROWS = 3;
const LOOK_AT_CHARACTERS = 64 * 1024;
const MAX_LEAVES = 200;
const MAX_CHARACTERS = 300;

function shortened(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS);
}

type OwnValue = { readonly value: string; readonly name: string };

/** Shorter ones stand in words by chance. */
const LEAST_CHARACTERS = 3;

/** The row's own values with their columns, the longest first: one may be part of another. */
function ownValues(source: Row | null, columns: readonly string[]): readonly OwnValue[] {
  return valuesIn(source, columns)
    .filter(({ value }) => value.length >= LEAST_CHARACTERS)
    .sort((a, b) => b.value.length - a.value.length);
}

function valuesIn(source: Row | null, columns: readonly string[]): readonly OwnValue[] {
  if (source?.kind === 'cells') return source.cells.map((value, i) => ({ value, name: columns[i] ?? '' }));
  if (source?.kind !== 'record') return [];
  return [...flattenRecord(parseRecord(source.text) ?? {})].map(([name, leaf]) => ({
    value: typeof leaf === 'string' ? leaf : '',
    name,
  }));
}

function withoutOwn(text: string, own: readonly OwnValue[]): string {
  return own.reduce((rest, { value, name }) => rest.replaceAll(value, () => `‹${name}›`), text);
}

/** This program's own messages name no value of a row but keys; what they expect may well stand in another of its cells. */
function withoutKeys(message: string, own: readonly OwnValue[]): string {
  return message.replaceAll(/\b(has|of) "([^"]*)"/g, (whole, word: string, key: string) => {
    const name = own.find(({ value }) => value === key)?.name;
    return name === undefined ? whole : `${word} "‹${name}›"`;
  });
}

/** Places that this program's own messages name. */
function withoutPlaces(message: string): string {
  return message.replaceAll(/\b(row|rows from|line|run) (?!‹)\d[\w-]*/g, '$1 ‹…›');
}

/** The texts in an answer: those of its JSON, else the whole. */
function leavesIn(body: string): readonly string[] {
  const leaves: string[] = [];
  try {
    collect(JSON.parse(body), leaves);
    return leaves;
  } catch {
    return [body];
  }
}

function collect(value: JsonValue, leaves: string[]): void {
  if (leaves.length >= MAX_LEAVES) return;
  if (isJsonList(value)) for (const item of value) collect(item, leaves);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      // A member may be named by the field that it speaks of.
      if (/[.[]/.test(name)) leaves.push(name);
      collect(member, leaves);
    }
  } else if (typeof value === 'string') leaves.push(value);
}

function fieldMark(path: string): string {
  return `@${withPositions(path, '[]')}`;
}

/** A field's path with this for each position in a list. */
function withPositions(path: string, sign: string): string {
  return path.replaceAll(/\[\d+\]|\.\d+(?=\.|$)/g, sign);
}

/** The text without values, its fields marked; empty where it was nothing but a value. */
function masked(text: string, own: readonly OwnValue[], { fields }: CauseTerms): string {
  const named: string[] = [];
  const marked = text.replaceAll(PATH, (whole, quote: string, path: string, at: number) => {
    const field = withPositions(path.replace(/^(?:\$\.|\/)/, '').replaceAll('/', '.'), '.#');
    // A plain word may be a field by chance.
    const isMeant = quote !== '' || at === 0 || field.includes('.');
    if (!isMeant || named.length === MAX_LEAVES || !fields.has(field)) return whole;
    return PLACE + String.fromCharCode(FIRST_PLACE + named.push(fieldMark(field.replaceAll('.#', '[]'))) - 1);
  });
  const rest = MASKS.reduce(
    (kept, [mask, by, sign = '']) => (kept.includes(sign) ? kept.replaceAll(mask, by) : kept),
    withoutOwn(marked, own),
  );
  if (/^(?:‹[^›]*›|[\s.,;:#/-])*$/.test(rest)) return '';
  // Only a field of the operation has this sign: what bears it is told of a single row, too.
  return rest
    .replaceAll('@', '')
    .replaceAll(PLACES, (_, place: string) => named[place.charCodeAt(0) - FIRST_PLACE] ?? '');
}

/** Stand for the fields in a text until its values are masked: signs that no text has. */
const PLACE = '\uE000';
const FIRST_PLACE = 0xe001;
const PLACES = /\uE000([\uE001-\uE0FF])/g;

/** What may be a field's path within a text: `accounts[0].iban`, `$.accounts[0].iban`, `/accounts/0/iban`, `'name'`. */
const PATH = /(?<![\w.])(["'`]?)((?:\$\.|\/)?[A-Za-z]\w*(?:[./]\w+|\[\d+\])*)\1(?!\w)/g;

/** What looks like a value, the most telling first; a sign without which there is none, where looking for it takes long. */
const MASKS: ReadonlyArray<readonly [mask: RegExp, by: string, sign?: string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '‹id›'],
  [/[^\s"'<>@]{1,64}@[^\s"'<>@]{1,200}/g, '‹e-mail›', '@'],
  [/https?:\/\/[^\s"'<>]+/gi, '‹address›'],
  [/\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?/g, '‹date›'],
  [/\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b/g, '‹account›'],
  [/"[^"]{1,80}"|'[^']{1,80}'|«[^»]{1,80}»/g, '‹text›'],
  [/\b(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[A-Za-z])[\w-]{5,80}\b/g, '‹code›'],
  [/(?<![A-Za-z_.[])[-+]?\d[\d.,]*/g, '‹number›'],
];
