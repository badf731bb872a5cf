/**
 * A row's outcome on its way to the script EXCHANGE and into the journal: an array by position, since hundreds travel in one command and
 * names would cost more than the rest. Here alone stands which position means what, on this side; lua/rows.ts has the other.
 */

import { groupAdjacent } from '../lib/batches.ts';
import { wasAccepted } from '../model/outcome.ts';
import type { Settlement } from '../model/settlement.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import { type SharedMark, settledMark, sharedMark } from './mark.ts';
import type { RecordedRow } from './open-chunk.ts';

/** What becomes of the row's key. */
export type IdentityChange = {
  readonly space: string;
  readonly key: string;
  readonly becomes: 'known' | 'in-doubt' | 'given-back';
  readonly id: string;
};

/** What stands for the digests of a record's fields while a take of its row has an update under way. */
export function fieldsUnderWay(taker: string): string {
  return `~${taker}`;
}

/** Whether the digests say what the service has. */
export function areFieldsKnown(fields: string): boolean {
  return fields !== '' && !fields.startsWith('~');
}

/** What becomes of the digests of the record's fields: they are as `before`, or another row has changed them since and nothing is known. */
export type FieldsChange = KeyPlace & {
  readonly before: string;
  /** `''`: what the service has is not known any more. */
  readonly after: string;
};

/** A row's outcome with all that is kept of it. */
export type SettledRow = {
  readonly chunk: number;
  readonly settlement: Settlement;
  readonly identity: IdentityChange | null;
  readonly fields: FieldsChange | null;
  /** The row as it was read, where it did not succeed. */
  readonly source: string;
  /** The service's body where it refused (`packBody`). */
  readonly body: string;
  /** JSON text of the document records, for `payment.documents`. */
  readonly documents: string;
  /** The intent that the settler left or found on the row, `''` for none. */
  readonly mark: string;
  /** The first row of its group, whose intent and outcome are this row's too; `null`: it has its own. */
  readonly lead: number | null;
};

/** A settled row as the script EXCHANGE and the journal have it. */
export type SettleEntry =
  | PlainEntry
  | readonly [...PlainEntry, fieldsBucket: string, fieldsDigest: string, before: string, after: string];

type PlainEntry = readonly [
  chunk: number,
  row: number,
  outcome: string,
  settlement: string,
  bucket: string,
  digest: string,
  identity: string,
  id: string,
  source: string,
  body: string,
  documents: string,
  mark: string,
  accepted: 0 | 1,
  answered: 0 | 1,
  lead: number,
];

const IDENTITY_LETTER = { known: 'k', 'in-doubt': 'd', 'given-back': 'x' } as const;

export function settleEntry(keys: LedgerKeys, row: SettledRow): SettleEntry {
  const entry = plainEntry(keys, row);
  return row.fields === null ? entry : [...entry, ...fieldsOf(keys, row.fields)];
}

function plainEntry(keys: LedgerKeys, row: SettledRow): PlainEntry {
  const { settlement, identity } = row;
  const place = identity === null ? null : identityPlace(keys, identity);
  return [
    row.chunk,
    settlement.row,
    settlement.outcome,
    settledMark(settlement),
    place?.bucket ?? '',
    place?.digest ?? '',
    identity === null ? '' : IDENTITY_LETTER[identity.becomes],
    // Redis' JSON refuses half a surrogate pair, and with it the whole batch.
    (identity?.id ?? '').toWellFormed(),
    row.source,
    row.body,
    row.documents,
    row.mark,
    wasAccepted(settlement.outcome) ? 1 : 0,
    wasAnswered(settlement) ? 1 : 0,
    row.lead ?? 0,
  ];
}

function fieldsOf(keys: LedgerKeys, change: FieldsChange): readonly [string, string, string, string] {
  const { bucket, digest } = fieldsPlace(keys, change);
  return [bucket, digest, change.before, change.after];
}

