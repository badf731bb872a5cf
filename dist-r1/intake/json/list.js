import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS, TOO_LONG, unreadableRow } from '../row.js';
import { brokenJson, endOfValue, endOfWord, extend, moveTo, newCursor, newDepthScan, skipSpace, } from './cursor.js';
import { leaveList, newOutside, stepOutside } from './pointer.js';
import { inspectJson, jsonRow } from './record.js';
/** Makes rows of a JSON list's elements, or of objects that follow each other; UsageError with line and column where the JSON is broken. */
export function createJsonRows(path, shape) {
    const state = {
        path,
        ...start(path, shape),
        cursor: newCursor(),
        element: null,
        rows: [],
        count: 0,
    };
    return (chunk, final) => {
        if (state.element !== null)
            state.element.scanned -= state.cursor.at;
        extend(state.cursor, chunk);
        state.rows = [];
        while (advance(state, final))
            ;
        return state.rows;
    };
}
function start(path, shape) {
    if (shape === 'list')
        return { isSequence: false, outside: null, phase: 'opening' };
    if (shape === 'sequence')
        return { isSequence: true, outside: null, phase: 'value' };
    return { isSequence: false, outside: newOutside(path, shape.pointer), phase: 'outside' };
}
/** Makes one step; answers whether another can be made with the text at hand. */
function advance(state, final) {
    const { cursor, outside } = state;
    if (state.phase === 'outside')
        return outside !== null && advanceOutside(state, outside, final);
    if (state.element === null)
        skipSpace(cursor);
    if (state.element === null && cursor.at >= cursor.text.length) {
        if (final)
            checkEnd(state);
        return false;
    }
    const char = cursor.text.charAt(cursor.at);
    switch (state.phase) {
        case 'opening':
            return take(state, char === '[', 'first', '[');
        case 'first':
            return char === ']' ? close(state) : takeValue(state, final);
        case 'value':
            return takeValue(state, final);
        case 'after':
            return char === ']' ? close(state) : take(state, char === ',', 'value', 'a comma or ]');
        case 'closed':
            return take(state, false, 'closed', 'nothing after the closing ]');
        default:
            return state.phase;
    }
}
function advanceOutside(state, outside, final) {
    const step = stepOutside(outside, state.cursor, final);
    if (step === 'list')
        state.phase = 'first';
    return step !== 'wait';
}
function close(state) {
    if (state.outside === null)
        return take(state, true, 'closed', '');
    leaveList(state.outside);
    return take(state, true, 'outside', '');
}
function take(state, isRight, next, expected) {
    if (!isRight)
        throw brokenJson(state.path, state.cursor, expected);
    moveTo(state.cursor, state.cursor.at + 1);
    state.phase = next;
    return true;
}
function checkEnd(state) {
    const { phase } = state;
    if (phase === 'closed' || phase === 'outside' || (phase === 'value' && state.isSequence))
        return;
    const expected = { opening: '[', first: 'a value or ]', value: 'a value', after: 'a comma or ]' }[phase];
    throw brokenJson(state.path, state.cursor, expected);
}
function takeValue(state, final) {
    const { path, cursor } = state;
    state.element ??= newElement(cursor);
    const end = findElementEnd(path, cursor, state.element, final);
    if (end === -1 && !final)
        return false;
    if (end === -1)
        throw unclosedElement(path, cursor, state.element);
    state.count += 1;
    state.rows.push(elementRow(path, cursor, state.element, { end, row: state.count }));
    moveTo(cursor, end);
    state.element = null;
    state.phase = state.isSequence ? 'value' : 'after';
    return true;
}
/** An element whose first character stands at the cursor. */
function newElement(cursor) {
    return { scan: newDepthScan(), scanned: cursor.at, oversized: null };
}
/** Index after the element at the cursor, -1 where more text is needed; the text of an oversized element is dropped. */
function findElementEnd(path, cursor, element, final) {
    const { text, at } = cursor;
    if (element.oversized === null && !/["{[]/.test(text.charAt(at))) {
        const end = endOfWord(text, at);
        return end < text.length || final ? end : -1;
    }
    const end = endOfValue(text, element.scanned, element.scan);
    if (end !== -1)
        return end;
    element.scanned = text.length;
    if (element.oversized === null && text.length - at > MAX_RECORD_CHARS) {
        refuseBroken(path, cursor);
        element.oversized = { text: text.slice(at, at + MAX_UNREADABLE_CHARS), line: cursor.line };
    }
    if (element.oversized !== null)
        moveTo(cursor, text.length);
    return -1;
}
/** The row of the element from the cursor to `end`; UsageError where the element is no JSON. */
function elementRow(path, cursor, element, at) {
    const { oversized } = element;
    if (oversized !== null)
        return unreadableRow({ row: at.row, line: oversized.line }, oversized.text, TOO_LONG);
    const text = cursor.text.slice(cursor.at, at.end);
    const place = { row: at.row, line: cursor.line };
    if (text.length > MAX_RECORD_CHARS) {
        refuseBroken(path, cursor);
        return unreadableRow(place, text, TOO_LONG);
    }
    const found = inspectJson(text);
    if (found.kind === 'valid')
        return jsonRow(place, text, found);
    moveTo(cursor, cursor.at + found.at);
    throw brokenJson(path, cursor, found.expected);
}
/** The error for an element that the file ends in. */
function unclosedElement(path, cursor, element) {
    if (element.oversized !== null)
        return brokenJson(path, cursor, `the end of the record of line ${element.oversized.line}`);
    const found = inspectJson(cursor.text.slice(cursor.at));
    moveTo(cursor, found.kind === 'broken' ? cursor.at + found.at : cursor.text.length);
    return brokenJson(path, cursor, found.kind === 'broken' ? found.expected : 'the end of the record');
}
/** Refuses a record beyond the limit where its beginning is broken JSON, but for the last token, which the limit cut. */
function refuseBroken(path, cursor) {
    const found = inspectJson(cursor.text.slice(cursor.at, cursor.at + MAX_RECORD_CHARS));
    if (found.kind === 'valid' || found.at >= MAX_RECORD_CHARS - LONGEST_TOKEN_CHARS)
        return;
    moveTo(cursor, cursor.at + found.at);
    throw brokenJson(path, cursor, found.expected);
}
/** A token cut off by the length limit looks broken this close to the cut. */
const LONGEST_TOKEN_CHARS = 16;
//# sourceMappingURL=list.js.map