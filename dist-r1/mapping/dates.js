const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_LENGTH = 10;
const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})0*)?)?(?:Z|([+-])(\d{2}):?([0-5]\d))$/;
/** Takes an ISO 8601 date, or a date-time with its offset; digits beyond the millisecond are refused unless they are zeros. */
export const isoDate = {
    fromText: parseIso,
    fromJson: () => undefined,
    expected: 'a date such as 2024-03-31, or a date-time with its offset and at most milliseconds such as 2024-03-31T09:30:00Z',
};
/** A conversion by a pattern, or what is wrong with the pattern. Without a time in the pattern it is midnight; the zone is UTC. */
export function dateByPattern(pattern) {
    const compiled = compilePattern(pattern);
    if (typeof compiled === 'string')
        return compiled;
    const { shape, parts } = compiled;
    const parse = parserOf(shape, parts);
    const typed = (text) => typedDate(text, parse);
    // A date that begins with the year is written year, month, day all over the world.
    const turned = parts[0] === 'year' ? null : parserOf(shape, parts.map(turnRound));
    return {
        fromText: parse,
        fromJson: () => undefined,
        ...(turned !== null && { isSwappable: (text) => isAnotherDay(parse(text), turned(text)) }),
        typed: { ...isoDate, fromText: typed },
        expected: `a date of the calendar written as ${pattern}`,
    };
}
/** 31 March 2020, half past nine, as a valid pattern writes it. */
export function exampleDate(pattern) {
    return [...pattern.matchAll(PIECE)]
        .map(([piece, quoted]) => TOKENS.get(piece)?.example ?? unquoted(piece, quoted))
        .join('');
}
/** A workbook's date has no offset, and a pattern means UTC; a number may be a date whose digits the pattern knows. */
function typedDate(text, parse) {
    if (!/^\d{4}-/.test(text))
        return parse(text);
    return parseIso(text.length > DATE_LENGTH && !text.endsWith('Z') ? `${text}Z` : text);
}
function parseIso(text) {
    if (text.length > DATE_LENGTH)
        return parseIsoTime(text);
    if (!ISO_DATE.test(text))
        return undefined;
    const year = Number(text.slice(0, 4));
    const month = Number(text.slice(5, 7));
    return isCalendarDate(year, month, Number(text.slice(8))) ? `${text}T00:00:00.000Z` : undefined;
}
function parseIsoTime(text) {
    const match = ISO_TIME.exec(text);
    if (match === null)
        return undefined;
    const [, year, month, day, hour, minute, second = '0', fraction = '0', sign, hours = '0', minutes = '0'] = match;
    if (Number(hours) > 23)
        return undefined;
    const offset = Number(hours) * 60 + Number(minutes);
    return isoInstant({
        year: Number(year),
        month: Number(month),
        day: Number(day),
        hour: Number(hour),
        minute: Number(minute),
        second: Number(second),
        ms: Number(fraction.padEnd(3, '0')),
        offset: sign === '-' ? -offset : offset,
    });
}
const TOKENS = new Map([
    ['yyyy', { part: 'year', shape: '(\\d{4})', fixed: true, example: '2020' }],
    ['MM', { part: 'month', shape: '(\\d{2})', fixed: true, example: '03' }],
    ['M', { part: 'month', shape: '(\\d{1,2})', fixed: false, example: '3' }],
    ['dd', { part: 'day', shape: '(\\d{2})', fixed: true, example: '31' }],
    ['d', { part: 'day', shape: '(\\d{1,2})', fixed: false, example: '31' }],
    ['HH', { part: 'hour', shape: '(\\d{2})', fixed: true, example: '09' }],
    ['mm', { part: 'minute', shape: '(\\d{2})', fixed: true, example: '30' }],
    ['ss', { part: 'second', shape: '(\\d{2})', fixed: true, example: '00' }],
    ['SSS', { part: 'ms', shape: '(\\d{3})', fixed: true, example: '000' }],
]);
const PIECE = /'((?:[^']|'')*)'|yyyy|MM?|dd?|HH|mm|ss|SSS|[\s\S]/gu;
const KNOWN = 'expected dd, d, MM, M, yyyy, HH, mm, ss, SSS, and letters that stand for themselves in single quotes';
/** The pattern as a regular expression with a group for each of its parts, or what is wrong with it. */
function compilePattern(pattern) {
    const parts = [];
    const problems = [];
    let shape = '';
    let open = false; // a one-or-two-digit number was the last piece
    for (const [piece, quoted] of pattern.matchAll(PIECE)) {
        const token = TOKENS.get(piece);
        if (open && (token !== undefined || /^\d/.test(quoted ?? piece))) {
            problems.push('a sign is needed after d and M, else it is not known where the number ends');
        }
        open = token !== undefined && !token.fixed;
        if (token !== undefined)
            parts.push(token.part);
        shape += token === undefined ? literal(piece, quoted, problems) : token.shape;
    }
    problems.push(...partProblems(parts));
    return problems[0] ?? { shape: new RegExp(`^${shape}$`, 'u'), parts };
}
/** `T` and `Z` stand for themselves, as in ISO 8601; any other bare letter may be a mistyped token and is refused. */
function literal(piece, quoted, problems) {
    if (piece === "'")
        problems.push('a single quote is not closed');
    else if (quoted === undefined && /\p{L}/u.test(piece) && piece !== 'T' && piece !== 'Z') {
        problems.push(`"${piece}" is not known: ${KNOWN}`);
    }
    return unquoted(piece, quoted).replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}
