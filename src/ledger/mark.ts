/**
 * How the state of a row is stored: while its chunk is open, as a mark of its own (an intent or its settlement); once the chunk is
 * closed, in the chunk's block. Marks are compared as text by the scripts, so their form is part of the promise that no row is sent twice.
 */

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  blockSchema,
  fromTuple,
  type SettledChunk,
  type Settlement,
  settlementSchema,
  settlementsSchema,
  toTuple,
} from '../model/settlement.ts';

/** What the ledger says of one row of an open chunk; no mark: not sent. */
export type Mark =
  | { readonly kind: 'intent' /** The mark itself, to compare with. */; readonly text: string }
  | { readonly kind: 'settled'; readonly settlement: Settlement };

const INTENT_PREFIX = 'i ';

/** Stands on a row that has left its chunk's order and is unsent. */
export const UNSENT_MARK = '-';

/** The durable sign "this row is about to be sent": unique per take of a chunk, row and attempt; the first attempt of rows in order is 1. */
export function intentMark(taker: string, row: number, attempt: number): string {
  return `${INTENT_PREFIX}${taker} ${attempt}.${row}`;
}

/** What the marks of the rows that a taker is granted in order begin with; the row's number follows. */
export function rangePrefix(taker: string): string {
  return `${INTENT_PREFIX}${taker} 1.`;
}

/** What the marks of a take's rows have in common, as scripts are told it: the row's number follows (1), or that is the whole mark (0). */
export type SharedMark = { readonly text: string; readonly isNumbered: 0 | 1 };

/** What a row's mark shares with those of the rows beside it. */
export function sharedMark(mark: string, row: number): SharedMark {
  const number = String(row);
  return mark.endsWith(number)
    ? { text: mark.slice(0, -number.length), isNumbered: 1 }
    : { text: mark, isNumbered: 0 };
}

/** Whether the row's mark is made of that. */
export function isOfShared(mark: string, row: number, { text, isNumbered }: SharedMark): boolean {
  return mark.startsWith(text) && (isNumbered === 1 ? `${text}${row}` : text) === mark;
}

/**
 * Two processes' journals each say that the row is on its way under an intent of theirs, after Redis went back in time: neither's word
 * that nothing was received may free it, nor a refusal end it. What the service accepted does, or a take that finds the row in doubt.
 */
export const CONTESTED_MARK = intentMark('contested', 0, 0);

export function settledMark(settlement: Settlement): string {
  const text = JSON.stringify(toTuple(settlement));
  // Redis' JSON refuses half a surrogate pair, on which scripts would fail whenever they look at the mark.
  return text.includes(HALF_PAIR) ? JSON.stringify(toTuple(settlement), wellFormed) : text;
}

/** JSON text has only halves of surrogate pairs as escapes that begin so. */
const HALF_PAIR = '\\ud';

function wellFormed(_: string, field: unknown): unknown {
  return typeof field === 'string' ? field.toWellFormed() : field;
}

export function parseMark(text: string): Mark {
  if (text.startsWith(INTENT_PREFIX)) return { kind: 'intent', text };
  return { kind: 'settled', settlement: parseSettlement(text) };
}

export function parseSettlement(text: string): Settlement {
  return fromTuple(settlementSchema.parse(JSON.parse(text)));
}

/** When a chunk was closed, and its settlements in row order, deflated: about 20 bytes per row and identifier. */
export function packBlock(settlements: readonly Settlement[], closedAt: number): Buffer {
  return packBlockText(JSON.stringify(settlements.map(toTuple)), closedAt);
}

/** Most of a block are identifiers, which the best compression makes hardly smaller, in five times the time. */
const QUICKLY = { level: constants.Z_BEST_SPEED };

/** `packBlock` for settlements that are JSON text already. */
export function packBlockText(json: string, closedAt: number): Buffer {
  return deflateRawSync(`[${closedAt},${json}]`, QUICKLY);
}

type Block = Pick<SettledChunk, 'settlements'> & { readonly closedAt: number };

export function unpackBlock(block: Buffer): Block {
  return parseBlock(unpackBlockText(block));
}

export function parseBlock(text: string): Block {
  const [closedAt, settlements] = blockSchema.parse(JSON.parse(text));
  return { closedAt, settlements: settlements.map(fromTuple) };
}

/** The block's JSON text: looking for something in it costs less than half of reading it. */
export function unpackBlockText(block: Buffer): string {
  return inflateRawSync(block).toString('utf8');
}

/** JSON text of an array of settlements. */
export function parseSettlements(text: string): Settlement[] {
  return settlementsSchema.parse(JSON.parse(text)).map(fromTuple);
}
