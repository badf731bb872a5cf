/**
 * The grammar of RFC 4180 over a stretch of text: where lines, cells and records end, and where a quote stands that the
 * grammar has no place for. No text is kept here, and a stretch may end anywhere: what can't be told yet is answered as
 * such, so that block boundaries never change a record.
 */
/** The character of a delimiter as a definition or a `sep=` line writes it: `\\t` is a tab. */
export function delimiterOf(sign) {
    return sign === '\\t' ? '\t' : sign;
}
/** The kind of line end, told by the first one outside quotes at or after `from`. */
export function detectNewline(text, quote, from) {
    let quoted = false;
    for (let i = from; i < text.length; i += 1) {
        const char = text.charAt(i);
        if (char === quote)
            quoted = !quoted;
        else if (!quoted && char === '\n')
            return 'lf';
        else if (!quoted && char === '\r')
            return text.charAt(i + 1) === '\n' ? 'lf' : 'cr';
    }
    return 'lf';
}
/** Index of the next line end at or after `from`, or -1. */
export function indexOfNewline(text, from, newline) {
    if (newline === 'lf')
        return text.indexOf('\n', from);
    // Not two calls of indexOf: each record would search a character that never occurs to the end of the text.
    for (let at = from; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === CR || code === LF)
            return at;
    }
    return -1;
}
/** Index of the next `sign` at or after `from`, or that of the text's end. */
export function indexOrEnd(text, sign, from) {
    const at = text.indexOf(sign, from);
    return at === -1 ? text.length : at;
}
/** Index after the line end that stands at `at`. */
export function afterNewline(text, at) {
    return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}
/** How many line ends there are in `text` from `from` up to `to`. */
export function countNewlines(text, range, newline) {
    let count = 0;
    let at = indexOfNewline(text, range.from, newline);
    while (at !== -1 && at < range.to) {
        count += 1;
        at = indexOfNewline(text, afterNewline(text, at), newline);
    }
    return count;
}
/**
 * The record that starts at `start`, by the grammar of RFC 4180 that csv-parse keeps to without its relaxed options:
 * quotes only around a whole cell, doubled inside it.
 */
export function cutRecord(view, start, dialect) {
    let cellStart = start;
    for (let cells = 0;; cells += 1) {
        const cut = cutCell(view, cellStart, dialect);
        switch (cut.kind) {
            case 'delimiter':
                cellStart = cut.at + 1;
                break;
            case 'newline':
                return { kind: 'record', end: cut.at, next: afterNewline(view.text, cut.at), cells: cells + 1 };
            case 'end':
                return { kind: 'record', end: cut.at, next: cut.at, cells: cells + 1 };
            case 'stray':
                return { kind: 'stray', at: cut.at, cellStart, cells };
            default:
                return cut;
        }
    }
}
/** The cell that starts at `start`. */
function cutCell(view, start, dialect) {
    const open = skipBlanks(view, start, dialect);
    if (open >= view.end || view.text.charAt(open) !== dialect.quote)
        return cutBare(view, open, dialect);
    const close = closingQuote(view, open, dialect.quote);
    const ending = close === -1 ? null : endAfterQuote(view, close, dialect);
    if (ending === 'stray')
        return { kind: 'stray', at: close };
    return ending ?? { kind: 'open', quote: open };
}
/** The unquoted cell at `start`. */
function cutBare(view, start, dialect) {
    const quote = dialect.quote.charCodeAt(0);
    const delimiter = dialect.delimiter.charCodeAt(0);
    for (let at = start; at < view.end; at += 1) {
        const code = view.text.charCodeAt(at);
        if (code === quote)
            return { kind: 'stray', at };
        if (code !== delimiter && code !== LF && code !== CR)
            continue;
        if (isHalfNewline(view, at))
            return { kind: 'part' };
        const ending = cellEndAt(view, at, dialect);
        if (ending !== null)
            return ending;
    }
    return view.final ? { kind: 'end', at: view.end } : { kind: 'part' };
}
/** Index of the quote that closes the cell opened at `open`; -1 where the stretch ends first. */
function closingQuote(view, open, quote) {
    let at = view.text.indexOf(quote, open + 1);
    while (at !== -1 && at < view.end) {
        if (at + 1 >= view.end)
            return view.final ? at : -1;
        if (view.text.charAt(at + 1) !== quote)
            return at;
        at = view.text.indexOf(quote, at + 2);
    }
    return -1;
}
/** What follows the closing quote at `close`. */
function endAfterQuote(view, close, dialect) {
    const at = skipBlanks(view, close + 1, dialect);
    return cellEndAt(view, at, dialect) ?? (at >= view.end || isHalfNewline(view, at) ? null : 'stray');
}
/** The cell end that stands at `at`, or `null` where none does (or it can't be told yet). */
export function cellEndAt(view, at, dialect) {
    if (at >= view.end)
        return view.final ? { kind: 'end', at: view.end } : null;
    const code = view.text.charCodeAt(at);
    if (code === dialect.delimiter.charCodeAt(0))
        return { kind: 'delimiter', at };
    if (code === LF)
        return { kind: 'newline', at };
    if (code !== CR || isHalfNewline(view, at))
        return null;
    return dialect.newline === 'cr' || view.text.charCodeAt(at + 1) === LF ? { kind: 'newline', at } : null;
}
/** A CR at the end of the stretch may be half of a CRLF. */
function isHalfNewline(view, at) {
    return view.text.charCodeAt(at) === CR && at + 1 >= view.end && !view.final;
}
function skipBlanks(view, from, dialect) {
    if (!dialect.trim)
        return from;
    let at = from;
    while (at < view.end && isBlank(view.text.charAt(at), dialect))
        at += 1;
    return at;
}
function isBlank(char, dialect) {
    if (char === '\n' || char === '\r' || char === dialect.delimiter)
        return false;
    return char.trim() === '';
}
/** Where the record ends when quotes in the middle of its cells are taken as they stand, and how many cells end from `from` on. */
export function lenientEnd(view, from, dialect) {
    let ending = nextCellEnd(view, from, dialect);
    let cells = 1;
    while (ending !== null && ending.kind === 'delimiter') {
        ending = endOfLenientCell(view, ending.at + 1, dialect);
        cells += 1;
    }
    return ending === null ? null : { at: ending.at, cells };
}
function endOfLenientCell(view, start, dialect) {
    if (view.text.charAt(start) !== dialect.quote)
        return nextCellEnd(view, start, dialect);
    const close = closingQuote(view, start, dialect.quote);
    if (close === -1)
        return null;
    const ending = endAfterQuote(view, close, dialect);
    if (ending !== 'stray')
        return ending;
    // Another damaged quoted cell may not lead past its line.
    return indexOfNewline(view.text.slice(start, close), 0, dialect.newline) === -1
        ? nextCellEnd(view, close + 1, dialect)
        : null;
}
function nextCellEnd(view, from, dialect) {
    for (let at = from; at <= view.end; at += 1) {
        const ending = cellEndAt(view, at, dialect);
        if (ending !== null)
            return ending;
    }
    return null;
}
export const LF = 10;
export const CR = 13;
//# sourceMappingURL=grammar.js.map