/**
 * How a row's state is stored: as a mark of its own (an intent or its settlement) while its chunk
 * is open, in the chunk's block once it is closed. The scripts compare marks as text, so their form
 * is part of the promise that no row is sent twice.
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

/** A row without a mark was not sent. */
export type Mark =
  | { readonly kind: 'intent' /** The mark itself, to compare with. */; readonly text: string }
  | { readonly kind: 'settled'; readonly settlement: Settlement };

const INTENT_PREFIX = 'i ';

/** Mark of a row that left its chunk's order and is unsent. */
export const UNSENT_MARK = '-';

/** Unique per take of a chunk, row and attempt; the first attempt of rows in order is 1. */
export function intentMark(taker: string, row: number, attempt: number): string {
  return `${INTENT_PREFIX}${taker} ${attempt}.${row}`;
}

/** The taker of a row's first attempt, by its mark; `null`: it is of another form. */
export function takerInOrder(mark: string, row: number): string | null {
  const end = ` 1.${row}`;
  return mark.endsWith(end) ? mark.slice(INTENT_PREFIX.length, -end.length) : null;
}

/** Of an intent: the first part of its taker's name. */
export function processOfMark(mark: string): string {
  return /^i ([^ .]+)\./.exec(mark)?.[1] ?? '';
}

/**
 * After Redis went back in time, the journals of two processes each name an intent of theirs on the
 * row. Neither a withdrawal of one nor a refusal may end it; only an acceptance does, or a take
 * that finds the row in doubt.
 */
export const CONTESTED_MARK = intentMark('contested', 0, 0);

export function settledMark(settlement: Settlement): string {
  const text = JSON.stringify(toTuple(settlement));
  // Redis' JSON refuses half a surrogate pair: every script that reads the mark would fail.
  return text.includes(HALF_PAIR) ? JSON.stringify(toTuple(settlement), wellFormed) : text;
}

/** In JSON text only halves of surrogate pairs are escapes that begin so. */
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

/** A block is mostly ids, which the best compression hardly shrinks, in five times the time. */
const QUICKLY = { level: constants.Z_BEST_SPEED };

/** When the chunk was closed, and its settlements in row order, deflated: about 20 bytes a row. */
export function packBlock(settlements: readonly Settlement[], closedAt: number): Buffer {
  return deflateRawSync(JSON.stringify([closedAt, settlements.map(toTuple)]), QUICKLY);
}

type Block = Pick<SettledChunk, 'settlements'> & { readonly closedAt: number };

export function unpackBlock(block: Buffer): Block {
  const json: unknown = JSON.parse(inflateRawSync(block).toString('utf8'));
  const [closedAt, settlements] = blockSchema.parse(json);
  return { closedAt, settlements: settlements.map(fromTuple) };
}

export function parseSettlements(text: string): Settlement[] {
  return settlementsSchema.parse(JSON.parse(text)).map(fromTuple);
}
