/**
 * How a column writes dates, numbers, yes and no: each usual way is tried on the cells with the
 * conversion that a definition would get, and the one that fits the most of them is proposed. Where
 * two fit equally well and mean something different, only the reader of the proposal can choose.
 */
import type { JsonValue } from '../../model/request.ts';
import { mostMistakes } from '../../model/written-as.ts';
import { convert } from '../conversion.ts';
import { USUAL_PATTERNS } from '../dates.ts';
import { type ConvertedColumn, conversionFor } from '../field-conversion.ts';
import { readData, remembered } from '../read-data.ts';
import type { LeafType } from '../request-field.ts';

/** A conversion's options; without any the field's own conversion reads the cells. */
export type Notation = Omit<ConvertedColumn, 'column'>;

export type ChosenNotation =
  | { readonly kind: 'notation'; readonly notation: Notation; readonly misfits: number }
  /** Equally many cells fit each of these notations, with different results. */
  | { readonly kind: 'several'; readonly notations: readonly Notation[] }
  | { readonly kind: 'none' };

/** What fits the most values, unless another that fits as many reads something else in them. */
export function chooseNotation(type: LeafType, values: readonly JsonValue[]): ChosenNotation {
  const tried = candidateNotations(type, values).flatMap((notation) => tryNotation(type, notation, values));
  const misfits = Math.min(...tried.map((one) => one.misfits));
  const best = tried.filter((one) => one.misfits === misfits);
  const [first, ...others] = best.filter(
    ({ results }, i) => best.findIndex((other) => other.results === results) === i,
  );
  if (first === undefined || !isBearable(misfits, values.length)) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'notation', notation: first.notation, misfits }
    : { kind: 'several', notations: [first, ...others].map(({ notation }) => notation) };
}

function isBearable(misfits: number, values: number): boolean {
  return misfits === 0 || (misfits <= mostMistakes(values) && misfits < values / 2);
}

type Tried = { readonly notation: Notation; readonly misfits: number; readonly results: string };

function tryNotation(type: LeafType, notation: Notation, values: readonly JsonValue[]): readonly Tried[] {
  const conversion = conversionFor(type, { column: '', ...notation });
  if (typeof conversion === 'string') return [];
  const results = values.map((value) => convert(conversion, value));
  const misfits = results.filter((result) => result === undefined).length;
  return [{ notation, misfits, results: JSON.stringify(results.map((result) => result ?? null)) }];
}

/** The most usual first; the field's own conversion is the first of all. */
function candidateNotations(type: LeafType, values: readonly JsonValue[]): readonly Notation[] {
  switch (type) {
    case 'date-time':
      return [{}, ...DATES];
    case 'number':
    case 'integer':
      return [{}, { decimal: ',' }, { decimal: '.' }];
    case 'boolean':
      return [{}, ...booleanNotations(values)];
    case 'string':
    case 'country':
    case 'string-list':
      return [{}];
    default:
      return type satisfies never;
  }
}

const DATES: readonly Notation[] = USUAL_PATTERNS.map((pattern) => ({ pattern }));

/** Words for yes and no; in a proposal they stand as the file writes them. */
const yesAndNo = remembered((table: string) =>
  readData(table).flatMap(([kind, yes = '', no = '']) => (kind === 'yes' ? [{ yes, no }] : [])),
);

function booleanNotations(values: readonly JsonValue[]): readonly Notation[] {
  const written = [...new Set(values.filter((value) => typeof value === 'string'))];
  return yesAndNo('words.tsv').flatMap(({ yes, no }) => {
    const meansYes = written.filter((word) => word.trim().toLowerCase() === yes);
    const meansNo = written.filter((word) => word.trim().toLowerCase() === no);
    if (meansYes.length + meansNo.length < written.length || written.length === 0) return [];
    return [{ true: orUsual(meansYes, yes), false: orUsual(meansNo, no) }];
  });
}

/** Rows that were not looked at may have the other of the two words. */
function orUsual(written: readonly string[], word: string): string[] {
  return written.length > 0
    ? [...written]
    : [word, word.charAt(0).toUpperCase() + word.slice(1), ...(word.length > 1 ? [word.toUpperCase()] : [])];
}

export function notesOf(chosen: ChosenNotation, type: LeafType | null): readonly string[] {
  switch (chosen.kind) {
    case 'notation':
      return chosen.misfits === 0
        ? []
        : [`${chosen.misfits} of the cells looked at ${chosen.misfits === 1 ? "doesn't" : "don't"} fit`];
    case 'several':
      return [`the cells looked at fit ${chosen.notations.map(describe).join(' and ')}: choose one`];
    case 'none':
      return [misfitNote(type)];
    default:
      return chosen satisfies never;
  }
}

function misfitNote(type: LeafType | null): string {
  if (type === 'country') {
    return 'many cells looked at are no country that is known: say with "values" which code each of them means, such as values: { Teutonia: DEU }';
  }
  const word = WORD[type ?? 'string'];
  return type === null || ONE_WAY.has(type)
    ? `many cells looked at are no ${word}`
    : `the cells looked at are no ${word} in one way that is known: say how to read them`;
}

export const ONE_WAY: ReadonlySet<LeafType> = new Set(['string', 'country', 'string-list']);

const WORD: Readonly<Record<LeafType, string>> = {
  string: 'text',
  boolean: 'yes or no',
  integer: 'whole number',
  number: 'number',
  'date-time': 'date',
  country: 'country',
  'string-list': 'list',
};

function describe(notation: Notation): string {
  if (notation.pattern !== undefined) return notation.pattern;
  return notation.decimal === undefined
    ? 'numbers written as in JSON'
    : `numbers with decimal "${notation.decimal}"`;
}
