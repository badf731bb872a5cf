/**
 * Why rows did not succeed. Those with the same reason are one cause: a refusal's words without
 * what looks like a value, else the row's sentence without rows, runs and keys. The service may
 * name a person who is not in the row: its words are shown only where several rows share them.
 */
import { shortDigest } from '../../lib/digest.ts';
import { shorten } from '../../lib/terminal.ts';
import type { KeptIssue } from '../../model/issue.ts';
import { flattenRecord, parseRecord } from '../../model/json-record.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import type { Row } from '../../model/row.ts';
import { messageOf, withoutValues } from '../../model/sentence.ts';
import type { Settlement } from '../../model/settlement.ts';
import { countPlace, noPlaces } from './places.ts';
import { type RemainderRow, saidOf } from './remainder.ts';
import { leavesIn } from './service-words.ts';

export type CauseTerms = {
  readonly columns: readonly string[];
  readonly fields: Pick<FieldCatalog, 'has'>;
  /** Columns whose codes may be shown. */
  readonly publicColumns?: ReadonlySet<string> | undefined;
};

/** A cause is known by its text; request fields have an @ in it. */
type Said = {
  readonly text: string;
  /** What it says of the fields that it names; empty: nothing. */
  readonly words: string;
  readonly fields: readonly string[];
  /** The words are the service's. */
  readonly quoted: boolean;
};

/** Of the report that a run's own is beside; `null`: unknown. */
export type CauseIds = ReadonlySet<string> | null;

/** Stands for words of the service that too few rows share. */
export const UNTOLD = '‹…›';

export type NamedRow = Pick<Settlement, 'row' | 'line' | 'key'>;

export function namedRow({ row, line, key }: Settlement): NamedRow {
  return { row, line, key };
}

type Head = Pick<Settlement, 'outcome' | 'code'>;

export type CountedCause = Head & {
  readonly said: Said;
  readonly issues: readonly KeptIssue[];
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly examples: readonly NamedRow[];
  readonly places: Uint32Array;
};

type Counting = { -readonly [K in keyof CountedCause]: CountedCause[K] };

/** Bounds the memory where a service says something different of each row. */
const MAX_CAUSES = 1_000;
const ROWS_NAMED = 3;
const NOTHING_TOLD: Said = { text: UNTOLD, words: '', fields: [], quoted: true };

/** `rows`: of the whole file. */
export function createCauseTally(terms: CauseTerms, rows: number) {
  const causes = new Map<string, Counting>();
  const begin = ({ outcome, code, row, issues }: Settlement, said: Said): Counting => {
    const common = said.text === UNTOLD ? [] : issues.map(withoutValues);
    const none = { count: 0, first: row, last: row, examples: [], places: noPlaces(rows) };
    return { outcome, code, said, issues: common, ...none };
  };
  return {
    /** Answers the row's cause; `toldOf` it only once all are counted. */
    add(row: RemainderRow): CountedCause {
      const { settlement } = row;
      const full = causeOf(row, terms);
      const isTooMany = causes.size >= MAX_CAUSES && !causes.has(markOf(settlement, full.text));
      const said = isTooMany ? { ...NOTHING_TOLD, quoted: full.quoted } : full;
      const mark = markOf(settlement, said.text);
      const known = causes.get(mark) ?? begin(settlement, said);
      causes.set(mark, known);
      known.count += 1;
      known.first = Math.min(known.first, settlement.row);
      known.last = Math.max(known.last, settlement.row);
      if (known.examples.length < ROWS_NAMED) known.examples = [...known.examples, namedRow(settlement)];
      countPlace(known.places, settlement.row, rows);
      return known;
    },
    /** Commonest first; causes that may show the same text are one. */
    told(): readonly CountedCause[] {
      const byText = new Map<string, CountedCause>();
      for (const cause of causes.values()) {
        const told = { ...cause, said: toldOf(cause) };
        const mark = markOf(told, told.said.text);
        const known = byText.get(mark);
        byText.set(mark, known === undefined ? told : together(known, told));
      }
      return [...byText.values()].sort((a, b) => b.count - a.count || a.first - b.first);
    },
  };
}

function markOf({ outcome, code }: Head, text: string): string {
  return `${outcome} ${code} ${text}`;
}

