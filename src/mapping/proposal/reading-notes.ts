import type { LeafType } from '../known-field.ts';
import type { ChosenReading, Reading } from './choose-reading.ts';

/** What the reader of a proposal has to know of a reading; no cell values. */
export function notesOf(chosen: ChosenReading, type: LeafType | null): readonly string[] {
  switch (chosen.kind) {
    case 'reading':
      return chosen.misfits === 0
        ? []
        : [`${chosen.misfits} of the cells looked at ${chosen.misfits === 1 ? "doesn't" : "don't"} fit`];
    case 'several':
      return [`the cells looked at fit ${chosen.readings.map(describe).join(' and ')}: choose one`];
    case 'none':
      return [misfitNote(type)];
    default:
      return chosen satisfies never;
  }
}

function misfitNote(type: LeafType | null): string {
  if (type === 'country') {
    return 'many cells looked at are no country that is known: a two- or three-letter code or an English name';
  }
  const word = WORD[type ?? 'string'];
  return type === null || ONE_WAY.has(type)
    ? `many cells looked at are no ${word}`
    : `the cells looked at are no ${word} in one way that is known: say how to read them`;
}

/** Types whose text is read in one way. */
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

function describe(reading: Reading): string {
  if (reading.pattern !== undefined) return reading.pattern;
  const signs = [
    reading.decimal === undefined ? '' : `decimal "${reading.decimal}"`,
    reading.grouping === undefined ? '' : `grouping "${reading.grouping}"`,
  ].filter((sign) => sign !== '');
  return signs.length === 0 ? 'numbers written as in JSON' : `numbers with ${signs.join(' and ')}`;
}
