/**
 * References of a row to records that other rows create. A reference gets the id of a created
 * record, or the row is not sent. Only an earlier row of the same run is waited for.
 */

import type { KeyPlace } from '../engine/ledger/keys.ts';
import type { KeyState } from '../model/identity.ts';
import type { Issue } from '../model/issue.ts';
import type { ResolvedReference } from '../model/json-record.ts';
import type { Reference } from '../model/mapping.ts';
import type { RowTask } from './row-task.ts';

export type Questions = {
  readonly references: readonly Reference[];
  readonly fieldsOf: KeyPlace | null;
};

export type Answers = {
  /** One per reference, in order. */
  readonly states: readonly KeyState[];
  /** Digests of the fields that the service last accepted (`areFieldsKnown`). */
  readonly fields: string;
};

type Resolved =
  | { readonly kind: 'resolved'; readonly ids: readonly ResolvedReference[] }
  /** An earlier row of the same run is about to be created. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'issues'; readonly issues: readonly Issue[] };

export function resolveReferences(
  { run, row }: Pick<RowTask, 'run' | 'row'>,
  references: readonly Reference[],
  { states }: Pick<Answers, 'states'>,
): Resolved {
  const ids: ResolvedReference[] = [];
  const issues: Issue[] = [];
  let waits = false;
  for (const [i, reference] of references.entries()) {
    const state = referredState(reference, states[i]);
    if (state.kind === 'known') ids.push({ path: reference.path, id: state.id });
    else if (isOnItsWay(state, { run: run.id, row: row.row })) waits = true;
    else issues.push(referenceIssue(row, reference, state));
  }
  if (issues.length > 0) return { kind: 'issues', issues };
  return waits ? { kind: 'wait' } : { kind: 'resolved', ids };
}

/** To a job that tells texts apart, a record of another text is another one. */
export function referredState({ form }: Reference, state: KeyState = FREE): KeyState {
  const isOther = form === 'exact' && 'alike' in state;
  return isOther ? FREE : state;
}

const FREE: KeyState = { kind: 'free' };

type Unknown = Exclude<KeyState, { kind: 'known' }>;

/** A later row is not waited for: the two could wait for each other. */
function isOnItsWay(state: Unknown, own: { readonly run: string; readonly row: number }): boolean {
  if (state.kind !== 'held' || state.inDoubt) return false;
  return state.run === own.run && state.row < own.row;
}

export function referenceIssue(
  { row, line }: RowTask['row'],
  { key, column, space }: Reference,
  state: Unknown,
): Issue {
  const isInDoubt = state.kind === 'held' && state.inDoubt;
  const other = state.kind === 'free' ? {} : { row: String(state.row), run: state.run };
  return {
    row,
    line,
    column,
    value: key,
    expected: `the key of a ${space} that was created; ${whatIsKnown(state)}`,
    values: { key, ...other },
    code: isInDoubt ? 'reference_in_doubt' : 'reference_unknown',
  };
}

const HAS = 'row {row} of run {run} has "{key}" and';

function whatIsKnown(state: Unknown): string {
  switch (state.kind) {
    case 'free':
      return 'nothing is known of "{key}"';
    case 'given-back':
      return 'row {row} of run {run}, which has "{key}", was not created';
    case 'held':
      return state.inDoubt ? `${HAS} its outcome is in doubt` : `${HAS} is not done yet`;
    default:
      return state satisfies never;
  }
}
