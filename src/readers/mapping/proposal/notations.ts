/**
 * How a column writes dates, numbers, yes and no: the settings that a refusal of its cells would
 * name are tried on all of them. Where two fit equally well, the reader of the proposal chooses.
 */

import { mostMistakes } from '../../../model/issue.ts';
import type { JsonValue } from '../../../model/request.ts';
import { convert } from '../conversion.ts';
import { type ConvertedColumn, conversionFor, defaultConversion } from '../field-conversion.ts';
import { readData } from '../read-data.ts';
import type { LeafType } from '../request-field.ts';

export type Notation = Omit<ConvertedColumn, 'column'>;

export type ChosenNotation = {
  readonly notation: Notation;
  readonly notes: readonly string[];
  /** False: somebody has to say how the column is read. */
  readonly isDecided: boolean;
  /** That read the cells equally well, and differently. */
  readonly ways?: readonly Notation[];
  /** Where dates are written in several. */
  readonly forms?: readonly DateForm[];
};

/** `notation`: reads its cells; `null`: none does, or several do. */
type DateForm = { readonly words: string; readonly count: number; readonly notation: Notation | null };

/** `null`: a cell that needs none. `as`: taken where it reads the cells. */
export function chooseNotation(type: LeafType, cells: readonly JsonValue[], as?: 'country'): ChosenNotation {
  const usual = as === undefined ? {} : { as };
  const alone = candidates(type, cells, usual).map((notation) => tryOn(cells, type, notation));
  const tried = type === 'date-time' ? [...alone, ...listsOf(alone, cells)] : alone;
  const misfits = Math.min(...tried.map((one) => one.misfits));
  if (!isTolerable(misfits, cells)) {
    const { expected } = defaultConversion(as ?? type);
    const many = `many of the cells looked at can't be read: expected ${expected}`;
    return { notation: {}, notes: [many], isDecided: ONE_WAY.has(type), ...formsOf(type, cells, {}) };
  }

  const best = readingApart(tried.filter((one) => one.misfits === misfits));
  const [notation = {}] = best;
  const isDecided = best.length < 2;
  const notes: string[] = [];
  if (misfits > 0) notes.push(misfitWords(misfits));
  if (!isDecided) {
    const ways = best.map(describe).join(' and ');
    notes.push(`the cells looked at fit ${ways}: choose one`);
  }
  const forms = formsOf(type, cells, isDecided ? notation : {});
  return { notation, notes, isDecided, ...(!isDecided && { ways: best }), ...forms };
}

/** `undefined`: the cell can't be read so. */
export function readSo(type: LeafType, notation: Notation, cell: JsonValue): JsonValue | undefined {
  const conversion = conversionFor(type, { column: '', ...notation });
  return typeof conversion === 'string' ? undefined : convert(conversion, cell);
}

/** The first of those that read all cells alike. */
function readingApart(tried: readonly Tried[]): readonly Notation[] {
  const byResults = new Map<string, Notation>();
  for (const { results, notation } of tried) {
    if (!byResults.has(results)) byResults.set(results, notation);
  }
  return [...byResults.values()];
}

function misfitWords(misfits: number): string {
  return `${misfits} of the cells looked at ${misfits === 1 ? "doesn't" : "don't"} fit`;
}

/** Nobody can say how else to read them: a cell that doesn't fit spoils its row. */
const ONE_WAY: ReadonlySet<LeafType> = new Set(['string', 'country', 'string-list']);

function isTolerable(misfits: number, { length }: readonly JsonValue[]): boolean {
  return misfits === 0 || (misfits <= mostMistakes(length) && misfits < length / 2);
}

type Tried = ReturnType<typeof tryOn>;

function tryOn(cells: readonly JsonValue[], type: LeafType, notation: Notation) {
  const results = cells.map((cell) => readSo(type, notation, cell));
  const misfits = results.filter((result) => result === undefined).length;
  return { notation, misfits, results: JSON.stringify(results.map((result) => result ?? null)) };
}

