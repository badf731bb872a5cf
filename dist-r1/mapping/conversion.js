import { countryCode } from './countries.js';
/** Converts one value, text or typed; answers `null` for `null` and the empty text. */
export function convert(conversion, value) {
    if (value === null || value === '')
        return null;
    return typeof value === 'string' ? conversion.fromText(value) : conversion.fromJson(value);
}
/** Text stays as it stands, leading zeros and spaces included. A JSON number may have lost digits, so that it is refused. */
export const stringConversion = {
    fromText: (text) => text,
    fromJson: () => undefined,
    expected: 'a string (in quotes)',
};
const TRUE_WORDS = ['true', 'yes', 'y', '1'];
const FALSE_WORDS = ['false', 'no', 'n', '0'];
/** A conversion to a boolean, or which word would mean both. */
export function booleanConversion(words) {
    const trueWords = words.true ?? TRUE_WORDS;
    const falseWords = words.false ?? FALSE_WORDS;
    const meansTrue = matcher(words.true, TRUE_WORDS);
    const meansFalse = matcher(words.false, FALSE_WORDS);
    const both = [...trueWords, ...falseWords].find((word) => meansTrue(word) && meansFalse(word));
    if (both !== undefined) {
        return `"${both}" would mean both true and false; expected words that mean one of them`;
    }
    const conversion = {
        fromText: (text) => (meansTrue(text) ? true : meansFalse(text) ? false : undefined),
        fromJson: (value) => (typeof value === 'boolean' ? value : undefined),
        expected: `a boolean: ${list(trueWords)} for true, ${list(falseWords)} for false`,
    };
    const typed = (text) => conversion.fromText(text) ?? (text === 'true' ? true : text === 'false' ? false : undefined);
    return { ...conversion, typed: { ...conversion, fromText: typed } };
}
function matcher(own, usual) {
    const words = new Set(own ?? usual);
    return own === undefined ? (text) => words.has(text.toLowerCase()) : (text) => words.has(text);
}
function list(words) {
    return words.map((word) => `"${word}"`).join(', ');
}
/**
 * A conversion to the three-letter code (service-api.md, 2.1). Three letters that ISO 3166-1 doesn't have are passed on:
 * the service's list of codes is not shown, so the service is the judge.
 */
export const countryConversion = {
    fromText: (text) => countryCode(text) ?? (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined),
    fromJson: () => undefined,
    expected: 'a country: two- or three-letter ISO 3166 code or English name',
};
const SEPARATOR = /[;|]/;
/** Text is split on `;` and `|`, its parts trimmed; empty parts and JSON nulls are left out. */
export const listConversion = {
    fromText: (text) => partsOf(text),
    fromJson: (value) => (Array.isArray(value) ? stringsOf(value) : undefined),
    expected: 'a list of strings (in one cell: separated by ; or |)',
};
function partsOf(text) {
    const parts = [];
    for (const part of text.split(SEPARATOR)) {
        const trimmed = part.trim();
        if (trimmed !== '')
            parts.push(trimmed);
    }
    return parts.length === 0 ? null : parts;
}
function stringsOf(values) {
    const strings = [];
    for (const value of values) {
        if (value === null || value === '')
            continue;
        if (typeof value !== 'string')
            return undefined;
        strings.push(value);
    }
    return strings;
}
//# sourceMappingURL=conversion.js.map