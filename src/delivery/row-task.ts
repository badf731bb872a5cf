/** A row in a worker's hands, its end, and what is recorded of that. */

import type { KeyPlace, Place } from '../engine/ledger/keys.ts';
import type { FieldsChange, SettledRow, Streak } from '../engine/ledger/settle-entry.ts';
import type { AccountClaim, KeyClaim, RowContent } from '../model/identity.ts';
import { type Issue, keptIssue, OF_SENT } from '../model/issue.ts';
import { type Outcome, REMAINDER, succeeded } from '../model/outcome.ts';
import type { Verdict } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { NO_REST, packBody, type Settlement, type Warning } from '../model/settlement.ts';
import { callOfNew, mayRepeat, spaceOf } from '../operations/operations.ts';

export type RowTask = {
  readonly run: Pick<Run, 'id' | 'operation' | 'sha256'>;
  /** By which a row without a key is known; left out: it has a key, or doesn't map. */
  readonly rowContent?: RowContent | undefined;
  /** Of that row: where the identity ledger keeps it. */
  readonly keyDigest?: string | undefined;
  readonly chunk: number;
  readonly row: Row;
  /** The external key, `''` where the row has none. */
  readonly key: string;
  /** The row's key in the identity ledger; `null`: none. */
  readonly identityKey: string | null;
  /** That key where it is the row's own; `null`: it has none, or another row has it. */
  readonly identity: KeyPlace | null;
  readonly claim: KeyClaim;
  /** What its accounts met in their index; left out: the job doesn't ask it. */
  readonly accounts?: AccountClaim | undefined;
  /** The intent that a dead worker left on the row, `''` for none. */
  readonly foundMark: string;
  /** Redis lost something: a lost worker may have sent the row without a trace in the ledger. */
  readonly possiblySent: boolean;
  /** The other rows of its group: they go in its request and end as it does. */
  readonly members: readonly RowTask[];
  /** Of its group (`RowGroup`). */
  readonly keyless: number | null;
};

/** How a request's rows end: what a settlement says beside which row it is. */
export type RowEnd = Pick<Settlement, 'outcome'> &
  Partial<Pick<Settlement, 'status' | 'id' | 'attempts' | 'ms' | 'code' | 'message' | 'values'>> & {
    readonly issues?: readonly Issue[];
    readonly body?: string;
    /** Bytes of the service's body that are not kept. */
    readonly restBytes?: number;
    readonly documents?: string;
    /** What looked damaged in the row that was sent. */
    readonly warnings?: readonly Issue[];
  };

/** `null`: nothing is known of the row's key across runs, or the key is another row's. */
export function ownKey(
  { run, identityKey: key, claim, accounts }: Pick<RowTask, 'run' | 'identityKey' | 'claim' | 'accounts'>,
  placeOf: (key: string) => Place,
): KeyPlace | null {
  const space = spaceOf(run.operation);
  if (space === null || key === null || claim.kind !== 'claimed') return null;
  const own = { space, key, place: placeOf(key) };
  // Most records.
  return accounts === undefined ? own : { ...own, accounts: accounts.named };
}

type Beside = {
  /** The settler's intent on the row; left out: the one that it found. */
  readonly mark?: string;
  readonly content?: string | undefined;
  readonly fields?: FieldsChange | null | undefined;
  readonly streak?: Streak | null;
};

/** As the ledger records it: only rows that did not succeed keep their source record. */
export function settledRow(task: RowTask, end: RowEnd, beside: Beside = {}): SettledRow {
  const { mark = task.foundMark, content = '', fields = null, streak = null } = beside;
  const { row, run, claim } = task;
  // Nobody asks what a row was known by that is at the service.
  const { keyDigest, rowContent } = succeeded(end.outcome) ? NO_IDENTITY : task;
  return {
    chunk: task.chunk,
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
    warnings: end.warnings?.map(keptWarning) ?? NO_REST.warnings,
    keyDigest,
    nth: rowContent?.nth,
    identity: task.identity,
    accounts: doubtedAccounts(task, end),
    content,
    fields,
    source: isKept(row, end.outcome) ? JSON.stringify(row) : '',
    body: packBody({ text: end.body ?? '', restBytes: end.restBytes ?? 0 }),
    documents: end.documents ?? '',
    mark,
    leader: null,
    streak,
    repeatable: claim.kind === 'known' || mayRepeat(callOfNew(run.operation)),
  };
}

/** Whoever settles the doubt says what becomes of them. */
function doubtedAccounts({ identity }: RowTask, { outcome }: RowEnd): readonly string[] | undefined {
  return outcome === 'in-doubt' ? identity?.accounts : undefined;
}

function keptWarning({ code, column, values }: Issue): Warning {
  const kept = { code, column };
  return OF_SENT.has(code) && values !== undefined ? { ...kept, values } : kept;
}

const NO_IDENTITY: Pick<RowTask, 'keyDigest' | 'rowContent'> = {};

function isKept({ line }: Row, outcome: Outcome): boolean {
  // Line 0: the row was made up, since its file is gone.
  return line > 0 && (REMAINDER[outcome] !== 'none' || outcome === 'cancelled');
}

export type Retry = Extract<Verdict, { kind: 'retry' }>;
export type Final = Exclude<Verdict, { kind: 'retry' | 'stop' }>;

export function endOf(verdict: Final, attempts: number, ms: number): RowEnd {
  switch (verdict.kind) {
    case 'accepted': {
      const { outcome, status, warning } = verdict;
      const [id, documents] = [verdict.id ?? '', verdict.documents ?? ''];
      const code = warning === null ? '' : 'warning';
      return { outcome, status, id, attempts, ms, code, message: warning ?? '', documents };
    }
    case 'refused': {
      const { outcome, status, code, message, body, restBytes = 0 } = verdict;
      return { outcome, status, attempts, ms, code, message, body, restBytes };
    }
    case 'unknown': {
      const { code, givenId = '' } = verdict;
      const given = givenId === '' ? '' : ` It gave ${JSON.stringify(givenId)}.`;
      const message = verdict.message + given;
      return { outcome: 'in-doubt', status: verdict.status ?? 0, attempts, ms, code, message };
    }
    default:
      return verdict satisfies never;
  }
}

/** A limit on the caller: it concerns all rows, and says nothing of this one. */
export function isLimit({ status, otherwise }: Retry): boolean {
  return status === 429 || otherwise !== undefined;
}

export function gaveUp({ status, code, message, otherwise }: Retry, attempts: number): RowEnd {
  if (otherwise !== undefined) return endOf(otherwise, attempts, 0);
  const why = `gave up after ${attempts} attempts: ${message}`;
  return { outcome: 'failed', status: status ?? 0, attempts, code, message: why };
}
