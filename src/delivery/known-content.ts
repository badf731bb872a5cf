/**
 * What becomes of a row by what is known of records. Of a known key: whether the row says the same,
 * and whether money would go elsewhere; nothing of it is sent again, so that what differs is told.
 * Of a new key: whether another payee has its account. Where the job says so, both are held.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { type AccountsCompared, compareContent, hasAccounts } from '../model/content.ts';
import { type AccountClaim, type AccountHolder, isAnothers } from '../model/identity.ts';
import type { Issue, Values } from '../model/issue.ts';
import type { JsonObject } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import type { RowEnd } from './row-task.ts';

/** A row against what the service has. `accounts`: of those that differ. */
export type Change =
  | { readonly kind: 'new' | 'unchanged' }
  /** `isAccountKnown`: the row's accounts are those that were sent. */
  | { readonly kind: 'unknown'; readonly isAccountKnown: boolean }
  /** `body`: the fields that differ, where they are known one by one. */
  | {
      readonly kind: 'changed';
      readonly accounts: AccountsCompared;
      readonly body?: JsonObject;
    };

export const NEW: Change = { kind: 'new' };
export const UNCHANGED: Change = { kind: 'unchanged' };
export const NOT_KNOWN: Change = { kind: 'unknown', isAccountKnown: false };

/** `now`: the row's content; `known`: absent where nothing is known. */
export function changeOf(now: string, known: string | undefined): Change {
  const compared = compareContent(known ?? '', now);
  if (compared === null) return NOT_KNOWN;
  const { isSame, accounts } = compared;
  if (isSame === true) return UNCHANGED;
  if (isSame === null && accounts === 'same') return { kind: 'unknown', isAccountKnown: true };
  return { kind: 'changed', accounts };
}

type Known = {
  readonly row: Pick<Row, 'row' | 'line'>;
  /** Which created the record. */
  readonly run: string;
  /** The record's, at the service. */
  readonly id: string;
  readonly now: string;
  readonly change: Change;
};

type Guard = JobDefinition['guard']['accounts'];

/** How a row of a known key ends that isn't sent. */
export function endOfKnown(known: Known, guard: Guard): RowEnd {
  const { run, id, change } = known;
  const values = { run, ...(id !== '' && { id }) };
  if (isHeld(change, guard)) {
    const message = id === '' ? HELD : `${HELD} as {id}`;
    return { outcome: 'invalid', code: 'account_changed', message, values };
  }
  const given = id === '' ? {} : { id };
  const message = `already created by run {run}${SAID[change.kind]}`;
  const warning = warningOf(known, guard);
  return {
    outcome: 'skipped',
    ...given,
    code: 'key_known',
    message,
    values: { run },
    ...(warning !== null && { warnings: [warning] }),
  };
}

const HELD = 'the row has another account than is known of the record that run {run} created';

const SAID: Readonly<Record<Change['kind'], string>> = {
  new: '',
  unchanged: ' with this content',
  changed: ' with other content, and this was not sent',
  unknown: '; its content is not known',
};

function isHeld(change: Change, guard: Guard): boolean {
  if (guard !== 'hold') return false;
  return change.kind === 'changed' && change.accounts === 'changed';
}

function warningOf(known: Known, guard: Guard): Issue | null {
  const { row, run } = known;
  const code = warningCode(known, guard);
  if (code === null) return null;
  return {
    row: row.row,
    line: row.line,
    column: null,
    value: null,
    expected: EXPECTED[code],
    values: { run },
    code,
  };
}

type WarningCode = 'account_changed' | 'account_added' | 'account_not_known' | 'changed_not_sent';

const CREATED = 'with which run {run} created the record';

const EXPECTED: Readonly<Record<WarningCode, string>> = {
  account_changed: `the account ${CREATED}; this one was not sent`,
  account_added: `the accounts ${CREATED}; the further one was not sent`,
  account_not_known:
    'an account that is known: ' + 'what run {run} sent is not, so this one is compared with none',
  changed_not_sent: `the content ${CREATED}; what differs was not sent`,
};

function warningCode({ change, now }: Known, guard: Guard): WarningCode | null {
  const isGuarded = guard !== 'off';
  switch (change.kind) {
    case 'unknown':
      return isGuarded && !change.isAccountKnown && hasAccounts(now) ? 'account_not_known' : null;
    case 'changed':
      return isGuarded ? CODES[change.accounts] : 'changed_not_sent';
    default:
      return null;
  }
}

const CODES: Readonly<Record<AccountsCompared, WarningCode>> = {
  same: 'changed_not_sent',
  removed: 'changed_not_sent',
  added: 'account_added',
  restated: 'account_changed',
  changed: 'account_changed',
};

type Accounts = AccountClaim | undefined;

/** `null`: it may go, as far as accounts are concerned. */
export function heldForAccount(accounts: Accounts, guard: Guard): RowEnd | null {
  const other = accounts?.other;
  const isHeld = guard === 'hold' && other !== undefined && isAnothers(other);
  if (!isHeld) return null;
  return {
    outcome: 'invalid',
    code: 'account_shared',
    message: holderWords(other),
    values: holderValues(other),
  };
}

/** Of a row that is sent; `null`: there is nothing to tell. */
export function warningOfAccount(accounts: Accounts, { row, line }: Known['row']): Issue | null {
  const other = accounts?.other;
  if (other === undefined) return null;
  return {
    row,
    line,
    column: null,
    value: null,
    expected: `an account that no other payee has; ${holderWords(other)}`,
    values: holderValues(other),
    code: other.isSameName ? 'payee_repeated' : 'account_shared',
  };
}

function holderWords({ run, isSameName }: AccountHolder): string {
  const where = run === null ? 'this file' : 'run {run}';
  const name = isSameName ? SAME : ANOTHER;
  return `row {row} of ${where} has ${name}`;
}

const SAME = 'this account and this name under another key';
const ANOTHER = 'this account under another name';

function holderValues({ run, row }: AccountHolder): Values {
  const ofRow = { row: String(row) };
  return run === null ? ofRow : { ...ofRow, run };
}
