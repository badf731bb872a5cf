/**
 * Which conversion a field gets: its type decides, or the definition's `as` with its options where that fits the type.
 */
import type { FieldSource } from '../config/job-definition.ts';
import {
  booleanConversion,
  type Conversion,
  countryConversion,
  listConversion,
  stringConversion,
} from './conversion.ts';
import { dateByPattern, isoDate } from './dates.ts';
import { integerConversion, numberConversion, signsProblem } from './numbers.ts';
import type { LeafType } from './request-field.ts';

/** A column of `fields` with its conversion. */
export type ConvertedColumn = Extract<FieldSource, { column: string }>;
type As = NonNullable<ConvertedColumn['as']>;
type Option = 'pattern' | 'decimal' | 'grouping' | 'true' | 'false';

const BY_TYPE: Readonly<Record<LeafType, As>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  'date-time': 'date',
  country: 'country',
  'string-list': 'list',
};

/** The field types that each conversion's result fits; dates and countries are strings on the wire. */
const FITS: Readonly<Record<As, readonly LeafType[]>> = {
  string: ['string', 'country', 'date-time'],
  boolean: ['boolean'],
  integer: ['integer', 'number'],
  number: ['number'],
  date: ['date-time', 'string'],
  country: ['country', 'string'],
  list: ['string-list'],
};

const OPTIONS: Readonly<Record<Option, readonly As[]>> = {
  pattern: ['date'],
  decimal: ['number'],
  grouping: ['number', 'integer'],
  true: ['boolean'],
  false: ['boolean'],
};

/** The conversion that a field's type asks for where the definition names none. */
export function defaultConversion(type: LeafType): Conversion {
  const conversion = create(BY_TYPE[type], { column: '' });
  if (typeof conversion === 'string') throw new Error(conversion);
  return conversion;
}

/** The conversion a definition asks for, or what is wrong with it for a field of this type. */
export function conversionFor(type: LeafType, source: ConvertedColumn): Conversion | string {
  const as = source.as ?? BY_TYPE[type];
  if (!FITS[as].includes(type)) {
    const fitting = Object.entries(FITS).flatMap(([name, types]) => (types.includes(type) ? [name] : []));
    return `as: ${as} doesn't fit a field of type ${type}; expected ${fitting.join(' or ')}`;
  }
  for (const option of ['pattern', 'decimal', 'grouping', 'true', 'false'] as const) {
    if (source[option] !== undefined && !OPTIONS[option].includes(as)) {
      return `${option} belongs to as: ${OPTIONS[option].join(' or ')}, but this is as: ${as}`;
    }
  }
  return create(as, source);
}

function create(as: As, source: ConvertedColumn): Conversion | string {
  switch (as) {
    case 'string':
      return stringConversion;
    case 'boolean':
      return booleanConversion(source);
    case 'integer':
      return integerConversion(source);
    case 'number':
      return signsProblem(source) ?? numberConversion(source);
    case 'date':
      return source.pattern === undefined ? isoDate : createDate(source.pattern);
    case 'country':
      return countryConversion;
    case 'list':
      return listConversion;
    default:
      return as satisfies never;
  }
}

function createDate(pattern: string): Conversion | string {
  const conversion = dateByPattern(pattern);
  return typeof conversion === 'string' ? `pattern "${pattern}": ${conversion}` : conversion;
}
