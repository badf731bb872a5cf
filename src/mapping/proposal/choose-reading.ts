import type { JsonValue } from '../../model/request.ts';
import { convert } from '../conversion.ts';
import type { ConvertedColumn } from '../conversion-for.ts';
import { conversionFor } from '../conversion-for.ts';
import type { LeafType } from '../known-field.ts';

/** A conversion's options as a definition writes them; none: the field's own conversion does. */
export type Reading = Omit<ConvertedColumn, 'column'>;

/** How a column's cells are to be read for a field. */
export type ChosenReading =
  | { readonly kind: 'reading'; readonly reading: Reading; readonly misfits: number }
  /** As many cells fit each of these, with different results. */
  | { readonly kind: 'several'; readonly readings: readonly Reading[] }
  | { readonly kind: 'none' };

/** A cell or two that fit nothing are mistakes of their rows; more of them say that the reading is wrong. */
const MISTAKES = 0.1;

/** The reading that fits the most values, unless another one that fits as many reads something else in them. */
export function chooseReading(
  type: LeafType,
  values: readonly JsonValue[],
  candidates: readonly Reading[],
): ChosenReading {
  const tried = candidates.flatMap((reading) => tryReading(type, reading, values));
  const misfits = Math.min(...tried.map((one) => one.misfits));
  const best = tried.filter((one) => one.misfits === misfits);
  const [first, ...others] = best.filter(
    ({ results }, i) => best.findIndex((other) => other.results === results) === i,
  );
  if (first === undefined || !isBearable(misfits, values.length)) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'reading', reading: first.reading, misfits }
    : { kind: 'several', readings: [first, ...others].map(({ reading }) => reading) };
}

function isBearable(misfits: number, values: number): boolean {
  return misfits === 0 || (misfits <= Math.max(1, values * MISTAKES) && misfits < values / 2);
}

type Tried = { readonly reading: Reading; readonly misfits: number; readonly results: string };

function tryReading(type: LeafType, reading: Reading, values: readonly JsonValue[]): readonly Tried[] {
  const chosen = conversionFor(type, { column: '', ...reading });
  if (chosen.kind === 'problem') return [];
  const results = values.map((value) => convert(chosen.conversion, value));
  const misfits = results.filter((result) => result === undefined).length;
  return [{ reading, misfits, results: JSON.stringify(results.map((result) => result ?? null)) }];
}
