import { fromTuple, type Settlement, settlementSchema, toTuple } from '../model/settlement.ts';

/** What the ledger says of one row of an open chunk; no mark: not sent. */
export type Mark =
  | { readonly kind: 'intent' /** The mark itself, to compare with. */; readonly text: string }
  | { readonly kind: 'settled'; readonly settlement: Settlement };

const INTENT_PREFIX = 'i ';

/** The durable sign "this row is about to be sent": unique per take of a chunk, row and attempt. */
export function intentMark(taker: string, row: number, attempt: number): string {
  return `${INTENT_PREFIX}${taker} ${row}.${attempt}`;
}

/**
 * Two processes' journals each say that the row is on its way under an intent of theirs, after Redis went back in time: neither's word
 * that nothing was received may free it, nor a refusal end it. What the service accepted does, or a take that finds the row in doubt.
 */
export const CONTESTED_MARK = intentMark('contested', 0, 0);

export function settledMark(settlement: Settlement): string {
  return JSON.stringify(toTuple(settlement));
}

export function parseMark(text: string): Mark {
  if (text.startsWith(INTENT_PREFIX)) return { kind: 'intent', text };
  return { kind: 'settled', settlement: parseSettlement(text) };
}

export function parseSettlement(text: string): Settlement {
  return fromTuple(settlementSchema.parse(JSON.parse(text)));
}
