/**
 * What becomes of a row that would create a record where another row has one of its accounts: under
 * another name it is held where the job says so, since money would go to who has the account; under
 * the same name it is perhaps the same payee under another key, which is told.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { type AccountClaim, type AccountHolder, isAnothers } from '../model/identity.ts';
import type { Issue, Values } from '../model/issue.ts';
import type { Row } from '../model/row.ts';
import type { RowEnd } from './row-task.ts';

type Accounts = AccountClaim | undefined;
type Guard = JobDefinition['guard']['accounts'];
type Place = Pick<Row, 'row' | 'line'>;

/** `null`: it may go, as far as accounts are concerned. */
export function heldForAccount(accounts: Accounts, guard: Guard): RowEnd | null {
  const other = accounts?.other;
  const isHeld = guard === 'hold' && other !== undefined && isAnothers(other);
  if (!isHeld) return null;
  return {
    outcome: 'invalid',
    code: 'account_shared',
    message: wordsOf(other),
    values: valuesOf(other),
  };
}

/** Of a row that is sent; `null`: there is nothing to tell. */
export function warningOfAccount(accounts: Accounts, { row, line }: Place): Issue | null {
  const other = accounts?.other;
  if (other === undefined) return null;
  return {
    row,
    line,
    column: null,
    value: null,
    expected: `an account that no other payee has; ${wordsOf(other)}`,
    values: valuesOf(other),
    code: other.isSameName ? 'payee_repeated' : 'account_shared',
  };
}

function wordsOf({ run, isSameName }: AccountHolder): string {
  const where = run === null ? 'this file' : 'run {run}';
  const name = isSameName ? SAME : ANOTHER;
  return `row {row} of ${where} has ${name}`;
}

const SAME = 'this account and this name under another key';
const ANOTHER = 'this account under another name';

function valuesOf({ run, row }: AccountHolder): Values {
  const ofRow = { row: String(row) };
  return run === null ? ofRow : { ...ofRow, run };
}
