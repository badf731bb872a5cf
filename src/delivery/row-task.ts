import type { FieldsChange, IdentityChange, SettledRow } from '../ledger/settle-entry.ts';
import type { KeyClaim } from '../model/identity.ts';
import type { Issue } from '../model/issue.ts';
import { IDENTITY } from '../model/operation.ts';
import { type Outcome, REMAINDER } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { warningWord } from '../model/settlement.ts';

/** One row in a worker's hands. */
export type RowTask = {
  readonly run: Pick<Run, 'id' | 'operation' | 'sha256'>;
  readonly chunk: number;
  readonly row: Row;
  /** The external key, `''` where the row has none. */
  readonly key: string;
  /** What the identity ledger knows the row by; `null`: nothing. */
  readonly identityKey: string | null;
  readonly claim: KeyClaim;
  /** The intent that a dead worker left on the row, `''` for none. */
  readonly foundMark: string;
  /** Redis has lost something: a worker that is gone may have sent the row although the ledger doesn't say so. */
  readonly suspect: boolean;
};

/** What is to be recorded of a row's end; the rest comes from the task. */
export type RowEnd = {
  readonly outcome: Outcome;
  readonly status?: number;
  readonly id?: string;
  readonly attempts?: number;
  readonly ms?: number;
  readonly code?: string;
  readonly message?: string;
  readonly body?: string;
  readonly documents?: string;
  /** What looked damaged in the row that was sent. */
  readonly warnings?: readonly Issue[];
  /** What the service has of the record's fields by now. */
  readonly fields?: FieldsChange;
};

/**
 * The row's end as the ledger records it: only rows that did not succeed keep their source record.
 * `mark` is the intent that stands on the row for the one who settles it.
 */
export function settledRow(task: RowTask, end: RowEnd, mark: string = task.foundMark): SettledRow {
  const { row } = task;
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
      warnings: end.warnings === undefined ? '' : warningWords(end.warnings),
    },
    identity: identityChange(task, end),
    fields: end.fields ?? null,
    source: isKept(row, end.outcome) ? JSON.stringify(row) : '',
    body: end.body ?? '',
    documents: end.documents ?? '',
    mark,
    lead: null,
  };
}

function warningWords(warnings: readonly Issue[]): string {
  return warnings.map(({ code, column }) => warningWord(code, column)).join(' ');
}

function isKept({ line }: Row, outcome: Outcome): boolean {
  // A row on no line was made up: its file was gone.
  return line > 0 && (REMAINDER[outcome] !== 'none' || outcome === 'cancelled');
}

/** The key stays claimed while its outcome is not known, and is free again where nothing was created. */
function identityChange(task: RowTask, end: RowEnd): IdentityChange | null {
  const space = IDENTITY[task.run.operation];
  if (space === null || task.identityKey === null || task.claim.kind !== 'claimed') return null;
  const key = task.identityKey;
  if (end.outcome === 'created' || end.outcome === 'drafted') {
    return { space, key, becomes: 'known', id: end.id ?? '' };
  }
  if (end.outcome === 'in-doubt') return { space, key, becomes: 'in-doubt', id: '' };
  return { space, key, becomes: 'given-back', id: '' };
}
