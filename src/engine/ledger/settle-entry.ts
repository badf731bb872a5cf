/**
 * Rows that ended, in the one form that EXCHANGE and the journal are told: JSON. What a take sent
 * in its chunk's order and the service accepted is told together, every other row as an entry.
 */

import type { Seal } from '../../lib/seal.ts';
import { KEY_AFTER, type Outcome, wasAccepted } from '../../model/outcome.ts';
import type { Reason } from '../../model/run.ts';
import { type Settlement, wasAnswered } from '../../model/settlement.ts';
import {
  accountPlaces,
  fieldsPlace,
  identityPlace,
  type KeptOfRow,
  type KeyPlace,
  keptPlace,
  type LedgerKeys,
  type Place,
} from './keys.ts';
import { firstIntentIn, settledMark, settledTogether, tokenInOrder } from './mark.ts';
import { protocol } from './protocol.ts';
import type { BodyTeller, ToldBody } from './refusal-bodies.ts';

/** Stands for a record's field digests while a take of its row has an update under way. */
export function fieldsUnderWay(token: string): string {
  return protocol.fieldsUnknown + token;
}

export function areFieldsKnown(fields: string): boolean {
  return fields !== '' && !fields.startsWith(protocol.fieldsUnknown);
}

/**
 * What the service has of a record that a job updates. Where the record's field digests are no
 * longer `before`, nothing is known of them.
 */
export type FieldsChange = KeyPlace & {
  readonly before: string;
  /** `''`: none is known by itself. */
  readonly after: string;
  /** Of the whole record then (model/content.ts); `''`: not known. */
  readonly content: string;
};

/** A settlement, and what is kept beside it. */
export type SettledRow = Settlement & {
  readonly chunk: number;
  /** The row's own key, whose claim its outcome changes (`KEY_AFTER`); `null`: it has none. */
  readonly identity: KeyPlace | null;
  /** What the service has of the record that it accepted (model/content.ts); `''`: not known. */
  readonly content: string;
  readonly fields: FieldsChange | null;
  /** The row as it was read, where it did not succeed. */
  readonly source: string;
  /** The service's body where it refused (`packBody`). */
  readonly body: string;
  readonly documents: string;
  /** The intent that the settler left or found on the row, `''` for none. */
  readonly mark: string;
  /** The first row of its group, which ends for all; `null`: the row ends by itself. */
  readonly leader: number | null;
  /** The row's call may be repeated. */
  readonly repeatable: boolean;
  /** `null`: its answer says nothing of other rows. */
  readonly streak: Streak | null;
};

/** An answer that, so many times in a row over all workers, pauses its run. */
export type Streak = {
  readonly of: string;
  readonly limit: number;
  readonly reason: Reason;
};

/** One row by itself. What is left out is empty. */
type SettleEntry = {
  readonly chunk: number;
  readonly row: number;
  readonly outcome: Outcome;
  /** JSON text, as the chunk's block will have it. */
  readonly settlement: string;
  /** `''`: the settler neither left nor found an intent. */
  readonly mark: string;
  /** The row's key and what becomes of its claim: known, in doubt, given back. */
  readonly key?: KeyEnd | undefined;
  readonly source?: string | undefined;
  readonly body?: ToldBody | undefined;
  readonly documents?: string | undefined;
  /** The service accepted the row. */
  readonly accepted?: 1 | undefined;
  /** It answered just now, a sign that it is well. */
  readonly answered?: 1 | undefined;
  /** The first row of the group, its leader. */
  readonly lead?: number | undefined;
  /** A take that gave the row up is believed even where a lost worker may have sent it. */
  readonly repeatable?: 1 | undefined;
  /** Another take may have sent it: its refusal ends no doubt. */
  readonly shared?: 1 | undefined;
  readonly streak?: Streak | undefined;
  readonly fields?: FieldsEnd | undefined;
};

type KeyEnd = Place & {
  readonly becomes: Becomes;
  readonly id: string;
  readonly content: string;
  /** Places of the row's accounts (`accountPlaces`). */
  readonly accounts?: string;
};

/** `key`: the place of the record's key. */
type FieldsEnd = Place & Pick<FieldsChange, 'before' | 'after' | 'content'> & { readonly key: Place };

const BECOMES = {
  known: protocol.known,
  'in-doubt': protocol.doubted,
  'given-back': protocol.givenBack,
} as const;
type Becomes = (typeof BECOMES)[keyof typeof BECOMES];

