/**
 * Which conversion a field gets: its type decides, or the definition's `as` with its options where
 * that fits the type. What the definition's `values` say of a cell goes before any conversion.
 */
import type { FieldSource } from '../../config/job-definition.ts';
import type { JsonValue } from '../../model/request.ts';
import {
  booleanConversion,
  type Conversion,
  convert,
  countryConversion,
  listConversion,
  stringConversion,
} from './conversion.ts';
import { dateByPattern, isoDate } from './dates.ts';
import { integerConversion, numberConversion } from './numbers.ts';
import type { LeafType } from './request-field.ts';

export type ConvertedColumn = Exclude<FieldSource, string | { value: unknown }>;
type As = NonNullable<ConvertedColumn['as']>;

export function convertedColumn(source: FieldSource): ConvertedColumn | null {
  if (typeof source === 'string') return { column: source };
  return 'value' in source ? null : source;
}

const OPTION_NAMES = ['pattern', 'decimal', 'true', 'false', 'separator'] as const;
type Option = (typeof OPTION_NAMES)[number];

const BY_TYPE: Readonly<Record<LeafType, As>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  'date-time': 'date',
  country: 'country',
  'string-list': 'list',
};

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
  decimal: ['number', 'integer'],
  true: ['boolean'],
  false: ['boolean'],
  separator: ['list'],
};

export function defaultConversion(type: LeafType): Conversion {
  const conversion = create(BY_TYPE[type], { column: '' });
  if (typeof conversion === 'string') throw new Error(conversion);
  return conversion;
}

export function conversionFor(type: LeafType, source: ConvertedColumn): Conversion | string {
  const as = source.as ?? BY_TYPE[type];
  if (!FITS[as].includes(type)) {
    const fitting = Object.entries(FITS).flatMap(([name, types]) => (types.includes(type) ? [name] : []));
    return `as: ${as} doesn't fit a field of type ${type}; expected ${fitting.join(' or ')}`;
  }
  for (const option of OPTION_NAMES) {
    if (source[option] !== undefined && !OPTIONS[option].includes(as)) {
      return `${option} belongs to as: ${OPTIONS[option].join(' or ')}, but this is as: ${as}`;
    }
  }
  const created = create(as, source);
  if (typeof created === 'string') return created;
  const conversion: Conversion = source.nothing === undefined ? created : { ...created, takesWords: true };
  return source.values === undefined ? conversion : withValues(conversion, as, source.values);
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
      return numberConversion(source);
    case 'date':
      return source.pattern === undefined ? isoDate : dateByPattern(source.pattern);
    case 'country':
      return countryConversion;
    case 'list':
      return listConversion(source.separator);
    default:
      return as satisfies never;
  }
}

function withValues(
  base: Conversion,
  as: As,
  written: NonNullable<ConvertedColumn['values']>,
): Conversion | string {
  const plain = create(as, { column: '' });
  if (typeof plain === 'string') return plain;
  const values = new Map<string, JsonValue>();
  for (const [cell, meant] of Object.entries(written)) {
    const value = convert(plain, meant);
    if (value === undefined) {
      return (
        `values, ${JSON.stringify(cell)}: ${JSON.stringify(meant)} ` +
        `doesn't fit the field; expected ${plain.expected}`
      );
    }
    values.set(cell, value);
  }
  const conversion = as === 'list' ? partsByValues(base, values) : cellsByValues(base, values);
  return { ...conversion, isNamed: (text) => values.has(text) };
}

const NAMED = 5;

function expecting({ expected }: Conversion, values: ReadonlyMap<string, JsonValue>): string {
  const cells = [...values.keys()].slice(0, NAMED).map((cell) => JSON.stringify(cell));
  const more = values.size > NAMED ? ' …' : '';
  return `${expected}, or a cell that the field's values name: ${cells.join(', ')}${more}`;
}

function cellsByValues(base: Conversion, values: ReadonlyMap<string, JsonValue>): Conversion {
  const { typed } = base;
  return {
    ...base,
    fromText: (text) => (values.has(text) ? values.get(text) : base.fromText(text)),
    // A JSON number or boolean by its text, as a cell of a table would have it.
    fromJson: (value) => (values.has(String(value)) ? values.get(String(value)) : base.fromJson(value)),
    expected: expecting(base, values),
    ...(typed !== undefined && { typed: cellsByValues(typed, values) }),
  };
}

/** Of a list the values stand for its parts; one can stand for several, and for none. */
function partsByValues(base: Conversion, values: ReadonlyMap<string, JsonValue>): Conversion {
  const replace = (list: JsonValue | undefined): JsonValue | undefined => {
    if (!Array.isArray(list)) return list;
    const parts = list.flatMap((part) => (values.has(part) ? (values.get(part) ?? []) : [part]));
    return parts.length === 0 && list.length > 0 ? null : parts;
  };
  return {
    ...base,
    fromText: (text) => replace(values.has(text) ? [text] : base.fromText(text)),
    fromJson: (value) => replace(base.fromJson(value)),
  };
}
