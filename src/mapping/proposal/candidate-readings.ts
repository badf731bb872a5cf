import type { JsonValue } from '../../model/request.ts';
import type { LeafType } from '../known-field.ts';
import type { Reading } from './choose-reading.ts';

/** The ways in which files write a field of this type, the most usual first; the field's own conversion is the first of all. */
export function candidateReadings(type: LeafType, values: readonly JsonValue[]): readonly Reading[] {
  switch (type) {
    case 'date-time':
      return [{}, ...DATES];
    case 'number':
      return [{}, ...NUMBERS];
    case 'integer':
      return [{}, ...GROUPINGS.map((grouping) => ({ grouping }))];
    case 'boolean':
      return [{}, ...booleanReadings(values)];
    case 'string':
    case 'country':
    case 'string-list':
      return [{}];
    default:
      return type satisfies never;
  }
}

const DAYS = ['/', '.', '-'].flatMap((sign) => [
  `dd${sign}MM${sign}yyyy`,
  `d${sign}M${sign}yyyy`,
  `MM${sign}dd${sign}yyyy`,
  `M${sign}d${sign}yyyy`,
  `yyyy${sign}MM${sign}dd`,
]);
const TIMES = ['', ' HH:mm', ' HH:mm:ss', 'THH:mm:ss'];
const DATES: readonly Reading[] = [...DAYS, 'yyyyMMdd', 'ddMMyyyy', 'MMddyyyy'].flatMap((day) =>
  TIMES.map((time) => ({ pattern: `${day}${time}` })),
);

const GROUPINGS = [',', '.', ' ', "'"] as const;
const NUMBERS: readonly Reading[] = [
  { decimal: ',' },
  { decimal: ',', grouping: '.' },
  { decimal: '.', grouping: ',' },
  { decimal: ',', grouping: ' ' },
  { decimal: '.', grouping: ' ' },
  { decimal: '.', grouping: "'" },
  { decimal: ',', grouping: "'" },
];

/** Words for yes and no in the languages of the files; in a proposal they stand as the file writes them. */
const WORDS: readonly (readonly [yes: string, no: string])[] = [
  ['ja', 'nein'],
  ['j', 'n'],
  ['oui', 'non'],
  ['o', 'n'],
  ['sí', 'no'],
  ['si', 'no'],
  ['s', 'n'],
  ['ja', 'nee'],
  ['sim', 'não'],
  ['tak', 'nie'],
  ['t', 'n'],
  ['t', 'f'],
  ['on', 'off'],
  ['wahr', 'falsch'],
  ['vrai', 'faux'],
  ['vero', 'falso'],
  ['yes', 'no'],
  ['y', 'n'],
  ['true', 'false'],
];

function booleanReadings(values: readonly JsonValue[]): readonly Reading[] {
  const written = [...new Set(values.filter((value) => typeof value === 'string'))];
  return WORDS.flatMap(([yes, no]) => {
    const meansYes = written.filter((word) => word.trim().toLowerCase() === yes);
    const meansNo = written.filter((word) => word.trim().toLowerCase() === no);
    if (meansYes.length + meansNo.length < written.length || written.length === 0) return [];
    return [{ true: orUsual(meansYes, yes), false: orUsual(meansNo, no) }];
  });
}

/** Where the rows that were looked at have only one of the two, the other is still to come. */
function orUsual(written: readonly string[], word: string): string[] {
  return written.length > 0
    ? [...written]
    : [word, word.charAt(0).toUpperCase() + word.slice(1), ...(word.length > 1 ? [word.toUpperCase()] : [])];
}
