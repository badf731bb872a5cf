/**
 * A row's outcome on its way to EXCHANGE and into the journal: an array by position, since hundreds
 * travel in one command. On this side only this file knows the positions; lua/rows.ts has the other
 * side.
 */

import { wasAccepted } from '../model/outcome.ts';
import type { Settlement } from '../model/settlement.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys, NOWHERE } from './keys.ts';
import { isOfShared, type SharedMark, settledMark, sharedMark } from './mark.ts';

export type IdentityChange = KeyPlace & {
  readonly becomes: 'known' | 'in-doubt' | 'given-back';
  readonly id: string;
};

/** Stands for a record's field digests while a take of its row has an update under way. */
export function fieldsUnderWay(taker: string): string {
  return `~${taker}`;
}

export function areFieldsKnown(fields: string): boolean {
  return fields !== '' && !fields.startsWith('~');
}

/** Where the record's field digests are no longer `before`, nothing is known of them. */
export type FieldsChange = KeyPlace & {
  readonly before: string;
  /** `''`: what the service has is unknown. */
  readonly after: string;
};

export type SettledRow = {
  readonly chunk: number;
  readonly settlement: Settlement;
  readonly identity: IdentityChange | null;
  readonly fields: FieldsChange | null;
  /** The row as it was read, where it did not succeed. */
  readonly source: string;
  /** The service's body where it refused (`packBody`). */
  readonly body: string;
  readonly documents: string;
  /** The intent that the settler left or found on the row, `''` for none. */
  readonly mark: string;
  /** The first row of its group, which ends for all; `null`: the row ends by itself. */
  readonly lead: number | null;
};

type SettleEntry =
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

/** Also what the journal's reader makes of a row of a group. */
function entryOf(keys: LedgerKeys, row: SettledRow, text: string): SettleEntry {
  const entry = plainEntry(keys, row, text);
  return row.fields === null ? entry : [...entry, ...fieldsOf(keys, row.fields)];
}

function plainEntry(keys: LedgerKeys, row: SettledRow, text: string): PlainEntry {
  const { settlement, identity } = row;
  const place = identity === null ? null : identityPlace(keys, identity);
  return [
    row.chunk,
    settlement.row,
    settlement.outcome,
    text,
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

/** Whether the service gave a definite answer, a sign that it is well. */
function wasAnswered({ outcome, status }: Settlement): boolean {
  if (wasAccepted(outcome) || outcome === 'rejected' || outcome === 'denied') return true;
  // Also a redirect: somebody answered.
  return outcome === 'failed' && status >= 300 && status < 500 && status !== 429;
}

/** The settler sent nothing of the row and still says how it ended. */
export function isUnsent(entry: SettleEntry): boolean {
  return entry[MARK] === '' && entry[OUTCOME] !== 'in-doubt';
}

/** A journal's entry without its word to the breaker, which is about now. */
export function answeredLongAgo(entry: unknown): unknown {
  return Array.isArray(entry) ? entry.with(ANSWERED, 0) : entry;
}

/** What ended, in the forms of EXCHANGE and of the journal. */
export type ToldRows = {
  /** ARGV of the script: JSON of the others, then the groups. */
  readonly args: readonly (string | number)[];
  /** The rows' places, from 0, in the script's order. */
  readonly order: readonly number[];
  readonly rows: readonly RecordedRow[];
  /** JSON text of the groups for the journal, without brackets; `''`: none. */
  readonly groups: string;
  readonly others: readonly ToldEntry[];
};

/** A row with the text of its settlement, as its chunk's block will have it. */
export type RecordedRow = { readonly chunk: number; readonly row: number; readonly text: string };

type ToldEntry = { readonly place: number; readonly entry: SettleEntry };

/** Rows of one take that were accepted alike: what they share is sent once. */
type Group = {
  readonly chunk: number;
  readonly shared: SharedMark;
  readonly outcome: string;
  readonly places: number[];
  readonly settlements: string[];
  /** Each row's number, the place of its key, its id. */
  readonly rows: (string | number)[];
};

/**
 * Nearly all rows were accepted and keep nothing but settlement and key: those are sent in groups,
 * the others one by one. `isFirst`: no row was in an earlier command that may have been carried
 * out; otherwise each is sent alone.
 */
export function toldRows(keys: LedgerKeys, rows: readonly SettledRow[], isFirst: boolean): ToldRows {
  const recorded: RecordedRow[] = [];
  const groups: Group[] = [];
  const others: ToldEntry[] = [];
  for (const [place, row] of rows.entries()) {
    const { chunk, settlement, identity } = row;
    const text = settledMark(settlement);
    recorded.push({ chunk, row: settlement.row, text });
    if (!isFirst || !isPlain(row)) {
      others.push({ place, entry: entryOf(keys, row, text) });
      continue;
    }
    const group = groupOf(groups, row);
    const { bucket, digest } = identity === null ? NOWHERE : identityPlace(keys, identity);
    group.places.push(place);
    group.settlements.push(text);
    group.rows.push(settlement.row, bucket, digest, (identity?.id ?? '').toWellFormed());
  }
  const args: (string | number)[] = [JSON.stringify(others.map(({ entry }) => entry))];
  const journaled: string[] = [];
  for (const { chunk, shared, outcome, settlements, rows: own } of groups) {
    const together = `[${settlements.join(',')}]`;
    args.push(chunk, shared.text, shared.isNumbered, outcome, together, settlements.length, ...own);
    journaled.push(`[${chunk},${JSON.stringify([shared.text, shared.isNumbered, own])},${together}]`);
  }
  const order = [...groups.flatMap(({ places }) => places), ...others.map(({ place }) => place)];
  return { args, order, rows: recorded, groups: journaled.join(','), others };
}

/** Answers come from a few chunks at a time, in any order. */
function groupOf(groups: Group[], { chunk, mark, settlement }: SettledRow): Group {
  const { row, outcome } = settlement;
  for (const group of groups)
    if (group.chunk === chunk && group.outcome === outcome && isOfShared(mark, row, group.shared))
      return group;
  const group = { chunk, shared: sharedMark(mark, row), outcome, places: [], settlements: [], rows: [] };
  groups.push(group);
  return group;
}

const OUTCOME = 2;
const MARK = 11;
const ANSWERED = 13;

/** The service accepted the row under an intent, and only its settlement and key are kept. */
function isPlain({ settlement, identity, fields, source, body, documents, mark, lead }: SettledRow): boolean {
  if (mark === '' || !wasAccepted(settlement.outcome)) return false;
  if (identity !== null && identity.becomes !== 'known') return false;
  return lead === null && fields === null && source === '' && body === '' && documents === '';
}
