import { booleanConversion, countryConversion, listConversion, stringConversion, } from './conversion.js';
import { dateByPattern, isoDate } from './dates.js';
import { integerConversion, numberConversion, signsProblem } from './numbers.js';
const BY_TYPE = {
    string: 'string',
    boolean: 'boolean',
    integer: 'integer',
    number: 'number',
    'date-time': 'date',
    country: 'country',
    'string-list': 'list',
};
/** The field types that each conversion's result fits; dates and countries are strings on the wire. */
const FITS = {
    string: ['string', 'country', 'date-time'],
    boolean: ['boolean'],
    integer: ['integer', 'number'],
    number: ['number'],
    date: ['date-time', 'string'],
    country: ['country', 'string'],
    list: ['string-list'],
};
const OPTIONS = {
    pattern: ['date'],
    decimal: ['number'],
    grouping: ['number', 'integer'],
    true: ['boolean'],
    false: ['boolean'],
};
/** The conversion that a field's type asks for where the definition names none. */
export function defaultConversion(type) {
    const conversion = create(BY_TYPE[type], { column: '' });
    if (typeof conversion === 'string')
        throw new Error(conversion);
    return conversion;
}
/** The conversion a definition asks for, or what is wrong with it for a field of this type. */
export function conversionFor(type, source) {
    const as = source.as ?? BY_TYPE[type];
    if (!FITS[as].includes(type)) {
        const fitting = Object.entries(FITS).flatMap(([name, types]) => (types.includes(type) ? [name] : []));
        return `as: ${as} doesn't fit a field of type ${type}; expected ${fitting.join(' or ')}`;
    }
    for (const option of ['pattern', 'decimal', 'grouping', 'true', 'false']) {
        if (source[option] !== undefined && !OPTIONS[option].includes(as)) {
            return `${option} belongs to as: ${OPTIONS[option].join(' or ')}, but this is as: ${as}`;
        }
    }
    return create(as, source);
}
function create(as, source) {
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
            return as;
    }
}
function createDate(pattern) {
    const conversion = dateByPattern(pattern);
    return typeof conversion === 'string' ? `pattern "${pattern}": ${conversion}` : conversion;
}
//# sourceMappingURL=field-conversion.js.map