/** A row in a worker's hands, its end, and what is recorded of that. */

import type { KeyPlace, Place } from '../ledger/keys.ts';
import type { FieldsChange, IdentityChange, SettledRow } from '../ledger/settle-entry.ts';
import type { KeyClaim } from '../model/identity.ts';
import { type Issue, keptIssue } from '../model/issue.ts';
import { type Call, mayRepeat, type Operation, spaceOf } from '../model/operation.ts';
import { KEY_AFTER, type Outcome, REMAINDER } from '../model/outcome.ts';
import type { Verdict } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { NO_REST, packBody, type Settlement } from '../model/settlement.ts';

export type RowTask = {
  readonly run: Pick<Run, 'id' | 'operation' | 'sha256'>;
  readonly chunk: number;
  readonly row: Row;
  /** The external key, `''` where the row has none. */
  readonly key: string;
  /** The row's key in the identity ledger; `null`: none. */
  readonly identityKey: string | null;
  /** Where the ledger has that key, computed once. */
  readonly place?: Place | undefined;
  readonly claim: KeyClaim;
  /** The intent that a dead worker left on the row, `''` for none. */
  readonly foundMark: string;
  /** Redis lost something: a lost worker may have sent the row without a trace in the ledger. */
  readonly suspect: boolean;
};

export type RowEnd = Pick<Settlement, 'outcome'> &
  Partial<Pick<Settlement, 'status' | 'id' | 'attempts' | 'ms' | 'code' | 'message' | 'values'>> & {
    readonly issues?: readonly Issue[];
    readonly body?: string;
    /** Bytes of the service's body that are not kept. */
    readonly restBytes?: number;
    readonly documents?: string;
    /** What looked damaged in the row that was sent. */
    readonly warnings?: readonly Issue[];
    /** What the service has of the record's fields now. */
    readonly fields?: FieldsChange;
  };

/**
 * As the ledger records it: only rows that did not succeed keep their source record. `mark`: the
 * settler's intent on the row.
 */
export function settledRow(task: RowTask, end: RowEnd, mark: string = task.foundMark): SettledRow {
  const { row, run, claim } = task;
  return {
    chunk: task.chunk,
    settlement: {
      row: row.row,
      line: row.line,
      key: task.key,
      outcome: end.outcome,
      status: end.status ?? 0,
      id: end.id ?? '',
      attempts: end.attempts ?? 0,
      ms: Math.round(end.ms ?? 0),
      code: end.code ?? '',
      message: end.message ?? '',
      values: end.values ?? NO_REST.values,
      issues: end.issues?.map(keptIssue) ?? NO_REST.issues,
      warnings: end.warnings?.map(({ code, column }) => ({ code, column })) ?? NO_REST.warnings,
    },
    identity: identityChange(task, end),
    fields: end.fields ?? null,
    source: isKept(row, end.outcome) ? JSON.stringify(row) : '',
    body: packBody({ text: end.body ?? '', restBytes: end.restBytes ?? 0 }),
    documents: end.documents ?? '',
    mark,
    lead: null,
    repeatable: claim.kind === 'known' || mayRepeat(callOfClaimed(run.operation)),
  };
}

/** The call of a row that has its key; a key that is known makes an update of it. */
export function callOfClaimed(operation: Operation): Call {
  return operation === 'subclient.upsert' ? 'subclient.create' : operation;
}

function isKept({ line }: Row, outcome: Outcome): boolean {
  // Line 0: the row was made up, since its file is gone.
  return line > 0 && (REMAINDER[outcome] !== 'none' || outcome === 'cancelled');
}

/** The row's own key; `null`: it has none, or another row has it. */
export function ownKey({ run, claim, identityKey: key, place }: RowTask): KeyPlace | null {
  const space = spaceOf(run.operation);
  return space === null || key === null || claim.kind !== 'claimed' ? null : { space, key, place };
}

function identityChange(task: RowTask, end: RowEnd): IdentityChange | null {
  const own = ownKey(task);
  if (own === null) return null;
  const { space, key, place } = own;
  const becomes = KEY_AFTER[end.outcome];
  // Written out: spreading an object costs a row two microseconds.
  return { space, key, place, becomes, id: becomes === 'known' ? (end.id ?? '') : '' };
}

export type Retry = Extract<Verdict, { kind: 'retry' }>;
export type Final = Exclude<Verdict, { kind: 'retry' | 'stop' }>;

export function endOf(verdict: Final): RowEnd {
  switch (verdict.kind) {
    case 'accepted':
      return acceptedEnd(verdict);
    case 'refused': {
      const { outcome, status, code, message, body, restBytes } = verdict;
      const end: RowEnd = { outcome, status, code, message, body };
      return restBytes === undefined ? end : { ...end, restBytes };
    }
    case 'unknown': {
      const { status, code, message, givenId = '' } = verdict;
      const whole = givenId === '' ? message : `${message} It gave ${JSON.stringify(givenId)}.`;
      return { outcome: 'in-doubt', status: status ?? 0, code, message: whole };
    }
    default:
      return verdict satisfies never;
  }
}

export function acceptedEnd(
  { outcome, status, id, warning, documents }: Extract<Final, { kind: 'accepted' }>,
  attempts = 0,
  ms = 0,
): RowEnd {
  return {
    outcome,
    status,
    id: id ?? '',
    attempts,
    ms,
    code: warning === null ? '' : 'warning',
    message: warning ?? '',
    documents: documents ?? '',
  };
}

export function gaveUp(verdict: Retry, made: number): RowEnd {
  return {
    outcome: 'failed',
    status: verdict.status ?? 0,
    code: verdict.code,
    message: `gave up after ${made} attempts: ${verdict.message}`,
  };
}