function unquoted(piece, quoted) {
    if (quoted === undefined)
        return piece;
    return quoted === '' ? "'" : quoted.replaceAll("''", "'");
}
function partProblems(parts) {
    const problems = [];
    const twice = parts.find((part, i) => parts.indexOf(part) !== i);
    if (twice !== undefined)
        problems.push(`the ${twice} appears more than once`);
    for (const part of ['year', 'month', 'day']) {
        if (!parts.includes(part))
            problems.push(`the ${part} is missing`);
    }
    const time = ['hour', 'minute', 'second', 'ms'].map((part) => parts.includes(part));
    if (time.some((here, i) => here && time[i - 1] === false)) {
        problems.push('minutes need hours, seconds need minutes, and milliseconds need seconds');
    }
    return problems;
}
function turnRound(part) {
    return part === 'day' ? 'month' : part === 'month' ? 'day' : part;
}
function isAnotherDay(one, other) {
    return one !== undefined && other !== undefined && one !== other;
}
function parserOf(shape, parts) {
    return (text) => {
        const match = shape.exec(text);
        if (match === null)
            return undefined;
        const written = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, ms: 0, offset: 0 };
        for (const [i, part] of parts.entries())
            written[part] = Number(match[i + 1]);
        return isoInstant(written);
    };
}
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Whether the date is in the (proleptic Gregorian) calendar, years 1 to 9999. */
function isCalendarDate(year, month, day) {
    if (year < 1 || year > 9999 || day < 1)
        return false;
    const days = month === 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1];
    return days !== undefined && day <= days;
}
/** ISO 8601 with milliseconds and Z (service-api.md, 2.2), or `undefined` where there is no such moment. */
function isoInstant(t) {
    if (!isCalendarDate(t.year, t.month, t.day))
        return undefined;
    if (t.hour > 23 || t.minute > 59 || t.second > 59)
        return undefined;
    const moment = new Date(0);
    // Date.UTC takes the years 0 to 99 for 1900 to 1999.
    moment.setUTCFullYear(t.year, t.month - 1, t.day);
    moment.setUTCHours(t.hour, t.minute - t.offset, t.second, t.ms);
    const text = moment.toISOString();
    return text.length === 24 && !text.startsWith('0000') ? text : undefined;
}
function isLeapYear(year) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
//# sourceMappingURL=dates.js.map