export function causeId(head: Head, { text }: Said): string {
  return shortDigest(markOf(head, text), 12);
}

/**
 * The row's cause among these; `null`: none. Where a digest left causes out, a cause with a hidden
 * text may also be named for one of their rows.
 */
export function causeAmong(row: RemainderRow, ids: ReadonlySet<string>, terms: CauseTerms): string | null {
  const { settlement } = row;
  const said = causeOf(row, terms);
  const ways = [said, toldOf({ said, count: 1 }), NOTHING_TOLD];
  return ways.map((one) => causeId(settlement, one)).find((id) => ids.has(id)) ?? null;
}

/** Not where words of the service are hidden now, or may have been: they can't be compared. */
export function isNewCause(cause: Pick<CountedCause, 'outcome' | 'code' | 'count'> & Said, known: CauseIds) {
  const { quoted, count } = cause;
  if (known === null || (quoted && count < ENOUGH_ROWS)) return false;
  const ways = [cause, toldOf({ said: cause, count: 1 }), NOTHING_TOLD];
  return !ways.some((said) => known.has(causeId(cause, said)));
}

const ENOUGH_ROWS = 3;

/** Our own words, and those of the service that so many rows share that they name nobody. */
export function toldOf({ said, count }: Pick<CountedCause, 'said' | 'count'>): Said {
  const { text, fields, quoted } = said;
  if (!quoted || text === '' || count >= ENOUGH_ROWS) return said;
  return fields.length === 0
    ? NOTHING_TOLD
    : { text: fields.map(fieldMark).join(' | '), words: '', fields, quoted };
}

/** Without words of the service, however many rows share them. */
export function ownWords({ text, words, fields, quoted }: Said): Said {
  return toldOf({ said: { text, words, fields, quoted }, count: 1 });
}

function together(one: CountedCause, other: CountedCause): CountedCause {
  return {
    ...one,
    count: one.count + other.count,
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
    examples: [...one.examples, ...other.examples].sort((a, b) => a.row - b.row).slice(0, ROWS_NAMED),
    places: one.places.map((count, part) => count + (other.places[part] ?? 0)),
  };
}

function alikeInAll(settlement: Settlement): Settlement {
  return withoutValues({ ...settlement, issues: settlement.issues.map(withoutValues) });
}

const MAX_LEAVES = 200;
const MAX_CHARACTERS = 300;

export function causeOf(row: RemainderRow, terms: CauseTerms): Said {
  const said = saidOf(row);
  if (said === null) {
    const text = shortened(messageOf(alikeInAll(row.settlement)));
    return { text, words: text, fields: [], quoted: false };
  }
  const own = ownValues(row.source, terms);
  const parts = distinctParts(leavesIn(said).map((leaf) => partIn(leaf, own, terms)));
  const texts = parts.map(({ text }) => text);
  const words = parts.map((part) => part.words).filter((one) => one !== '');
  const fields = parts.flatMap((part) => part.fields);
  return {
    text: shortened(texts.join(' | ')),
    words: shortened(words.join(' · ')),
    fields: [...new Set(fields)],
    quoted: true,
  };
}

/** Those that say something, once each, in the order of their texts. */
function distinctParts(parts: readonly Part[]): readonly Part[] {
  const byText = new Map(parts.map((part) => [part.text, part]));
  byText.delete('');
  return [...byText.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
}

function shortened(text: string): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), MAX_CHARACTERS);
}

type OwnValue = { readonly value: string; readonly name: string };

/** Shorter ones occur in words by chance. */
const LEAST_CHARACTERS = 3;

/** Of a country or a currency; in a column that slipped there may be anything. */
const CODE = /^[A-Z]{3}$/;