/** Whether the row ended with a definite answer of the service, a sign that it is well. */
function wasAnswered({ outcome, status }: Settlement): boolean {
  if (wasAccepted(outcome) || outcome === 'rejected' || outcome === 'denied') return true;
  // A redirect too: whoever answers so is there.
  return outcome === 'failed' && status >= 300 && status < 500 && status !== 429;
}

/** Whether the row's settler has sent nothing of it, and says how it ended nevertheless. */
export function isUnsent(entry: SettleEntry): boolean {
  return entry[MARK] === '' && entry[OUTCOME] !== 'in-doubt';
}

/** The row with its settlement as its chunk's block will have it. */
export function recordedRow(entry: SettleEntry): RecordedRow {
  return { chunk: entry[CHUNK], row: entry[ROW], mark: entry[SETTLEMENT] };
}

/** The entry of a journal as one that says nothing to the breaker of now, whatever the service answered then. */
export function answeredLongAgo(entry: unknown): unknown {
  return Array.isArray(entry) ? entry.with(ANSWERED, 0) : entry;
}

/**
 * ARGV of the script EXCHANGE for what ended, and the entries in the order in which it counts them. `isFirst`: none of them was sent
 * before, in a command that may have been carried out; those are told one by one, and looked at.
 */
export function settleArguments(
  entries: readonly SettleEntry[],
  isFirst: boolean,
): {
  readonly args: readonly (string | number)[];
  readonly order: readonly SettleEntry[];
} {
  const plain: MarkedEntry[] = [];
  const others: SettleEntry[] = [];
  for (const entry of entries) {
    if (isFirst && isPlain(entry)) plain.push({ entry, shared: sharedMark(entry[MARK], entry[ROW]) });
    else others.push(entry);
  }
  const args: (string | number)[] = [JSON.stringify(others)];
  for (const group of groupAdjacent(plain, areOfOneTake)) {
    const { entry: first, shared } = group[0];
    const settlements = `[${group.map(({ entry }) => entry[SETTLEMENT]).join(',')}]`;
    args.push(first[CHUNK], shared.text, shared.isNumbered, first[OUTCOME], settlements, group.length);
    for (const { entry } of group) args.push(entry[ROW], entry[BUCKET], entry[DIGEST], entry[ID]);
  }
  return { args, order: [...plain.map(({ entry }) => entry), ...others] };
}

type MarkedEntry = { readonly entry: SettleEntry; readonly shared: SharedMark };

// By index: to take a row's entry apart by a pattern costs several times as much.
const CHUNK = 0;
const ROW = 1;
const OUTCOME = 2;
const SETTLEMENT = 3;
const BUCKET = 4;
const DIGEST = 5;
const BECOMES = 6;
const ID = 7;
const SOURCE = 8;
const BODY = 9;
const DOCUMENTS = 10;
const MARK = 11;
const ACCEPTED = 12;
const ANSWERED = 13;
const LEAD = 14;
const LENGTH_WITHOUT_FIELDS = 15;

/** Whether the service accepted the row under an intent, and nothing is kept of it but its settlement and its key's identity. */
function isPlain(entry: SettleEntry): boolean {
  if (entry[MARK] === '' || entry[ACCEPTED] !== 1 || entry[ANSWERED] !== 1) return false;
  if (entry[BUCKET] !== '' && entry[BECOMES] !== 'k') return false;
  const isAlone = entry[LEAD] === 0 && entry.length === LENGTH_WITHOUT_FIELDS;
  return isAlone && entry[SOURCE] === '' && entry[BODY] === '' && entry[DOCUMENTS] === '';
}

function areOfOneTake({ entry: a, shared: x }: MarkedEntry, { entry: b, shared: y }: MarkedEntry): boolean {
  const isOneMark = x.text === y.text && x.isNumbered === y.isNumbered;
  return isOneMark && a[CHUNK] === b[CHUNK] && a[OUTCOME] === b[OUTCOME];
}
