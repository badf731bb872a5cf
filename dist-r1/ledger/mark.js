/**
 * How the state of a row is stored: while its chunk is open, as a mark of its own (an intent or its settlement); once the chunk is
 * closed, in the chunk's block. Marks are compared as text by the scripts, so their form is part of the promise that no row is sent twice.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { fromTuple, settlementSchema, toTuple } from '../model/settlement.js';
const INTENT_PREFIX = 'i ';
/** Stands on a row that has left its chunk's order and is unsent. */
export const UNSENT_MARK = '-';
/** The durable sign "this row is about to be sent": unique per take of a chunk, row and attempt; the first attempt of rows in order is 1. */
export function intentMark(taker, row, attempt) {
    return `${INTENT_PREFIX}${taker} ${attempt}.${row}`;
}
/** What a row's mark shares with those of the rows beside it. */
export function sharedMark(mark, row) {
    const number = String(row);
    return mark.endsWith(number)
        ? { text: mark.slice(0, -number.length), isNumbered: 1 }
        : { text: mark, isNumbered: 0 };
}
/**
 * Two processes' journals each say that the row is on its way under an intent of theirs, after Redis went back in time: neither's word
 * that nothing was received may free it, nor a refusal end it. What the service accepted does, or a take that finds the row in doubt.
 */
export const CONTESTED_MARK = intentMark('contested', 0, 0);
export function settledMark(settlement) {
    const text = JSON.stringify(toTuple(settlement));
    // Redis' JSON refuses half a surrogate pair, on which scripts would fail whenever they look at the mark.
    return text.includes(HALF_PAIR) ? JSON.stringify(toTuple(settlement).map(wellFormed)) : text;
}
/** JSON text has only halves of surrogate pairs as escapes that begin so. */
const HALF_PAIR = '\\ud';
function wellFormed(field) {
    return typeof field === 'string' ? field.toWellFormed() : field;
}
export function parseMark(text) {
    if (text.startsWith(INTENT_PREFIX))
        return { kind: 'intent', text };
    return { kind: 'settled', settlement: parseSettlement(text) };
}
export function parseSettlement(text) {
    return fromTuple(settlementSchema.parse(JSON.parse(text)));
}
const blockSchema = z.array(settlementSchema);
/** A closed chunk's settlements in row order, deflated: about 20 bytes per row and identifier. */
export function packBlock(settlements) {
    return packBlockText(JSON.stringify(settlements.map(toTuple)));
}
/** `packBlock` for settlements that are JSON text already. */
export function packBlockText(json) {
    return deflateRawSync(json);
}
export function unpackBlock(block) {
    return parseSettlements(inflateRawSync(block).toString('utf8'));
}
/** JSON text of an array of settlements. */
export function parseSettlements(text) {
    return blockSchema.parse(JSON.parse(text)).map(fromTuple);
}
//# sourceMappingURL=mark.js.map