function candidates(type: LeafType, cells: readonly JsonValue[], usual: Notation): readonly Notation[] {
  const texts = [...new Set(cells.filter((cell) => typeof cell === 'string'))];
  if (type === 'boolean') return [{}, ...wordsFor(texts)];
  const { remedy } = defaultConversion(type);
  const found = remedy === undefined ? [] : texts.flatMap((text) => remedy(text));
  const distinct = new Map(found.map((notation) => [JSON.stringify(notation), notation]));
  return [usual, ...distinct.values()];
}

/** Where no one pattern reads the column: those that do together. Two that clash read nothing. */
function listsOf(alone: readonly Tried[], cells: readonly JsonValue[]): readonly Tried[] {
  if (alone.some(({ misfits }) => isTolerable(misfits, cells))) return [];
  const ones = alone.filter(({ notation }) => notation.pattern !== undefined);
  const likeliest = ones.toSorted((a, b) => a.misfits - b.misfits).slice(0, 10);
  const joined = (best: Tried, { notation }: Tried) => {
    const pattern = [...listOf(best.notation), ...listOf(notation)];
    const more = tryOn(cells, 'date-time', { pattern });
    return more.misfits < best.misfits ? more : best;
  };
  return likeliest.map((first) => likeliest.reduce(joined, first));
}

function listOf({ pattern = [] }: Notation): string[] {
  return [pattern].flat();
}

/** Each with its count, the notation's own as one. */
function formsOf(type: LeafType, cells: readonly JsonValue[], notation: Notation) {
  const { remedy } = defaultConversion(type);
  if (type !== 'date-time' || remedy === undefined) return {};
  const formOf = (text: string): Omit<DateForm, 'count'> => {
    const isReadBy = (one: Notation) => readSo(type, one, text) !== undefined;
    const own = listOf(notation).find((pattern) => isReadBy({ pattern }));
    if (own !== undefined) return { words: own, notation: { pattern: own } };
    if (isReadBy({})) return { words: 'ISO 8601', notation: {} };
    const patterns = remedy(text).map(({ pattern }) => pattern);
    return { words: patterns.join(' or ') || 'no date', notation: null };
  };
  const forms = new Map<string, DateForm>();
  const texts = cells.filter((cell) => typeof cell === 'string');
  for (const text of texts.filter((one) => one !== '')) {
    const form = formOf(text);
    const { count } = forms.get(form.words) ?? { count: 0 };
    forms.set(form.words, { ...form, count: count + 1 });
  }
  return forms.size < 2 ? {} : { forms: [...forms.values()] };
}

export function formNotes({ forms }: Pick<ChosenNotation, 'forms'>): readonly string[] {
  const counted = forms?.map(({ words, count }) => `${words}: ${count}`);
  return counted === undefined ? [] : [`the cells looked at are written as ${counted.join(', ')}`];
}

/** Words for yes and no; in a proposal they stand as the file writes them. */
function wordsFor(texts: readonly string[]): readonly Notation[] {
  const written = (word: string) => texts.filter((text) => text.trim().toLowerCase() === word);
  if (texts.length === 0) return [];
  const pairs = readData('words.tsv').filter(([kind]) => kind === 'yes');
  return pairs.flatMap(([, yes = '', no = '']) => {
    const meansYes = written(yes);
    const meansNo = written(no);
    const isAll = meansYes.length + meansNo.length === texts.length;
    // Rows that were not looked at may have the other of the two words.
    return isAll ? [{ true: orOther(meansYes, yes), false: orOther(meansNo, no) }] : [];
  });
}

function orOther(written: string[], word: string): string[] {
  return written.length > 0 ? written : [word];
}

function describe({ pattern, decimal, separator }: Notation): string {
  if (separator !== undefined) return `separator "${separator}"`;
  if (pattern !== undefined) return listOf({ pattern }).join(' or ');
  return decimal === undefined ? 'numbers written as in JSON' : `numbers with decimal "${decimal}"`;
}