/** Longest first: one may be part of another. */
function ownValues(source: Row | null, { columns, publicColumns }: CauseTerms): readonly OwnValue[] {
  const isShown = ({ value, name }: OwnValue) => CODE.test(value) && publicColumns?.has(name) === true;
  return valuesIn(source, columns)
    .filter((one) => one.value.length >= LEAST_CHARACTERS && !isShown(one))
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

type Part = Omit<Said, 'quoted'>;

/** A text that is just a field of the request has no words. */
function partIn(leaf: string, own: readonly OwnValue[], terms: CauseTerms): Part {
  if (!terms.fields.has(withPositions(leaf, '.#'))) return masked(leaf, own, terms);
  const field = withPositions(leaf, '[]');
  return { text: fieldMark(field), words: '', fields: [field] };
}

/** Only fields of the operation get this sign: it is shown even for a single row. */
function fieldMark(field: string): string {
  return `@${field}`;
}

/** A field's path with `sign` for each position in a list. */
function withPositions(path: string, sign: string): string {
  return path.replaceAll(/\[\d+\]|\.\d+(?=\.|$)/g, sign);
}

/** Empty where it was nothing but a value. */
function masked(text: string, own: readonly OwnValue[], terms: CauseTerms): Part {
  const { signed, fields } = signFields(text, terms.fields);
  const kept = maskValues(nameOwnValues(signed, own));
  if (NO_WORDS.test(kept)) return { text: '', words: '', fields: [] };

  const clean = kept.replaceAll('@', '');
  return {
    text: showFields(clean, fields, fieldMark),
    words: showFields(clean, fields, (field) => field),
    fields,
  };
}

/** Nothing but masks and punctuation. */
const NO_WORDS = /^(?:‹[^›]*›|[\s.,;:#/-])*$/;

/** Puts a sign for each field that the text names: masking must not change its path. */
function signFields(text: string, known: CauseTerms['fields']) {
  const fields: string[] = [];
  const signed = text.replaceAll(PATH, (whole, quote: string, path: string, at: number) => {
    const dotted = path.replace(/^(?:\$\.|\/)/, '').replaceAll('/', '.');
    const field = withPositions(dotted, '.#');
    // A plain word may be a field by chance.
    const isMeant = quote !== '' || at === 0 || field.includes('.');
    const isFull = fields.length === MAX_LEAVES;
    if (!isMeant || isFull || !known.has(field)) return whole;

    fields.push(field.replaceAll('.#', '[]'));
    return PLACE + String.fromCharCode(FIRST_PLACE + fields.length - 1);
  });
  return { signed, fields };
}

function showFields(signed: string, fields: readonly string[], show: (field: string) => string): string {
  return signed.replaceAll(PLACES, (_, sign: string) => show(fields[sign.charCodeAt(0) - FIRST_PLACE] ?? ''));
}

function nameOwnValues(text: string, own: readonly OwnValue[]): string {
  let named = text;
  for (const { value, name } of own) named = named.replaceAll(value, () => `‹${name}›`);
  return named;
}

function maskValues(text: string): string {
  let kept = text;
  for (const { mask, by, sign = '' } of MASKS) {
    if (kept.includes(sign)) kept = kept.replaceAll(mask, by);
  }
  return kept;
}

/** Stand for fields while values are masked: signs that no text has. */
const PLACE = '\uE000';
const FIRST_PLACE = 0xe001;
const PLACES = /\uE000([\uE001-\uE0FF])/g;

/** `accounts[0].iban`, `$.accounts[0].iban`, `/accounts/0/iban` or `'name'` in a text. */
const PATH = /(?<![\w.])(["'`]?)((?:\$\.|\/)?[A-Za-z]\w*(?:[./]\w+|\[\d+\])*)\1(?!\w)/g;

type Mask = {
  readonly mask: RegExp;
  readonly by: string;
  readonly sign?: string;
};

/** What looks like a value, most specific first; a text without `sign` has none. */
const MASKS: readonly Mask[] = [
  { mask: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, by: '‹id›' },
  { mask: /[^\s"'<>@]{1,64}@[^\s"'<>@]{1,200}/g, by: '‹e-mail›', sign: '@' },
  { mask: /https?:\/\/[^\s"'<>]+/gi, by: '‹address›' },
  { mask: /\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?/g, by: '‹date›' },
  { mask: /\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b/g, by: '‹account›' },
  { mask: /"[^"]{1,80}"|'[^']{1,80}'|«[^»]{1,80}»/g, by: '‹text›' },
  { mask: /\b(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[A-Za-z])[\w-]{5,80}\b/g, by: '‹code›' },
  { mask: /(?<![A-Za-z_.[])[-+]?\d[\d.,]*/g, by: '‹number›' },
];
