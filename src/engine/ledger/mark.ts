/**
 * How a row's state is stored while its chunk is open: as a mark of its own, an intent or its
 * settlement; block.ts has closed chunks. The scripts compare marks as text, so their form is part
 * of the promise that no row is sent twice. In a sealed ledger a settlement's key, id and message
 * are in a box, its other fields in clear: the scripts read them.
 */

import { z } from 'zod';
import { createLatestMap } from '../../lib/recent.ts';
import type { Seal } from '../../lib/seal.ts';
import {
  fromTuple,
  type Settlement,
  settlementSchema,
  settlementsSchema,
  toTuple,
} from '../../model/settlement.ts';
import { protocol } from './protocol.ts';

/** A row without a mark was not sent. */
export type Mark =
  | { readonly kind: 'intent' /** The mark itself, to compare with. */; readonly text: string }
  | { readonly kind: 'settled'; readonly settlement: Settlement };

/** Mark of a row that left its chunk's order and is unsent. */
export const UNSENT_MARK = protocol.unsent;

/** `token`: the take's fencing token. The first attempt of rows in order is 1. */
export function intentMark(token: string, row: number, attempt: number): string {
  return `${protocol.intent}${token} ${attempt}.${row}`;
}

/** Ms, and the value of an idempotency header. */
export type FirstIntent = { readonly at: number; readonly value: string };

export function withFirst(mark: string, { at, value }: FirstIntent): string {
  return `${mark} ${at} ${value}`;
}

const FIRST = new RegExp(`^${protocol.intent}\\S+ \\S+ (\\d+) (\\S+)$`);

/** `null`: the mark names none. */
export function firstIntentIn(mark: string): FirstIntent | null {
  const [, at, value = ''] = FIRST.exec(mark) ?? [];
  return at === undefined ? null : { at: Number(at), value };
}

/** The fencing token of a row's first attempt, by its mark; `null`: it is of another form. */
export function tokenInOrder(mark: string, row: number): string | null {
  const end = protocol.firstAttempt + row;
  return mark.endsWith(end) ? mark.slice(protocol.intent.length, -end.length) : null;
}

export function settledMark(settlement: Settlement, seal: Seal): string {
  if (!seal.isClear) return JSON.stringify([...openPart(settlement), boxOf([settlement], seal)]);
  const text = JSON.stringify(toTuple(settlement));
  // Redis' JSON refuses half a surrogate pair: every script that reads the mark would fail.
  return text.includes(HALF_PAIR) ? JSON.stringify(toTuple(settlement), wellFormed) : text;
}

/** Of rows that are recorded together; sealed, one box of all of them stands last. */
export function settledTogether(settlements: readonly Settlement[], seal: Seal): string {
  if (seal.isClear) return `[${settlements.map((one) => settledMark(one, seal)).join(',')}]`;
  return JSON.stringify([...settlements.map(openPart), boxOf(settlements, seal)]);
}

/** What the scripts read, and no more. */
function openPart({ row, line, outcome, status, attempts, ms, code }: Settlement): unknown[] {
  return [row, line, '', outcome, status, '', attempts, ms, code, ''];
}

const SETTLED = 'settled';
/** Where a sealed settlement has its box. */
const BOX_AT = protocol.boxAt - 1;
/** A row, and what is hidden of its settlement: key, id, message and rest. */
type Hidden = readonly [row: unknown, ...fields: unknown[]];
const hiddenSchema = z.custom<readonly Hidden[]>(
  (value) => Array.isArray(value) && value.every(Array.isArray),
  'expected what a box of settlements holds',
);

/** Boxes of rows that end here are opened here, once their chunk is closed; others', row by row. */
const own = createLatestMap<string, { readonly seal: Seal; readonly hidden: readonly Hidden[] }>(2_000);

function boxOf(settlements: readonly Settlement[], seal: Seal): string {
  const hidden = settlements.map((one): Hidden => {
    const [row, , key, , , id, , , , message, rest] = toTuple(one);
    return rest === undefined ? [row, key, id, message] : [row, key, id, message, rest];
  });
  const box = seal.text(SETTLED, JSON.stringify(hidden));
  own.set(box, { seal, hidden });
  return box;
}

/** `box`: of this row alone, or of all that were recorded together. */
function openedWith(box: string, seal: Seal): (tuple: unknown) => unknown {
  const known = own.get(box);
  const all =
    known?.seal === seal ? known.hidden : hiddenSchema.parse(JSON.parse(seal.openText(SETTLED, box)));
  if (known?.seal !== seal) own.set(box, { seal, hidden: all });
  return (tuple) => {
    if (!Array.isArray(tuple)) return tuple;
    const [row, line, , outcome, status, , attempts, ms, code]: readonly unknown[] = tuple;
    const [, key, id, message, rest] = all.find(([of]) => of === row) ?? [];
    return [row, line, key, outcome, status, id, attempts, ms, code, message, rest];
  };
}

/** In JSON text only halves of surrogate pairs are escapes that begin so. */
const HALF_PAIR = '\\ud';

function wellFormed(_: string, field: unknown): unknown {
  return typeof field === 'string' ? field.toWellFormed() : field;
}

export function parseMark(text: string, seal: Seal): Mark {
  if (text.startsWith(protocol.intent)) return { kind: 'intent', text };
  return { kind: 'settled', settlement: parseSettlement(text, seal) };
}

export function parseSettlement(text: string, seal: Seal): Settlement {
  const json: unknown = JSON.parse(text);
  const box: unknown = Array.isArray(json) ? json[BOX_AT] : undefined;
  return fromTuple(settlementSchema.parse(typeof box === 'string' ? openedWith(box, seal)(json) : json));
}

export function parseSettlements(text: string, seal: Seal): Settlement[] {
  const json: unknown = JSON.parse(text);
  const box: unknown = Array.isArray(json) ? json.at(-1) : undefined;
  const tuples =
    Array.isArray(json) && typeof box === 'string' ? json.slice(0, -1).map(openedWith(box, seal)) : json;
  return settlementsSchema.parse(tuples).map(fromTuple);
}
