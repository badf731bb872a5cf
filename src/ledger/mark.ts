import { fromTuple, type Settlement, settlementSchema, toTuple } from '../model/settlement.ts';

/** What the ledger says of one row of an open chunk; no mark: not sent. */
export type Mark =
  | { readonly kind: 'intent' /** The mark itself, to compare with. */; readonly text: string }
  | { readonly kind: 'settled'; readonly settlement: Settlement };

const INTENT_PREFIX = 'i ';

/** The durable sign "this row is about to be sent": unique per take of a chunk and attempt. */
export function intentMark(taker: string, attempt: number): string {
  return `${INTENT_PREFIX}${taker} ${attempt}`;
}

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
