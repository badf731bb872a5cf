/**
 * What is asked for before rows are sent, and how the script EXCHANGE and the journal are told of it: ranges of a chunk's order, whose rows'
 * marks nobody has to write, and intents of rows that go by themselves. Each has one answer of the ledger (`Granted`).
 */

import { groupAdjacent } from '../lib/batches.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys, NOWHERE } from './keys.ts';
import { intentMark, rangePrefix, type SharedMark, sharedMark } from './mark.ts';

/** What is asked for before a row is sent. */
export type Intent = {
  readonly chunk: number;
  readonly row: number;
  readonly mark: string;
  /** The mark of a dead worker that is taken over; `''`: the row must have none. */
  readonly expected: string;
  /** What the row's key is known by, to be restored with the intent; `null`: nothing. */
  readonly identity: { readonly space: string; readonly key: string } | null;
  /** The record whose fields are followed, what was known of them, and what stands for them until the answer is recorded; `null`: they aren't followed. */
  readonly fields: (KeyPlace & { readonly before: string; readonly own: string }) | null;
  /** The call may be repeated: it is sent also where a lost worker may have sent it. */
  readonly repeatable: boolean;
};

/** Rows of a chunk in hand that are asked for together: the first attempts of rows in their order. */
export type Range = {
  readonly chunk: number;
  readonly taker: string;
  /** How far the chunk's order had come when it was taken (`Taken.at`). */
  readonly seen: string;
  /** The row up to which this take has come; 0: it begins. */
  readonly from: number;
  readonly repeatable: boolean;
  /** The epoch in which the rows' keys were claimed: in a later one each claim has to be looked at. */
  readonly claimed: string;
  /** In order, and behind all that were asked for before. */
  readonly rows: readonly RangeRow[];
  /** Rows before the last of these that go another way, with what stands on them (UNSENT_MARK: nothing). */
  readonly apart: ReadonlyArray<readonly [row: number, mark: string]>;
};

/** What the row's key is known by, `null`: nothing. */
export type RangeRow = { readonly row: number; readonly identity: KeyPlace | null };

export type MarkedRow = Pick<Intent, 'chunk' | 'row' | 'mark'>;

export type Granted =
  | { readonly kind: 'granted' }
  /** Another worker has or had the row. */
  | { readonly kind: 'taken' }
  /** The run is not running. */
  | { readonly kind: 'halted' }
  /** The breaker lets nothing through for that long (ms): ask again. `isHold`: since the service has asked for it. */
  | { readonly kind: 'wait'; readonly ms: number; readonly isHold: boolean }
  /** Of a range: the claims of its keys are to be looked at, each by an intent of its own. */
  | { readonly kind: 'unclaimed' }
  /** The row's key is another row's by now. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } }
  /** The journal can't be written, or the home has been taken by another machine: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly problem: string };

export const GRANTED = { kind: 'granted' } as const;

const HELD = /^held [a-z]\S* (\S+) (\d+)/;
const WAIT = /^(wait|hold) (\d+)/;

/** The script's word on a row that is not granted. */
export function parseRefusal(answer: string): Granted {
  if (answer === 'taken' || answer === 'halted' || answer === 'unclaimed') return { kind: answer };
  const [, by = '', row] = HELD.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'held', by: { run: by, row: Number(row) } };
  const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
  return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}

/** What is next, as it is told. */
export type ToldIntents = {
  /** ARGV of the script behind what ended, from its second on: what rows of one take of a chunk share is said once. */
  readonly args: readonly (string | number)[];
  /** How many rows: those of the ranges, then the others. */
  readonly count: number;
  /** Of the ranges, for the journal: chunk, what their marks begin with, and of each row its number and the place of its key's identity. */
  readonly ranged: ReadonlyArray<
    readonly [chunk: number, prefix: string, rows: readonly (string | number)[]]
  >;
  /** Of the others: chunk, row, mark, the place of its key's identity. */
  readonly single: ReadonlyArray<
    readonly [chunk: number, row: number, mark: string, bucket: string, digest: string]
  >;
};

export function toldIntents(
  ranges: readonly Range[],
  next: readonly Intent[],
  keys: LedgerKeys,
): ToldIntents {
  const placed = next.map((intent) => placedIntent(intent, keys));
  const follows = next.some(({ fields }) => fields !== null);
  const args: (string | number)[] = [follows ? 1 : 0, ranges.length];
  let count = next.length;
  for (const range of ranges) {
    addRange(args, range);
    count += range.rows.length;
  }
  for (const group of groupAdjacent(placed, areOfOneTake)) {
    const { intent: first, shared } = group[0];
    const { chunk, expected, repeatable } = first;
    args.push(chunk, shared.text, shared.isNumbered, expected, repeatable ? 1 : 0, group.length);
    for (const { intent, bucket, digest } of group) {
      args.push(intent.row, bucket, digest);
      if (follows) args.push(...fieldsArguments(intent, keys));
    }
  }
  return {
    args,
    count,
    ranged: ranges.map(({ chunk, taker, rows }) => [chunk, rangePrefix(taker), placesOf(rows, keys)]),
    single: placed.map(({ intent, bucket, digest }) => [
      intent.chunk,
      intent.row,
      intent.mark,
      bucket,
      digest,
    ]),
  };
}

/** Each row with the mark that it is asked for under, in the order of the answers. */
export function markedRows(ranges: readonly Range[], next: readonly Intent[]): MarkedRow[] {
  const ranged = ranges.flatMap(({ chunk, taker, rows }) =>
    rows.map(({ row }) => ({ chunk, row, mark: intentMark(taker, row, 1) })),
  );
  return [...ranged, ...next];
}

function addRange(args: (string | number)[], range: Range): void {
  const { chunk, taker, seen, from, repeatable, claimed, rows, apart } = range;
  args.push(chunk, taker, seen, from, repeatable ? 1 : 0, claimed, rows.length, apart.length);
  for (const { row } of rows) args.push(row);
  for (const [row, mark] of apart) args.push(row, mark);
}

function placesOf(rows: readonly RangeRow[], keys: LedgerKeys): (string | number)[] {
  const places: (string | number)[] = [];
  for (const { row, identity } of rows) {
    const { bucket, digest } = identity === null ? NOWHERE : identityPlace(keys, identity);
    places.push(row, bucket, digest);
  }
  return places;
}

/** An intent with the place of its key's identity, `''` for none. */
type PlacedIntent = {
  readonly intent: Intent;
  readonly shared: SharedMark;
  readonly bucket: string;
  readonly digest: string;
};

function placedIntent(intent: Intent, keys: LedgerKeys): PlacedIntent {
  const { identity, mark, row } = intent;
  const { bucket, digest } = identity === null ? NOWHERE : identityPlace(keys, identity);
  return { intent, shared: sharedMark(mark, row), bucket, digest };
}

function areOfOneTake(
  { intent: a, shared: x }: PlacedIntent,
  { intent: b, shared: y }: PlacedIntent,
): boolean {
  const isOneMark = a.chunk === b.chunk && x.text === y.text && x.isNumbered === y.isNumbered;
  return isOneMark && a.expected === b.expected && a.repeatable === b.repeatable;
}

function fieldsArguments({ fields }: Intent, keys: LedgerKeys): readonly string[] {
  if (fields === null) return ['', '', '', ''];
  const { bucket, digest } = fieldsPlace(keys, fields);
  return [bucket, digest, fields.before, fields.own];
}
