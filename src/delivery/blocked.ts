/** How a row ends that is not sent, since another row is in its way. */
import type { JobDefinition } from '../config/job-definition.ts';
import type { KeyClaim } from '../model/identity.ts';
import type { Issue, Values } from '../model/issue.ts';
import { MAX_GROUP_ROWS } from '../model/row-group.ts';
import type { RowEnd } from './row-task.ts';

type Ended = { readonly kind: 'end'; readonly end: RowEnd };

type Blocking = Exclude<KeyClaim, { kind: 'claimed' | 'known' }>;

export function blockedBy(claim: Blocking, definition: JobDefinition): Ended {
  switch (claim.kind) {
    case 'duplicate':
      return duplicateEnd(claim, definition);
    case 'alike':
      return blocked('key_alike', alikeWords(claim), claim);
    case 'apart':
      return blocked('group_apart', APART, claim);
    case 'held': {
      const has = `row {row} of run {run} has this ${definition.key === undefined ? 'content' : 'key'} and`;
      return claim.inDoubt
        ? blocked('key_in_doubt', `${has} its outcome is in doubt`, claim)
        : blocked('key_held', `${has} is not done yet${heldWords(claim)}`, claim);
    }
    default:
      return claim satisfies never;
  }
}

function duplicateEnd(claim: OtherRow, { key, group }: JobDefinition): Ended {
  if (key === undefined) return blocked('same_row', 'row {row} of this file says the same', claim);
  if (group !== undefined) return blocked('group_too_large', TOO_MANY, claim);
  return blocked('duplicate_key', 'the same key is in row {row} of this file', claim);
}

type OtherRow = { readonly row: number; readonly run?: string | null };

export function blocked(code: Issue['code'], message: string, { row, run }: OtherRow): Ended {
  const ofRun = run === undefined || run === null ? {} : { run };
  return unsendable(code, message, { row: String(row), ...ofRun });
}

function alikeWords({ run }: Extract<KeyClaim, { kind: 'alike' }>): string {
  const other = run === null ? 'row {row} of this file' : 'row {row} of run {run}';
  return `${other} has this key, written otherwise`;
}

/** Advice about the run that has the key. */
function heldWords({ state }: Extract<KeyClaim, { kind: 'held' }>): string {
  switch (state) {
    case undefined:
      return '';
    case 'paused':
    case 'stopped':
      return `; that run is ${state}: ${GO_ON}`;
    case 'cancelled':
      return '; that run is cancelled: `onboard cancel {run}` winds it up';
    case 'finished':
      return '; that run has finished since: load the row again';
    default:
      return `; that run is ${state}: wait until it has finished`;
  }
}

const GO_ON = '`onboard resume {run}` goes on with it, `onboard cancel {run}` gives it up';

const APART =
  'the same key is in row {row} of this file too, and rows of one key are one request: ' +
  'they must follow each other, and none of them is sent';

/** Only a group that was cut for its length has its key claimed by rows right above it. */
const MOST_AT_ONCE = `at most ${MAX_GROUP_ROWS - 1} rows can be one request`;
const TOO_MANY = `the rows from {row} on have the same key, and ${MOST_AT_ONCE}`;

export function unsendable(code: Issue['code'], message: string, values: Values): Ended {
  return { kind: 'end', end: { outcome: 'invalid', code, message, values } };
}
