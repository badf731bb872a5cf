/**
 * What senders ask for before rows go out, in the one form that EXCHANGE and the journal are told:
 * ranges of a chunk's order, whose marks need not be written one by one, and intents of single
 * rows. The ledger answers each row with one `Granted`.
 */

import { type Reason, reasonSchema } from '../../model/run.ts';
import { accountPlaces, fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import { intentMark } from './mark.ts';

export type Intent = {
  readonly chunk: number;
  readonly row: number;
  readonly mark: string;
  /** The mark of a dead worker that is taken over; `''`: the row must have none. */
  readonly expected: string;
  /** The row's key, whose claim is restored with the intent; `null`: no key. */
  readonly identity: KeyPlace | null;
  /** `before`: what was known; `own`: until the answer is recorded; `null`: no job updates it. */
  readonly fields: (KeyPlace & { readonly before: string; readonly own: string }) | null;
  /** The call may be repeated: it goes even where a lost worker may have sent it. */
  readonly repeatable: boolean;
};

/** First attempts of a chunk's rows, in the chunk's order. */
export type Range = {
  readonly chunk: number;
  readonly fencingToken: string;
  /** The chunk's watermark when it was taken (`Taken.watermark`). */
  readonly seen: string;
  /** The row up to which this take has come; 0: none yet. */
  readonly from: number;
  readonly repeatable: boolean;
  /** By which verification the rows' keys were claimed: by a later one every claim is checked. */
  readonly claimed: string;
  /** In order, behind all rows of earlier ranges. */
  readonly rows: readonly RangeRow[];
  /** Rows before the last of `rows` that go another way, with their marks (UNSENT_MARK: none). */
  readonly outOfOrder: readonly { readonly row: number; readonly mark: string }[];
};

export type RangeRow = { readonly row: number; readonly identity: KeyPlace | null };

export type MarkedRow = Pick<Intent, 'chunk' | 'row' | 'mark'>;

export type Granted =
  | { readonly kind: 'granted' }
  /** Another worker has or had the row. */
  | { readonly kind: 'taken' }
  /** `pauseFor`: the run is still running, and is to be paused for that. */
  | { readonly kind: 'halted'; readonly pauseFor?: Reason }
  /** The breaker lets nothing through for that long. `isHold`: the service asked for it. */
  | { readonly kind: 'wait'; readonly ms: number; readonly isHold: boolean }
  /** Of a range: the claims of its keys have to be checked, each by an intent of its own. */
  | { readonly kind: 'unclaimed' }
  /** The row's key is another row's by now. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } }
  /** The journal can't be written, or another machine took the home: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly problem: string };

export const GRANTED = { kind: 'granted' } as const;

const HELD = /^held (\S+) (\d+)$/;
const WAIT = /^(wait|hold) (\d+)/;

const HALTED = /^halted (\S+)$/;

export function parseRefusal(answer: string): Granted {
  if (answer === 'taken' || answer === 'halted' || answer === 'unclaimed') return { kind: answer };
  const [, reason] = HALTED.exec(answer) ?? [];
  const pauseFor = reasonSchema.safeParse(reason).data;
  if (pauseFor !== undefined) return { kind: 'halted', pauseFor };
  const [, by = '', row] = HELD.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'held', by: { run: by, row: Number(row) } };
  const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
  return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}

/** JSON that EXCHANGE and the journal are told: a range's rows by number, key and accounts. */
export function intentsText(ranges: readonly Range[], next: readonly Intent[], keys: LedgerKeys): string {
  return JSON.stringify({
    ranges: ranges.map((range) => ({
      ...range,
      rows: range.rows.flatMap((row) => placedRow(row, keys)),
    })),
    rows: next.map(({ identity, fields, ...intent }) => ({
      ...intent,
      key: identity === null ? undefined : keyAt(identity, keys),
      fields: fields === null ? undefined : fieldsOf(fields, keys),
    })),
  });
}

/** Each row with the mark that it asks for. */
export function markedRows(ranges: readonly Range[], next: readonly Intent[]): MarkedRow[] {
  const ranged = ranges.flatMap(({ chunk, fencingToken, rows }) =>
    rows.map(({ row }) => ({ chunk, row, mark: intentMark(fencingToken, row, 1) })),
  );
  return [...ranged, ...next];
}

function placedRow({ row, identity }: RangeRow, keys: LedgerKeys): readonly (string | number)[] {
  if (identity === null) return [row, '', '', ''];
  const { bucket, digest } = identityPlace(keys, identity);
  return [row, bucket, digest, accountPlaces(keys, identity)];
}

function keyAt(identity: KeyPlace, keys: LedgerKeys) {
  const accounts = accountPlaces(keys, identity);
  const place = identityPlace(keys, identity);
  return accounts === '' ? place : { ...place, accounts };
}

function fieldsOf(fields: NonNullable<Intent['fields']>, keys: LedgerKeys) {
  const { before, own } = fields;
  return { ...fieldsPlace(keys, fields), before, own, key: identityPlace(keys, fields) };
}
