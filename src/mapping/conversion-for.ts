import type { FieldSource } from '../config/job-definition.ts';
import type { Conversion } from './conversion.ts';
import { ambiguousWords, booleanConversion } from './convert-boolean.ts';
import { countryConversion } from './convert-country.ts';
import { dateConversion } from './convert-date.ts';
import { listConversion } from './convert-list.ts';
import { integerConversion, numberConversion, signsProblem } from './convert-number.ts';
import { stringConversion } from './convert-string.ts';
import { compileDatePattern } from './date-pattern.ts';
import type { LeafType } from './known-field.ts';

/** A column of `fields` with its conversion. */
export type ConvertedColumn = Extract<FieldSource, { column: string }>;
type As = NonNullable<ConvertedColumn['as']>;
type Option = 'pattern' | 'decimal' | 'grouping' | 'true' | 'false';

export type ChosenConversion =
  | { readonly kind: 'conversion'; readonly conversion: Conversion }
  | { readonly kind: 'problem'; readonly problem: string };

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
  const chosen = create(BY_TYPE[type], { column: '' });
  if (chosen.kind === 'problem') throw new Error(chosen.problem);
  return chosen.conversion;
}

/** The conversion a definition asks for, or what is wrong with it for a field of this type. */
export function conversionFor(type: LeafType, source: ConvertedColumn): ChosenConversion {
  const as = source.as ?? BY_TYPE[type];
  if (!FITS[as].includes(type)) {
    const fitting = Object.entries(FITS).flatMap(([name, types]) => (types.includes(type) ? [name] : []));
    return problem(`as: ${as} doesn't fit a field of type ${type}; expected ${fitting.join(' or ')}`);
  }
  for (const option of ['pattern', 'decimal', 'grouping', 'true', 'false'] as const) {
    if (source[option] !== undefined && !OPTIONS[option].includes(as)) {
      return problem(`${option} belongs to as: ${OPTIONS[option].join(' or ')}, but this is as: ${as}`);
    }
  }
  return create(as, source);
}

function create(as: As, source: ConvertedColumn): ChosenConversion {
  switch (as) {
    case 'string':
      return found(stringConversion);
    case 'boolean':
      return createBoolean(source);
    case 'integer':
      return found(integerConversion(source));
    case 'number':
      return createNumber(source);
    case 'date':
      return createDate(source.pattern);
    case 'country':
      return found(countryConversion);
    case 'list':
      return found(listConversion);
    default:
      return as satisfies never;
  }
}

function createBoolean(source: ConvertedColumn): ChosenConversion {
  const [word] = ambiguousWords(source);
  return word === undefined
    ? found(booleanConversion(source))
    : problem(`"${word}" would mean both true and false; expected words that mean one of them`);
}

function createNumber(source: ConvertedColumn): ChosenConversion {
  const wrong = signsProblem(source);
  return wrong === null ? found(numberConversion(source)) : problem(wrong);
}

function createDate(pattern: string | undefined): ChosenConversion {
  if (pattern === undefined) return found(dateConversion(null));
  const compiled = compileDatePattern(pattern);
  return compiled.kind === 'parser'
    ? found(dateConversion({ ...compiled, text: pattern }))
    : problem(`pattern "${pattern}": ${compiled.problem}`);
}

function found(conversion: Conversion): ChosenConversion {
  return { kind: 'conversion', conversion };
}

function problem(text: string): ChosenConversion {
  return { kind: 'problem', problem: text };
}