function entryOf(keys: LedgerKeys, row: SettledRow, body: ToldBody | undefined, seal: Seal): SettleEntry {
  const { chunk, outcome, fields, mark, leader } = row;
  const kept = (what: KeptOfRow, text: string) =>
    text === '' ? undefined : seal.text(keptPlace(what, row.row), text);
  return {
    chunk,
    row: row.row,
    outcome,
    settlement: settledMark(row, seal),
    mark,
    key: keyOf(keys, row),
    source: kept('sources', row.source),
    body,
    documents: kept('documents', row.documents),
    accepted: wasAccepted(outcome) ? 1 : undefined,
    answered: wasAnswered(row) ? 1 : undefined,
    lead: leader ?? undefined,
    repeatable: row.repeatable ? 1 : undefined,
    shared: isShared(row) && row.outcome !== 'in-doubt' ? 1 : undefined,
    streak: row.streak ?? undefined,
    fields: fields === null ? undefined : fieldsOf(keys, fields),
  };
}

function keyOf(keys: LedgerKeys, row: SettledRow): KeyEnd | undefined {
  const { identity, outcome, id, content } = row;
  if (identity === null) return undefined;
  const becomes = BECOMES[KEY_AFTER[outcome]];
  const accounts = accountPlaces(keys, identity);
  const place = { ...identityPlace(keys, identity), becomes, ...(accounts !== '' && { accounts }) };
  if (becomes !== protocol.known) return { ...place, id: '', content: '' };
  // Redis' JSON refuses half a surrogate pair, and with it the whole batch.
  return { ...place, id: id.toWellFormed(), content };
}

function fieldsOf(keys: LedgerKeys, change: FieldsChange): FieldsEnd {
  const { before, after, content } = change;
  return { ...fieldsPlace(keys, change), before, after, content, key: identityPlace(keys, change) };
}

/** The settler sent nothing of the row and still says how it ended. */
function isUnsent({ mark, outcome }: SettledRow): boolean {
  return mark === '' && outcome !== 'in-doubt';
}

/** Another take may send it too, by its idempotency header. */
function isShared({ mark, outcome }: SettledRow): boolean {
  return firstIntentIn(mark) !== null && !wasAccepted(outcome);
}

/** Rows of one take that were accepted alike. */
type Together = {
  readonly chunk: number;
  readonly fencingToken: string;
  readonly outcome: Outcome;
  readonly settlements: SettledRow[];
  /** Each row's number, the place of its key, its id, its content, the places of its accounts. */
  readonly rows: (string | number)[];
};

export type ToldEnds = {
  /** JSON: `together`, then `rows`, entries; the journal has them before Redis does. */
  readonly ended: string;
  /**
   * Entries of which their settler sent nothing, or not all: the journal has them only
   * once Redis does. Else another sends the row, which no replay may end.
   */
  readonly unsent: readonly SettleEntry[];
  readonly bodies: readonly ToldBody[];
};

type Telling = { readonly isFirst: boolean; readonly seal: Seal; readonly bodies: BodyTeller };

/**
 * Nearly all rows are told together. `isFirst`: none of them was in an earlier command that may
 * have been carried out; otherwise each is an entry.
 */
export function tellEnds(
  keys: LedgerKeys,
  ended: readonly SettledRow[],
  { isFirst, seal, bodies }: Telling,
): ToldEnds {
  const groups: Together[] = [];
  const rows: SettleEntry[] = [];
  const unsent: SettleEntry[] = [];
  const bodyOf = bodies.begin({ keys, seal });
  for (const row of ended) {
    const token = isFirst && isPlain(row) ? tokenInOrder(row.mark, row.row) : null;
    if (token === null) {
      const list = isUnsent(row) || isShared(row) ? unsent : rows;
      list.push(entryOf(keys, row, bodyOf(row), seal));
      continue;
    }
    const group = groupOf(groups, row, token);
    group.settlements.push(row);
    group.rows.push(row.row, ...keyCells(keys, row));
  }
  const together = groups.map((group) => ({
    ...group,
    settlements: settledTogether(group.settlements, seal),
  }));
  const told = rows.flatMap(({ body }) => body ?? []);
  return { ended: JSON.stringify({ together, rows }), unsent, bodies: told };
}

function keyCells(keys: LedgerKeys, { identity, id, content }: SettledRow): readonly string[] {
  if (identity === null) return ['', '', '', content, ''];
  const { bucket, digest } = identityPlace(keys, identity);
  return [bucket, digest, id.toWellFormed(), content, accountPlaces(keys, identity)];
}

/** Answers come from a few chunks at a time, in any order. */
function groupOf(groups: Together[], { chunk, outcome }: SettledRow, fencingToken: string): Together {
  for (const group of groups)
    if (group.chunk === chunk && group.outcome === outcome && group.fencingToken === fencingToken)
      return group;
  const group = { chunk, fencingToken, outcome, settlements: [], rows: [] };
  groups.push(group);
  return group;
}

/** The service accepted the row under an intent, and only its settlement and key are kept. */
function isPlain({ outcome, identity, fields, source, body, documents, mark, leader }: SettledRow): boolean {
  if (mark === '' || !wasAccepted(outcome)) return false;
  if (identity !== null && KEY_AFTER[outcome] !== 'known') return false;
  return leader === null && fields === null && source === '' && body === '' && documents === '';
}
