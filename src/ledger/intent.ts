/**
 * What senders ask for before rows go out, in the forms of the script EXCHANGE and of the journal:
 * ranges of a chunk's order, whose marks need not be written one by one, and intents of single
 * rows. The ledger answers each row with one `Granted`.
 */

import { groupAdjacent } from '../lib/batches.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys, NOWHERE } from './keys.ts';
import { intentMark, rangePrefix, type SharedMark, sharedMark } from './mark.ts';

export type Intent = {
  readonly chunk: number;
  readonly row: number;
  readonly mark: string;
  /** The mark of a dead worker that is taken over; `''`: the row must have none. */
  readonly expected: string;
  /** The row's key, whose claim is restored with the intent; `null`: no key. */
  readonly identity: { readonly space: string; readonly key: string } | null;
  /** `before`: what was known; `own`: until the answer is recorded; `null`: not followed. */
  readonly fields: (KeyPlace & { readonly before: string; readonly own: string }) | null;
  /** The call may be repeated: it goes even where a lost worker may have sent it. */
  readonly repeatable: boolean;
};

/** First attempts of a chunk's rows, in the chunk's order. */
export type Range = {
  readonly chunk: number;
  readonly taker: string;
  /** How far the chunk's order had come when it was taken (`Taken.at`). */
  readonly seen: string;
  /** The row up to which this take has come; 0: none yet. */
  readonly from: number;
  readonly repeatable: boolean;
  /** The epoch in which the rows' keys were claimed: in a later one every claim is checked. */
  readonly claimed: string;
  /** In order, behind all rows of earlier ranges. */
  readonly rows: readonly RangeRow[];
  /** Rows before the last of `rows` that go another way, with their marks (UNSENT_MARK: none). */
  readonly apart: ReadonlyArray<readonly [row: number, mark: string]>;
};

export type RangeRow = { readonly row: number; readonly identity: KeyPlace | null };

export type MarkedRow = Pick<Intent, 'chunk' | 'row' | 'mark'>;

export type Granted =
  | { readonly kind: 'granted' }
  /** Another worker has or had the row. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'halted' }
  /** The breaker lets nothing through for that long. `isHold`: the service asked for it. */
  | { readonly kind: 'wait'; readonly ms: number; readonly isHold: boolean }
  /** Of a range: the claims of its keys have to be checked, each by an intent of its own. */
  | { readonly kind: 'unclaimed' }
  /** The row's key is another row's by now. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } }
  /** The journal can't be written, or another machine took the home: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly problem: string };

export const GRANTED = { kind: 'granted' } as const;

const HELD = /^held [a-z]\S* (\S+) (\d+)/;
const WAIT = /^(wait|hold) (\d+)/;

export function parseRefusal(answer: string): Granted {
  if (answer === 'taken' || answer === 'halted' || answer === 'unclaimed') return { kind: answer };
  const [, by = '', row] = HELD.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'held', by: { run: by, row: Number(row) } };
  const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
  return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}

export type ToldIntents = {
  /** ARGV of EXCHANGE behind what ended, from the second on. */
  readonly args: readonly (string | number)[];
  /** Number of rows: those of the ranges, then the others. */
  readonly count: number;
  /** Ranges for the journal: chunk, mark prefix, each row's number and the place of its key. */
  readonly ranged: ReadonlyArray<
    readonly [chunk: number, prefix: string, rows: readonly (string | number)[]]
  >;
  /** The others: chunk, row, mark, the place of its key. */
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

/** Each row with the mark that it asks for, in the order of the answers. */
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

/** An intent with the place of its key, `''` for none. */
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
