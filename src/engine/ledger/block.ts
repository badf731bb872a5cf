/**
 * The rows of a closed chunk as Redis keeps them, each in one of two parts: those that succeeded
 * for good, and the open ones, so that who looks for these in a large run reads no others.
 */

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { Seal } from '../../lib/seal.ts';
import { staysOpen } from '../../model/outcome.ts';
import { fromTuple, restOf, type Settlement, settlementsSchema } from '../../model/settlement.ts';

/** `open`: `null` where the chunk has no open rows. */
export type PackedChunk = { readonly block: Buffer; readonly open: Buffer | null };

/** Of settlements in row order. */
export function packChunk(settlements: readonly Settlement[], closedAt: number, seal: Seal): PackedChunk {
  const open = settlements.filter(({ outcome }) => staysOpen(outcome));
  const others = settlements.filter(({ outcome }) => !staysOpen(outcome));
  const part = (place: string, content: unknown) =>
    seal.bytes(place, deflateRawSync(JSON.stringify(content), QUICKLY));
  return {
    block: part(BLOCK, [closedAt, open.length, columnsOf(others)]),
    open: open.length === 0 ? null : part(OPEN, columnsOf(open)),
  };
}

/** A block is mostly ids, which the best compression hardly shrinks. */
const QUICKLY = { level: constants.Z_BEST_SPEED };
/** Most are shorter: what is set aside for each is thrown away again. */
const IN_PIECES = { chunkSize: 4_096 };
/** Places of their boxes, where the ledger is sealed. */
const BLOCK = 'block';
const OPEN = 'open rows';

/** When the chunk was closed, and its rows in order. */
export function unpackChunk({ block, open }: PackedChunk, seal: Seal) {
  const [closedAt, openRows, columns] = blockSchema.parse(inflated(block, BLOCK, seal));
  const others = settlementsIn(columns);
  const apart = open === null ? [] : unpackOpen(open, seal);
  if (apart.length !== openRows)
    throw new Error(`a chunk's block tells of ${openRows} open rows, and ${apart.length} are there`);
  if (openRows === 0) return { closedAt, settlements: others };
  return { closedAt, settlements: [...others, ...apart].sort((a, b) => a.row - b.row) };
}

/** The open rows alone, in order. */
export function unpackOpen(open: Buffer, seal: Seal): Settlement[] {
  return settlementsIn(columnsSchema.parse(inflated(open, OPEN, seal)));
}

function inflated(part: Buffer, place: string, seal: Seal): unknown {
  return JSON.parse(inflateRawSync(seal.openBytes(place, part), IN_PIECES).toString('utf8'));
}

/** Of all rows the same value; each row's own; texts of one length, one after the other. */
type Column = string | number | readonly unknown[] | { readonly width: number; readonly texts: string };

/** How many rows; their columns, in the order of a tuple; rests, each with its row's index. */
type Columns = readonly [rows: number, columns: readonly Column[], rests: ReadonlyArray<readonly unknown[]>];

/** A general schema takes several times as long, where each chunk has a row that is open. */
const columnsSchema = z.custom<Columns>(areColumns, 'expected rows of a chunk by columns');
const blockSchema = z.tuple([z.number(), z.number(), columnsSchema]);

function areColumns(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [rows, columns, rests]: readonly unknown[] = value;
  if (!Number.isSafeInteger(rows) || !Array.isArray(columns) || !Array.isArray(rests)) return false;
  return columns.every(isColumn) && rests.every(Array.isArray);
}

function isColumn(value: unknown): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return true;
  if (value === null || !('width' in value && 'texts' in value)) return false;
  return Number(value.width) > 0 && typeof value.texts === 'string';
}

/**
 * By columns deflated bytes are a quarter fewer: what is alike in all rows stands there once. Row
 * numbers mostly follow each other, and lines follow rows: their distances are kept.
 */
function columnsOf(settlements: readonly Settlement[]): Columns {
  const columns = [
    column(settlements.map(({ row }, i) => row - i)),
    column(settlements.map(({ row, line }) => line - row)),
    column(settlements.map(({ key }) => key)),
    column(settlements.map(({ outcome }) => outcome)),
    column(settlements.map(({ status }) => status)),
    column(settlements.map(({ id }) => id)),
    column(settlements.map(({ attempts }) => attempts)),
    column(settlements.map(({ ms }) => ms)),
    column(settlements.map(({ code }) => code)),
    column(settlements.map(({ message }) => message)),
  ];
  const rests: (readonly unknown[])[] = [];
  for (const [i, settlement] of settlements.entries()) {
    const rest = restOf(settlement);
    if (rest !== undefined) rests.push([i, rest]);
  }
  return [settlements.length, columns, rests];
}

function column(values: readonly string[] | readonly number[]): Column {
  const [first] = values;
  if (first === undefined) return [];
  if (values.every((value) => value === first)) return first;
  if (typeof first === 'number') return [...values];
  const width = first.length;
  const areOfOne = width > 0 && values.every((value) => typeof value === 'string' && value.length === width);
  return areOfOne ? { width, texts: values.join('') } : [...values];
}

function settlementsIn([count, columns, rests]: Columns): Settlement[] {
  const [rows = [], lines = [], ...others] = columns.map((one) => valuesIn(one, count));
  const [
    keys = [],
    outcomes = [],
    statuses = [],
    ids = [],
    attempts = [],
    ms = [],
    codes = [],
    messages = [],
  ] = others;
  const tuples: unknown[][] = [];
  for (let i = 0; i < count; i += 1) {
    const row = Number(rows[i]) + i;
    const line = Number(lines[i]) + row;
    tuples.push([
      row,
      line,
      keys[i],
      outcomes[i],
      statuses[i],
      ids[i],
      attempts[i],
      ms[i],
      codes[i],
      messages[i],
    ]);
  }
  for (const [i, rest] of rests) tuples[Number(i)]?.push(rest);
  return settlementsSchema.parse(tuples).map(fromTuple);
}

function valuesIn(values: Column, count: number): readonly unknown[] {
  if (typeof values !== 'object') return new Array<unknown>(count).fill(values);
  if (!('texts' in values)) return values;
  const { width, texts } = values;
  const each: string[] = [];
  for (let end = width; end <= texts.length; end += width) each.push(texts.slice(end - width, end));
  return each;
}
